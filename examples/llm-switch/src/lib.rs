//! Keeps the right local model server running: when the model that a call is about to use is a key in a file of local models, its
//! server is up before the call goes out, and only then.
//!
//! ```text
//! llm_switch   hooks and tool          what a session sees        wait
//!    │
//! switch       file, users             what sessions share        source, config, users
//!    │ orders ▲ status
//! keeper       one thread, one phase   who owns the server        up, launch, process, probe
//! ```
//!
//! A host links it with `hookspec::plugins![hookspec_llm_switch]`; everything else is in `README.md`. Two promises are kept
//! throughout: nothing is signalled but what this program started, and no conversation goes to a server that did not say that it
//! serves the wanted model.

mod config;
mod error;
mod keeper;
mod launch;
mod llm_switch;
mod probe;
mod process;
mod shared;
mod source;
mod switch;
mod up;
mod users;
mod wait;

hookspec::plugin!();

pub use config::{Config, ConfigError, Entry, KvCache, RESERVED, Sampling, Server};
pub use error::StartError;
pub use keeper::{Phase, Serving, Status, Times};
pub use llm_switch::Settings;
pub use switch::Switch;
