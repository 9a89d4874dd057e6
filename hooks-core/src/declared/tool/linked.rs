//! The tools that are linked into a program.

use crate::base::gathered::list;

use super::entry::ToolEntry;

list! {
    /// Every tool.
    TOOLS: ToolEntry;
}

pub(crate) fn linked_tools() -> &'static [ToolEntry] {
    &TOOLS
}
