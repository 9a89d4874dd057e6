//! Reading on: from a place in a conversation to its end.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::plain::message::Message;

/// How far somebody has read a conversation. Its default is the beginning.
///
/// Whoever reads from outside (a component, a program) keeps it as JSON and hands it back. It is about the session in memory: another
/// process begins at the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogPlace {
    index: usize,
    /// How often the conversation had been written anew.
    rewritten: u64,
}

/// A conversation from a place on; as JSON for whoever has no other form of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LogPart {
    /// The messages, oldest first.
    #[serde(serialize_with = "plain")]
    pub messages: Vec<Arc<Message>>,
    /// The place behind them: where to read on.
    pub place: LogPlace,
    /// Whether what was read before no longer counts, for the conversation was cut or another put in its place: `messages` are all of
    /// it then.
    pub afresh: bool,
}

fn plain<S: Serializer>(messages: &[Arc<Message>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.iter().map(|message| &**message))
}

impl LogPart {
    pub(super) fn behind(place: LogPlace, log: &super::LogView, rewritten: u64) -> Self {
        let is_same = place.index == 0 || (place.rewritten == rewritten && place.index <= log.len());
        let from = if is_same { place.index } else { 0 };
        Self {
            messages: log.iter().skip(from).cloned().collect(),
            place: LogPlace { index: log.len(), rewritten },
            afresh: !is_same,
        }
    }
}
