//! `elicitation`: asks the person at the terminal.

mod accept;

pub use accept::{Unfit, accept};
