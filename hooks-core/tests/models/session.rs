//! The library's interrupt, its states, and a session that has nothing else.

use std::sync::Arc;

#[path = "../../src/session/interrupt.rs"]
#[allow(dead_code)]
pub(crate) mod interrupt;
#[path = "../../src/session/state/mod.rs"]
#[allow(dead_code, unused_imports)]
pub(crate) mod state;

#[path = "../../src/session/ticket.rs"]
pub(crate) mod ticket;

#[derive(Clone, Default)]
pub(crate) struct Session(Arc<state::States>);

impl Session {
    pub(crate) fn states(&self) -> &state::States {
        &self.0
    }
}
