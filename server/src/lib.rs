//! The server host: many sessions over HTTP, on the same engine as the terminal's, with a page to watch and answer on.
//!
//! | part | what it is |
//! |---|---|
//! | [`Server`] | takes connections until it is told to stop, then ends every session |
//! | `http` | paths, bodies and errors; the names, tokens and rates that a request needs to get in |
//! | `live` | one task a conversation that is worked in: it owns the engine and obeys clients |
//! | `feed` | the events of a conversation, numbered and kept for clients that come back |
//! | [`store`] | conversations in one SQLite file, each message on disk before it is acknowledged |
//!
//! Questions wait on the built-ins' desk, without a thread, until a client answers; nobody there, or no answer in
//! time, is a refusal. All limits are in [`Bounds`].

mod brought;
mod events;
mod feed;
mod guard;
mod host;
mod http;
mod live;
mod random;
mod serve;
pub mod store;
mod tokens;

pub use brought::{Brought, Projects};
pub use host::Bounds;
pub use random::RandomError;
pub use serve::{Lend, Options, ServeError, Server};
pub use tokens::{TokenError, Tokens};
