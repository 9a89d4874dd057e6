//! `hookspec tour`.
