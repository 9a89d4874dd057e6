//! Machinery: what runs work, queues it and reads configurations, and knows no hook.

pub(crate) mod background;
pub(crate) mod chain;
pub(crate) mod config;
pub(crate) mod spawn;
