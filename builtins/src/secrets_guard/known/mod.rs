//! Known values: what stands in the workspace's secret files and in the host's secret variables is found wherever it turns up,
//! whatever it looks like.
//!
//! Files are `values` (what in them is secret), `forms` (how a value may be written), `matcher` (finding them), `places` (where
//! secret files are, and whether they changed).

mod forms;
mod matcher;
mod places;
mod values;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookspec::redact::Cut;

use matcher::Matcher;
use places::Places;
pub(super) use values::is_secret_name;

/// A value that must not turn up anywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Value {
    text: String,
    /// What it is called, and where it is: for people.
    from: String,
}

/// So many values are looked for at most; of more the longest, which are the likeliest to be real.
const MOST: usize = 1000;

/// In a large tree the look itself takes a while: a tenth of the time at most.
const REST: u32 = 9;

/// The known values of one session.
pub(super) struct Known {
    held: Mutex<Held>,
}

struct Held {
    places: Places,
    /// Those of the host's variables.
    variables: Vec<Value>,
    matcher: Option<Arc<Matcher>>,
    looked: Option<Looked>,
    /// So many times what a look took passes before the next.
    rest: u32,
    version: u64,
}

/// When the files were last looked at, and how long that took.
struct Looked {
    ended: Instant,
    took: Duration,
}

impl Known {
    pub(super) fn new(
        workspace: Option<PathBuf>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let mut found = Vec::new();
        for (name, value) in variables {
            let from = format!("the variable `{name}`");
            let values = values::of_variable(&name, &value).into_iter();
            found.extend(values.map(|text| Value { text, from: from.clone() }));
        }
        let held = Held {
            places: Places::new(workspace),
            variables: found,
            matcher: None,
            looked: None,
            rest: REST,
            version: 0,
        };
        Self { held: Mutex::new(held) }
    }

    /// What is known now.
    pub(super) fn now(&self) -> Now {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let matcher = held.matcher();
        Now { matcher, version: held.version }
    }

    #[cfg(test)]
    fn find(&self, text: &str) -> Vec<Cut> {
        self.now().find(text)
    }
}

/// What is known at one moment.
pub(super) struct Now {
    matcher: Option<Arc<Matcher>>,
    /// Another one is of other values.
    pub(super) version: u64,
}

impl Now {
    /// Where known values are in a text.
    pub(super) fn find(&self, text: &str) -> Vec<Cut> {
        self.matcher.as_ref().map(|matcher| matcher.find(text)).unwrap_or_default()
    }
}

impl Held {
    /// What to look for now. Files that changed are read again.
    fn matcher(&mut self) -> Option<Arc<Matcher>> {
        let first = self.looked.is_none();
        let is_due =
            self.looked.as_ref().is_none_or(|looked| looked.ended.elapsed() >= looked.took * self.rest);
        if is_due {
            let began = Instant::now();
            let changed = self.places.look();
            if changed || first {
                let mut all: BTreeSet<Value> = self.variables.iter().cloned().collect();
                all.extend(self.places.values().cloned());
                let mut all: Vec<Value> = all.into_iter().collect();
                all.dedup_by(|a, b| a.text == b.text);
                all.sort_by_key(|value| std::cmp::Reverse(value.text.len()));
                all.truncate(MOST);
                self.matcher = Matcher::new(all).map(Arc::new);
                self.version += 1;
            }
            self.looked = Some(Looked { ended: Instant::now(), took: began.elapsed() });
        }
        self.matcher.clone()
    }
}

#[cfg(test)]
mod tests;
