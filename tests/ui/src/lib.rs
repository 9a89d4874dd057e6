//! The cases live in `fail/` and `tests/`; this library is empty and is no plugin on purpose.

#[cfg(doctest)]
mod book;
