//! The server host.
mod random;
pub mod store;
pub use random::RandomError;
