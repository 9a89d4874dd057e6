//! Requests that hooks of other agents make, for those that are addresses and not commands.

#[cfg_attr(feature = "models", path = "http.rs")]
#[cfg_attr(not(feature = "models"), path = "absent.rs")]
mod how;

pub(crate) use how::post;
