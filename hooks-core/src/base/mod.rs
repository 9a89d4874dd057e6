//! What knows nothing of hooks: pointers, locks, guards, globs.

pub(crate) mod absent;
pub(crate) mod boxed;
pub(crate) mod by_type;
pub(crate) mod gathered;
pub(crate) mod glob;
pub(crate) mod guard;
pub(crate) mod instant;
pub(crate) mod json;
pub(crate) mod nearest;
pub(crate) mod sync;
