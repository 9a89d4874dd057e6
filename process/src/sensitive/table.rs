//! The table, read once.

use std::sync::LazyLock;

use serde::Deserialize;

use super::pattern::Patterns;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    pub(crate) files: Patterns,
    pub(crate) harmless: Patterns,
    fixtures: Vec<String>,
    pub(crate) by_content: Vec<ByContent>,
    pub(crate) protected: Vec<Protected>,
    pub(crate) home: Home,
    pub(crate) doors: Doors,
    pub(crate) caches: Vec<Cache>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByContent {
    pub(crate) files: Patterns,
    words: Vec<String>,
}

/// What is not written without a yes, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Protected {
    pub(crate) why: String,
    pub(crate) paths: Patterns,
}

/// Where credentials lie in a home folder.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Home {
    pub(crate) folders: Vec<String>,
    pub(crate) looked: Vec<String>,
}

/// What leads out of a sandbox.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Doors {
    pub(crate) paths: Vec<String>,
}

/// Where a package manager keeps what it downloads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) struct Cache {
    /// The first that is set counts.
    pub(crate) path: Vec<String>,
    pub(crate) direct: Vec<String>,
}

/// The table. A test reads all of it, so that it can be read.
pub(crate) fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        toml::from_str(include_str!("../../data/sensitive.toml")).unwrap_or_else(|error| {
            tracing::error!(%error, "the table of sensitive files cannot be read");
            Table::default()
        })
    });
    &TABLE
}

impl Table {
    /// Why a path within a workspace is not written.
    pub(crate) fn protects(&self, path: &[String]) -> Option<&str> {
        self.protected.iter().find(|kind| kind.paths.fit(path)).map(|kind| &*kind.why)
    }

    /// Whether the name of a file or folder is one that a pattern of [`Table::protects`] ends with: most are not.
    pub(crate) fn may_be_protected(&self, name: &str) -> bool {
        self.protected.iter().any(|kind| kind.paths.may_end_with(name))
    }

    /// Whether a file of this name, in this folder, may be one of the secrets: most are not.
    pub(crate) fn may_be_secret(&self, name: &str, folder: &[String]) -> bool {
        self.files.may_end_with(name)
            || self.by_content.iter().any(|kind| kind.files.may_end_with(name))
            || self.files.may_lie_in(folder)
    }

    /// The words that decide whether a file of this name counts, if any do.
    pub(crate) fn by_content(&self, path: &[String]) -> Option<&[String]> {
        let kind = self.by_content.iter().find(|kind| kind.files.fit(path))?;
        let is_fixture = path.iter().rev().skip(1).any(|folder| self.fixtures.contains(folder));
        (!is_fixture).then_some(&kind.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let table: Table = toml::from_str(include_str!("../../data/sensitive.toml")).unwrap();
        assert!(!table.files.is_empty() && !table.harmless.is_empty() && table.protected.len() > 2);
    }
}
