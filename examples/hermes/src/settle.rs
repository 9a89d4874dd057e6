//! What hooks at a point of this crate leave to whoever fired it: failures that are told, and a session that ends.

use hookspec::point::{Fired, Verdict};
use hookspec::points::{ERROR, ErrorSource};
use hookspec::{Flow, Session, fire_now};

/// Fires `ERROR` for each hook that failed, as the engine does at its own points, and gives on the wish to end the
/// session. A chain that a hook stopped is only that chain.
pub(crate) fn settled<V: Verdict>(session: &Session, fired: &Fired<V>) -> Option<Flow> {
    for failure in fired.failures() {
        let (source, error) = (ErrorSource::Hook, failure.to_string());
        // Hooks that fail at `ERROR` itself are only logged.
        let _ = fire_now!(session, ERROR { source, error: &error, retryable: false, attempt: 0 });
    }
    fired.session_end().map(Flow::end_session)
}
