//! `cwd_tracking`: tells the model that it is in another directory now.
//!
//! **Watches** `CWD_CHANGED`, which the host fires after a tool that moved the session. **Speaks** each time,
//! one visible message with the new path, once per change: a tool that goes away and comes back has not
//! changed anything, and the host does not fire. **Keeps** nothing. **Costs** one format.
//!
//! Different from gptme: there, a pair of hooks (`cwd_changed`) around each tool compared the process's directory, which all
//! sessions of a process share. Here a directory belongs to its session and the change is a fact of the
//! host; a failed tool that moved is seen too. The path is escaped. It runs after hooks that read the new
//! directory's instructions, so that the notice does not come between them and the tool. gptme's `cwd_awareness` and
//! `cwd_changed` are names of this group too.

use std::path::Path;

use hookspec::points::CWD_CHANGED;
use hookspec::{Message, hook};

use crate::text::escape;

/// Says where the session is now.
#[hook(CWD_CHANGED, priority = -1, aliases = ["cwd_awareness", "cwd_changed.store", "cwd_changed.detect"])]
fn notification(new: &Path) -> Message {
    let path = escape(&new.display().to_string());
    Message::system(format!("<system_info>The working directory is now {path}</system_info>"))
}

#[cfg(test)]
mod tests {
    use hookspec::{Hooks, Registry, Role, Session, ToolUse, fire_now};

    use super::*;

    #[test]
    fn t1_to_t6_one_visible_system_message_with_the_new_path() {
        for name in ["cwd_tracking", "cwd_awareness", "cwd_changed", "cwd_changed.detect"] {
            let registry = Registry::builder().allow([name]).build().unwrap();
            // How calls are confirmed is no allowlist's business.
            let rows = registry.list();
            let on: Vec<_> = rows.iter().filter(|row| row.on && !row.info.confirmation).collect();
            assert_eq!(on.len(), 1, "{name}: {on:?}");
            let registry = Registry::builder().disable([name]).build().unwrap();
            assert!(registry.hook("cwd_tracking.notification").is_none(), "{name}");
        }
        let registry = Registry::builder().allow(["cwd_tracking"]).build().unwrap();
        assert!(registry.hook("cwd_awareness.notification").is_some());
        let session = Session::builder(&Hooks::new(registry), "s").build();
        let fired = fire_now!(
            session,
            CWD_CHANGED {
                old: Path::new("/old"),
                new: Path::new("/new/<b>"),
                tool_use: &ToolUse::fenced("shell", [""; 0], "cd /new"),
            }
        );
        let [message] = fired.messages() else { panic!("{fired:?}") };
        assert_eq!((message.role, message.hide), (Role::System, false));
        assert_eq!(message.content, "<system_info>The working directory is now /new/&lt;b&gt;</system_info>");
        assert!(!message.content.contains("/old"));
    }
}
