//! Plugins: crates with hooks in them.
//!
//! A crate that is only listed in Cargo.toml is silently not linked, hooks and all. So a plugin's root says
//! `hookspec::plugin!();`, and a host names it in `hookspec::plugins![…]`, which links it and does not compile
//! for a crate without the first.

use serde::Serialize;

use crate::base::absent::Nobody;

/// A plugin crate's manifest, made by [`plugin!`](crate::plugin).
#[derive(Debug, Serialize)]
pub struct Plugin {
    /// The package.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The crate's name in code.
    pub krate: &'static str,
    /// Its description in Cargo.toml.
    pub description: &'static str,
    /// Module paths inside the crate (`time_awareness`; empty for its root), and the documentation at the
    /// top of each.
    #[serde(skip)]
    pub essays: &'static [(&'static str, &'static str)],
}

impl Plugin {
    /// What a module of this crate says of itself; where it says nothing, what the module around it says.
    /// `module` is a whole path, as in `linter::rules`.
    #[must_use]
    pub fn essay(&self, module: &str) -> Option<&'static str> {
        let mut inner = module.strip_prefix(self.krate)?.trim_start_matches("::");
        loop {
            if let Some((_, essay)) = self.essays.iter().find(|(held, _)| *held == inner) {
                return Some(essay);
            }
            if inner.is_empty() {
                return None;
            }
            inner = inner.rsplit_once("::").map_or("", |(outer, _)| outer);
        }
    }
}

/// Stands for the manifest of a crate that has none.
#[doc(hidden)]
#[derive(Debug)]
pub struct CrateWithoutPlugin;

/// What `plugins!` finds in a crate.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this crate is no plugin: `hookspec::plugin!();` is missing at its root",
    label = "write `hookspec::plugin!();` in the lib.rs of this crate",
    note = "it stands at the crate's root, not in a module"
)]
pub trait PluginCrate {
    /// The manifest.
    fn manifest(&'static self) -> &'static Plugin;
}

#[diagnostic::do_not_recommend]
impl PluginCrate for Plugin {
    fn manifest(&'static self) -> &'static Plugin {
        self
    }
}

// A second kind, of which there is none: with one alone rustc would not look at what it was given.
#[diagnostic::do_not_recommend]
impl PluginCrate for Nobody {
    fn manifest(&'static self) -> &'static Plugin {
        match *self {}
    }
}

/// Makes this crate a plugin. Write it once, at the crate's root.
#[macro_export]
macro_rules! plugin {
    () => {
        /// This crate's manifest, for `hookspec::plugins![…]`.
        pub static HOOKSPEC_PLUGIN: $crate::__private::Plugin = $crate::__private::Plugin {
            package: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            krate: module_path!(),
            description: env!("CARGO_PKG_DESCRIPTION"),
            essays: $crate::__private::essays_impl!(),
        };
        const _: () = assert!(
            $crate::__private::is_root(module_path!()),
            "`hookspec::plugin!();` stands in a module; write it at the crate's root, in lib.rs or main.rs",
        );
    };
    ($($anything:tt)+) => {
        ::core::compile_error! { "it takes nothing: `hookspec::plugin!();`" }
    };
}

/// Links plugin crates into a host and gives their manifests, for
/// [`RegistryBuilder::plugins`](crate::registry::RegistryBuilder::plugins).
///
/// A crate without `hookspec::plugin!();` at its root is a compile error here.
#[macro_export]
macro_rules! plugins {
    ($($plugin:tt)*) => {
        $crate::__private::plugins_impl! { [$crate] $($plugin)* }
    };
}
