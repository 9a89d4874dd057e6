//! Tables that are put together from several sources.

use std::collections::BTreeMap;

/// A table, put together from several sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pub(crate) table: toml::Table,
    /// Where each key's value comes from: the file or variable, and the same with its line.
    pub(super) sources: BTreeMap<String, (String, String)>,
    /// The how-manieth source that was.
    pub(super) turns: BTreeMap<String, usize>,
    /// What variables of other systems say, over it.
    pub(crate) foreign: Vec<(String, toml::Value, String)>,
}

impl Section {
    pub(super) fn add(&mut self, table: toml::Table, source: &str, turn: usize) {
        self.add_with(table, (source, turn), |_| source.to_owned());
    }

    pub(super) fn add_with(
        &mut self,
        table: toml::Table,
        (source, turn): (&str, usize),
        place: impl Fn(&str) -> String,
    ) {
        self.turns.extend(table.keys().map(|key| (key.clone(), turn)));
        self.sources.extend(table.keys().map(|key| (key.clone(), (source.to_owned(), place(key)))));
        self.table.extend(table);
    }

    /// Whether anybody wrote it for this program.
    pub(crate) fn is_ours(&self) -> bool {
        !self.table.is_empty() || self.foreign.is_empty()
    }

    /// The same with one key's value over what is there.
    pub(crate) fn with(mut self, key: &str, value: toml::Value, source: &str) -> Self {
        self.add(toml::Table::from_iter([(key.to_owned(), value)]), source, usize::MAX);
        self
    }

    /// The file or variable that a key's value comes from.
    #[cfg(test)]
    pub(crate) fn source(&self, key: &str) -> Option<&str> {
        self.sources.get(key).map(|(source, _)| source.as_str())
    }

    /// The same with its line.
    pub(crate) fn place(&self, key: &str) -> Option<&str> {
        self.sources.get(key).map(|(_, place)| place.as_str())
    }

    /// All that it comes from, in words.
    pub(crate) fn source_text(&self) -> String {
        let mut all: Vec<&str> = self.sources.values().map(|(source, _)| source.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        all.join(" and ")
    }
}
