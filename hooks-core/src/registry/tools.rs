//! What a registry keeps beside its hooks: its tools, and by what rules it was put together.

use std::sync::LazyLock;

use crate::declared::tool::{ToolSet, linked_tools};
use crate::plain::report::Problem;
use crate::set::Registry;

use super::rules::Rules;
use super::select::Selection;

impl Registry {
    /// The selected tools.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn tools(&self) -> &ToolSet {
        static NONE: LazyLock<ToolSet> = LazyLock::new(ToolSet::default);
        self.kept().unwrap_or(&NONE)
    }

    /// The time limit of hooks that set none; `None` for no limit.
    #[must_use]
    pub fn default_timeout(&self) -> Option<std::time::Duration> {
        self.rules().timeout
    }

    /// By what rules it was put together.
    pub(super) fn rules(&self) -> &Rules {
        static NONE: LazyLock<Rules> = LazyLock::new(Rules::default);
        self.kept().unwrap_or(&NONE)
    }
}

/// The tools that the lists select.
pub(super) fn select(selection: &Selection, linked: bool, problems: &mut Vec<Problem>) -> ToolSet {
    let all = if linked { linked_tools() } else { &[] };
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for tool in all {
        match selection.decide_tool(tool.name, tool.package, tool.enabled) {
            Ok(why) => on.push((tool, why)),
            Err(why) => off.push((tool, why)),
        }
    }
    ToolSet::new(on, off, problems)
}
