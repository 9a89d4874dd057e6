//! Inwards: hooks that people wrote as commands, run as hooks of ours.
//!
//! One file of configuration may name many. Each is read by itself, so that one which cannot be used takes no other
//! with it, and each that does not run is in every list with the reason. What a project's folder brings
//! runs only once the user [trusts](crate::trust) exactly that.

pub mod clients;
pub mod script;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use hookspec::JsonHook;

use crate::trust::Subject;

/// Hooks from configuration, and what is wrong with the rest.
#[derive(Debug, Default)]
pub struct Inbound {
    /// The hooks, also those that are barred.
    pub hooks: Vec<JsonHook>,
    /// Entries that cannot be used.
    pub complaints: Vec<Complaint>,
    /// Entries that are right and mean nothing here.
    pub idle: Vec<Complaint>,
    /// How many hooks of a file do not run because the user has not trusted them.
    pub waiting: BTreeMap<PathBuf, usize>,
    /// What the user may trust, trusted or not.
    pub subjects: Vec<Subject>,
}

/// An entry that cannot be used, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The file.
    pub file: PathBuf,
    /// The line that the entry begins at.
    pub line: u32,
    /// The entry, as people would find it: `[[hooks.scripts]]`.
    pub entry: String,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, entry, why } = self;
        write!(f, "{}:{line}: this `{entry}` is left out: {why}", file.display())
    }
}
