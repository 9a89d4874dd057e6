//! What is declared: points, hooks, tools and plugins, what a hook is given and what it may say.

pub(crate) mod around;
pub(crate) mod entry;
pub(crate) mod failure;
pub(crate) mod fired;
#[cfg_attr(not(feature = "json"), path = "../without/json_call.rs")]
pub(crate) mod json_call;
pub(crate) mod linked;
pub(crate) mod outcome;
pub(crate) mod plugin;
pub(crate) mod point;
#[cfg(feature = "json")]
pub mod tool;
#[cfg(not(feature = "json"))]
#[path = "../without/tool.rs"]
pub(crate) mod tool;
#[cfg(feature = "json")]
pub(crate) mod untyped;
