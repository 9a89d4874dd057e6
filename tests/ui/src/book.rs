//! The book's code, compiled and run with the tests. Here and not in core, whose package does not hold the pages.

#[doc = include_str!("../../../README.md")]
mod readme {}

#[doc = include_str!("../../../docs/writing-a-hook.md")]
mod writing_a_hook {}

#[doc = include_str!("../../../docs/hosting.md")]
mod hosting {}

#[doc = include_str!("../../../docs/around.md")]
mod around {}

#[doc = include_str!("../../../hooks-core/README.md")]
mod core_readme {}
