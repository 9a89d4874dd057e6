//! The macros of hookspec.
