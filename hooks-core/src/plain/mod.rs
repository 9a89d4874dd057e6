//! Plain data: what points, hooks, messages, calls and verdicts are, before anything is done with them.

#[cfg(feature = "json")]
pub(crate) mod ask;
#[cfg_attr(not(feature = "time"), path = "../without/clock.rs")]
pub(crate) mod clock;
pub(crate) mod filter;
pub(crate) mod flow;
pub(crate) mod hook_info;
#[cfg_attr(not(feature = "config"), path = "../without/json_settings.rs")]
pub(crate) mod json_settings;
pub(crate) mod message;
#[cfg(feature = "json")]
pub(crate) mod model;
pub(crate) mod options;
pub(crate) mod point_info;
pub(crate) mod report;
#[cfg_attr(not(feature = "config"), path = "../without/settings.rs")]
pub(crate) mod settings;
pub(crate) mod shadow;
pub(crate) mod state_key;
pub(crate) mod switch;
#[cfg(feature = "json")]
pub(crate) mod tool_use;
#[cfg(feature = "json")]
pub(crate) mod usage;
pub(crate) mod verdict;
