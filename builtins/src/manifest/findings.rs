//! What can be wrong with records.

use std::fmt;

use serde::Serialize;

/// Something that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file, with the line where it has many records.
    pub place: String,
    /// The session, where it is known.
    pub session: Option<String>,
    /// What is wrong.
    #[serde(flatten)]
    pub problem: Problem,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// What is wrong with a record, or with a session's records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Problem {
    /// A file cannot be read, or a line is not JSON.
    #[error("cannot be read: {why}")]
    Unreadable {
        /// What the system or the parser said.
        why: String,
    },
    /// JSON, but no record.
    #[error("expected object, found {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// No session.
    #[error("`session_id` is missing or empty")]
    NoSession,
    /// No number.
    #[error("`sequence` is not a whole number above zero")]
    NoSequence,
    /// No phase.
    #[error("`phase` is neither pre nor post")]
    NoPhase,
    /// A record of another session.
    #[error("this record is of the session `{found}`, whose records do not belong in this file")]
    OtherSession {
        /// That session.
        found: String,
    },
    /// Two records of one call and phase.
    #[error("duplicate {phase} record of sequence {sequence}")]
    Duplicate {
        /// The call's number.
        sequence: u64,
        /// The phase.
        phase: &'static str,
    },
    /// Calls without any record.
    #[error("{}", missing(*.from, *.to))]
    Missing {
        /// The first one's number.
        from: u64,
        /// The last one's number.
        to: u64,
    },
    /// A call that has only ended.
    #[error("sequence {sequence} has no pre record")]
    NoPre {
        /// The call's number.
        sequence: u64,
    },
    /// A call that has only begun.
    #[error(
        "sequence {sequence} has no post record: the call is still running, or the program was killed in it"
    )]
    NoPost {
        /// The call's number.
        sequence: u64,
    },
    /// A record that is tied to nothing.
    #[error("`hash` is missing")]
    NoHash,
    /// A record that was changed.
    #[error("hash mismatch: the record was changed, or written with another key")]
    Hash,
    /// A record that does not follow the one before it.
    #[error("prev_hash mismatch: the record before it was changed, removed or put in")]
    Previous,
    /// A hash that cannot be checked.
    #[error("its hash is keyed and there is no key to check it with; give the file with --key-file")]
    NeedsKey,
    /// A hash that anybody could have made.
    #[error("its hash is not keyed: anybody could have written it")]
    NotKeyed,
    /// A session's tail is gone.
    #[error("{file} is missing, so that removed records at the end would not show")]
    NoTail {
        /// Its file.
        file: String,
    },
    /// A session's tail was changed.
    #[error("the tail's hash does not fit: it was changed, or written with another key")]
    Tail,
    /// Records at the end are gone.
    #[error("{said} records were written and {found} are there: the last ones were removed")]
    Truncated {
        /// How many were written.
        said: u64,
        /// How many there are.
        found: u64,
    },
    /// The last record is another one.
    #[error("the last record is not the one that was written")]
    OtherEnd,
    /// The writer saw that something was missing.
    #[error("records, or the tail, were removed while the session went on")]
    Gap,
}

fn missing(from: u64, to: u64) -> String {
    if from == to {
        format!("missing sequence {from}")
    } else {
        format!("missing sequences {from} to {to} ({} calls)", to - from + 1)
    }
}
