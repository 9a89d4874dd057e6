//! What a person may answer, and what it means.

use std::fmt;

use crate::beforehand::Further;

/// Which answers a question has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// Whether Enter runs it.
    pub(super) enter: bool,
    /// Whether there is something to edit and to copy.
    pub(super) content: bool,
    /// Whether not all was shown.
    pub(super) more: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Yes,
    No,
    Copy,
    Edit,
    View,
    Auto(Further),
    Help,
    Unknown,
}

/// As the prompt has them: `[y]es [N]o [e]dit [c]opy [a]ll [?]`.
impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.enter { "[Y]es [n]o" } else { "[y]es [N]o" })?;
        if self.content {
            f.write_str(" [e]dit [c]opy")?;
        }
        if self.more {
            f.write_str(" [v]iew")?;
        }
        f.write_str(" [a]ll [?]")
    }
}

impl Choices {
    pub(super) fn help(self) -> String {
        let Self { enter, content, more } = self;
        let rows = [
            (true, "y", "run it"),
            (true, "n", "do not run it; the turn ends"),
            (content, "e", "edit it first, and run what you made of it"),
            (content, "c", "copy it"),
            (more, "v", "show all of it"),
            (true, "a", "run it and all that follow"),
            (true, "a 3", "run it and three more"),
            (enter, "Enter", "run it: nothing is lost by it"),
            (!enter, "Enter", "do not run it"),
        ];
        let lines: Vec<String> = rows
            .iter()
            .filter(|row| row.0)
            .map(|(_, letter, what)| format!("  {letter:<5}  {what}"))
            .collect();
        lines.join("\n")
    }

    pub(super) fn parse(self, reply: &str) -> Reply {
        let reply = reply.trim().to_lowercase();
        match reply.as_str() {
            "" if self.enter => return Reply::Yes,
            "y" | "yes" => return Reply::Yes,
            "" | "n" | "no" => return Reply::No,
            "c" | "copy" if self.content => return Reply::Copy,
            "e" | "edit" if self.content => return Reply::Edit,
            "v" | "view" if self.content || self.more => return Reply::View,
            "h" | "help" | "?" => return Reply::Help,
            "a" | "all" | "auto" => return Reply::Auto(Further::All),
            _ => {}
        }
        let number = reply.strip_prefix("auto").or(reply.strip_prefix('a')).map(str::trim);
        match number.and_then(|number| number.parse().ok()) {
            Some(count) => Reply::Auto(Further::Count(count)),
            None => Reply::Unknown,
        }
    }
}
