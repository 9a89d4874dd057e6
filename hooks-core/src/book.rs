//! The book's code, compiled and run with the tests.

#[doc = include_str!("../../README.md")]
mod readme {}

#[doc = include_str!("../../docs/writing-a-hook.md")]
mod writing_a_hook {}

#[doc = include_str!("../../docs/hosting.md")]
mod hosting {}
