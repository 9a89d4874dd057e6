//! What stands in for tools without the feature `json`: there are none.

use crate::plain::report::Problem;

/// There is none.
#[derive(Clone, Copy, Debug)]
pub struct ToolEntry {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) enabled: bool,
}

/// Tools, each with what decided about it.
type Chosen = Vec<(&'static ToolEntry, String)>;

/// The empty set.
#[derive(Clone, Debug, Default)]
pub struct ToolSet;

pub(crate) fn linked_tools() -> &'static [ToolEntry] {
    &[]
}

impl ToolSet {
    pub(crate) fn new(_: Chosen, _: Chosen, _: &mut Vec<Problem>) -> Self {
        Self
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::empty()
    }

    pub(crate) fn all(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    pub(crate) fn count_of(&self, _: &str) -> usize {
        0
    }
}
