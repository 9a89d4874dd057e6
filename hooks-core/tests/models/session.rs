//! The library's interrupt.

#[path = "../../src/session/interrupt.rs"]
#[allow(dead_code)]
pub(crate) mod interrupt;
