//! Who uses the server: the sessions, and which of them are in the middle of a turn.
//!
//! All that work at one time work with one server. A session that wants another waits until the others' turns are over, so
//! that two sessions do not take the server away from each other between a question and its answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::launch::Launch;

#[derive(Debug)]
struct Use {
    launch: Arc<Launch>,
    /// Its turn is not over.
    works: bool,
}

#[derive(Debug)]
pub(crate) struct Users {
    sessions: BTreeMap<String, Use>,
    last: Instant,
}

impl Default for Users {
    fn default() -> Self {
        Self { sessions: BTreeMap::new(), last: Instant::now() }
    }
}

impl Users {
    /// Lets a session work with a server, unless another session works with another one: that one is given back.
    pub(crate) fn claim(&mut self, session: &str, launch: &Arc<Launch>) -> Result<(), (String, String)> {
        let other = self
            .sessions
            .iter()
            .find(|(id, held)| *id != session && held.works && !held.launch.same_server(launch));
        if let Some((id, held)) = other {
            return Err((id.clone(), held.launch.key.clone()));
        }
        self.last = Instant::now();
        self.sessions.insert(session.to_owned(), Use { launch: Arc::clone(launch), works: true });
        Ok(())
    }

    /// A session's turn is over; it stays a user.
    pub(crate) fn rest(&mut self, session: &str) {
        if let Some(held) = self.sessions.get_mut(session) {
            held.works = false;
            self.last = Instant::now();
        }
    }

    /// A session uses no local model any more. Says whether it did.
    pub(crate) fn leave(&mut self, session: &str) -> bool {
        let left = self.sessions.remove(session).is_some();
        if left {
            self.last = Instant::now();
        }
        left
    }

    pub(crate) fn nobody(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Another session that works, and the model it works with.
    pub(crate) fn other_at_work(&self, session: &str) -> Option<(String, String)> {
        let mut others = self.sessions.iter().filter(|(id, held)| *id != session && held.works);
        others.next().map(|(id, held)| (id.clone(), held.launch.key.clone()))
    }

    /// For how long nobody has used the server; `None` while somebody does.
    pub(crate) fn unused_for(&self) -> Option<Duration> {
        (!self.sessions.values().any(|held| held.works)).then(|| self.last.elapsed())
    }
}
