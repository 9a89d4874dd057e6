//! The server host.
