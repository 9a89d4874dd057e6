//! Whether a call may be run by pressing Enter: nothing is lost by it, as far as its text tells.
//!
//! Only what is known to lose nothing counts: a tool of which nothing is known does not.

use hookspec::{Session, ToolUse};

use super::shown::inside;
use crate::call_paths::call_paths;
use crate::confirm_policy;

/// Whether nothing is lost that is not in the call: a command that only shows, a change that holds what it takes
/// away, a file that was not there.
pub(super) fn loses_nothing(call: &ToolUse, content: &str, session: &Session) -> bool {
    let is_new = match call.tool.as_str() {
        "shell" => return confirm_policy::only_shows(content, session),
        "append" | "patch" => false,
        "save" => true,
        _ => return false,
    };
    let paths = call_paths(call, session, std::env::home_dir().as_deref());
    let [path] = &*paths else { return false };
    // What cannot be looked at may be there.
    let is_missing =
        || std::fs::symlink_metadata(path).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound);
    inside(path, session) && (!is_new || is_missing())
}
