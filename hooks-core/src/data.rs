//! Types of one's own, with what they need and nothing but this crate in `Cargo.toml`.
//!
//! [`#[data]`](macro@crate::data) over a struct or an enum derives `Clone`, `Debug`, and serde's two; with the feature `schema` its
//! JSON Schema too.
//!
//! ```
//! use hookspec::{data, hook, hook_point, Gate};
//!
//! #[data]
//! #[serde(rename_all = "snake_case")]
//! pub enum Flour { Rye, Wheat }
//!
//! #[data]
//! pub struct Recipe {
//!     /// Minutes in the oven.
//!     pub minutes: u32,
//!     pub flour: Flour,
//! }
//!
//! hook_point! {
//!     /// Before the dough goes into the oven.
//!     pub BAKE_PRE("bake.pre") -> Gate { recipe: &Recipe }
//! }
//!
//! #[hook(BAKE_PRE)]
//! fn not_to_coal(recipe: &Recipe) -> Option<Gate> {
//!     (recipe.minutes > 90).then(|| Gate::deny("coal"))
//! }
//! # fn main() {}
//! ```
//!
//! Who would rather write the derives out finds the crates as `hookspec::reexports::serde` and `hookspec::reexports::schemars`:
//!
//! ```
//! #[derive(hookspec::reexports::serde::Deserialize)]
//! #[serde(crate = "hookspec::reexports::serde")]
//! struct Recipe { minutes: u32 }
//! # let _ = Recipe { minutes: 3 }.minutes;
//! ```

#[doc(hidden)]
pub use crate as __core;
