//! Around hooks: what a hook that wraps the host's work is given, and what the host is.
//!
//! Types only: what is declared. The loop that runs them is in `dispatch::around`.

mod call;
mod next;
mod wrapped;

pub use call::{AroundAsync, AroundAsyncClosure, AroundCall, AroundClosure, AroundSync};
pub(crate) use next::Rest;
pub use next::{CannotWait, Next, Repeatable, Running};
pub(crate) use wrapped::Heard;
pub use wrapped::{Lost, Within, Wrapped};
