//! What the linker gathers: the rows that `#[hook]`, `hook_point!`, `fire!` and `#[tool]` leave in every crate of a program.
//!
//! There are four lists, all of them core's; a hook's row says of itself at which point it listens. Only this folder knows how
//! a list is made and how a row comes into it:
//!
//! - natively by the linker, which lays what is put into one section side by side (linkme);
//! - on wasm, where there is no such thing, by a function that runs before `main` and hangs the row into the list;
//! - under Miri not at all: it reads no sections and calls nothing before `main`, so hooks are registered by hand there.

mod macros;
#[cfg(all(target_family = "wasm", not(miri)))]
mod wasm;

#[cfg(all(target_family = "wasm", not(miri)))]
pub use wasm::{List, Node};

/// Declares a list, which reads as a slice. Its name in the program holds core's version and where core comes from, so that
/// nothing else is called so: no list of another crate, and none of a second core. linkme refuses to start where two lists share
/// a name.
#[cfg(not(any(miri, target_family = "wasm")))]
macro_rules! list {
    ($(#[$docs:meta])* $name:ident: $type:ty;) => { hookspec_macros::list_impl! { $(#[$docs])* $name: $type } };
}

#[cfg(all(target_family = "wasm", not(miri)))]
macro_rules! list {
    ($(#[$docs:meta])* $name:ident: $type:ty;) => {
        $(#[$docs])*
        pub static $name: $crate::base::gathered::List<$type> = $crate::base::gathered::List::new();
    };
}

#[cfg(miri)]
macro_rules! list {
    ($(#[$docs:meta])* $name:ident: $type:ty;) => { $(#[$docs])* pub static $name: &[$type] = &[]; };
}

pub(crate) use list;
