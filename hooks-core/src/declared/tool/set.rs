//! The selected tools of one host.

use std::fmt;
use std::sync::Arc;

use crate::plain::report::Problem;
use crate::plain::tool_use::ToolSpec;

use super::entry::ToolEntry;

/// The selected tools of one host, by name.
#[derive(Clone, Default)]
pub struct ToolSet {
    on: Arc<Vec<&'static ToolEntry>>,
    /// What selected each of them, in their order.
    on_because: Arc<Vec<String>>,
    off: Arc<Vec<(&'static ToolEntry, String)>>,
}

impl ToolSet {
    /// Of these tools, each with what decided about it. What is wrong with them is told.
    pub(crate) fn new(
        mut on: Vec<(&'static ToolEntry, String)>,
        mut off: Vec<(&'static ToolEntry, String)>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        on.sort_by_key(|(tool, _)| (tool.name, tool.file, tool.line));
        off.sort_by_key(|(tool, _)| (tool.name, tool.file, tool.line));
        let (on, because): (Vec<&ToolEntry>, Vec<String>) = on.into_iter().unzip();
        for pair in on.windows(2).filter(|pair| pair[0].name == pair[1].name) {
            let place = |tool: &ToolEntry| format!("{}:{}", tool.file, tool.line);
            problems.push(Problem::DuplicateTool {
                name: pair[0].name.to_owned(),
                first: place(pair[0]),
                second: place(pair[1]),
            });
        }
        Self { on: Arc::new(on), on_because: Arc::new(because), off: Arc::new(off) }
    }

    /// The tool of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static ToolEntry> {
        self.on.iter().find(|tool| tool.name == name).copied()
    }

    /// The selected tools, by name.
    pub fn iter(&self) -> impl Iterator<Item = &'static ToolEntry> {
        self.on.iter().copied()
    }

    /// The names of the selected tools.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.on.iter().map(|tool| tool.name)
    }

    /// The selected tools, with what selected them.
    pub fn on(&self) -> impl Iterator<Item = (&'static ToolEntry, &str)> {
        self.iter().zip(self.on_because.iter().map(String::as_str))
    }

    /// The tools that were found and not selected, with the reason.
    pub fn off(&self) -> impl Iterator<Item = (&'static ToolEntry, &str)> {
        self.off.iter().map(|(tool, why)| (*tool, why.as_str()))
    }

    /// The selected tools as they are offered to a model.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.on.iter().map(|tool| tool.spec()).collect()
    }

    /// The names and packages of all, selected or not.
    pub(crate) fn all(&self) -> Vec<(&'static str, &'static str)> {
        let off = self.off.iter().map(|(tool, _)| *tool);
        self.iter().chain(off).map(|tool| (tool.name, tool.package)).collect()
    }

    pub(crate) fn count_of(&self, package: &str) -> usize {
        let off = self.off.iter().map(|(tool, _)| *tool);
        self.iter().chain(off).filter(|tool| tool.package == package).count()
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
