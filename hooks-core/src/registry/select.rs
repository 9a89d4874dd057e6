//! Selection: which of the gathered hooks and tools run, by lists, modes and tools.

use crate::plain::options::{Mode, Options};

use super::operator::Operator;
use super::pattern::{Called, Pattern};

/// What was asked for.
#[derive(Default)]
pub(crate) struct Selection {
    pub(crate) allow: Option<Vec<Pattern>>,
    pub(crate) disable: Vec<Pattern>,
    /// What is said of single hooks.
    pub(crate) rules: Vec<Operator>,
    pub(crate) modes: Vec<Mode>,
    /// The names of the selected tools; `None` while tools themselves are being selected.
    pub(crate) tools: Option<Vec<String>>,
}

impl Selection {
    /// Whether a hook runs, and what decided it: `Ok` if it does.
    pub(crate) fn decide(&self, hook: Called<'_>, options: &Options) -> Result<String, String> {
        self.decide_by(self.allow.as_deref(), hook, options)
    }

    fn decide_by(
        &self,
        allow: Option<&[Pattern]>,
        hook: Called<'_>,
        options: &Options,
    ) -> Result<String, String> {
        if let Some(pattern) = first(&self.disable, hook) {
            return Err(pattern.named.decided("disable"));
        }
        if let (Some(tool), Some(tools)) = (options.tool, &self.tools) {
            let on = tools.iter().any(|on| on == tool);
            return if on {
                Ok(format!("its tool `{tool}`"))
            } else {
                Err(format!("its tool `{tool}` is off"))
            };
        }
        let fits = options.modes.is_empty() || options.modes.iter().any(|m| self.modes.contains(m));
        let entries = allow.unwrap_or_default();
        if options.confirmation {
            // Chosen by mode, so that no list can take away the host's way to ask; naming it adds it.
            let named = entries.iter().find(|pattern| pattern.names(hook));
            return match named {
                Some(pattern) => Ok(pattern.decided()),
                None if fits && options.enabled => Ok(DEFAULT.to_owned()),
                None => Err(mode_reason(options)),
            };
        }
        // A list that only adds leaves what is on by default; an empty one leaves nothing.
        let chooses = allow.is_some() && (entries.is_empty() || entries.iter().any(|entry| !entry.adds));
        match first(entries, hook) {
            None if chooses => Err(self.not_allowed()),
            _ if !fits => Err(mode_reason(options)),
            _ if options.enabled && !chooses => Ok(DEFAULT.to_owned()),
            Some(pattern) if options.enabled => Ok(pattern.decided()),
            // What is off by default is on where somebody names it, and not where somebody wants all there is.
            _ => {
                let named = entries.iter().find(|pattern| pattern.means(hook));
                named.map(Pattern::decided).ok_or_else(|| UNNAMED.to_owned())
            }
        }
    }

    /// Whether it is left out by name.
    pub(crate) fn disables(&self, hook: Called<'_>) -> bool {
        first(&self.disable, hook).is_some()
    }

    /// Whether it is only another system's allowlist that keeps a hook from running.
    pub(crate) fn taken_by_foreign_list(&self, hook: Called<'_>, options: &Options) -> bool {
        let foreign = self.allow.iter().flatten().any(|pattern| pattern.named.kind.is_foreign());
        foreign && self.decide_by(None, hook, options).is_ok()
    }

    /// Whether a tool is offered, and what decided it. Lists name tools as `tool.NAME`; an allowlist that
    /// names no tool leaves them as they are.
    pub(crate) fn decide_tool(&self, tool: &str, package: &str, enabled: bool) -> Result<String, String> {
        let name = format!("tool.{tool}");
        let called = Called { name: &name, aliases: &[], package };
        if let Some(pattern) = first(&self.disable, called) {
            return Err(pattern.named.decided("disable"));
        }
        let entries = || self.allow.iter().flatten().filter(|pattern| pattern.is_of_tools());
        let chooses = entries().any(|entry| !entry.adds);
        match first(entries(), called) {
            None if chooses => Err(self.not_allowed()),
            _ if enabled && !chooses => Ok(DEFAULT.to_owned()),
            Some(pattern) if enabled => Ok(pattern.decided()),
            _ => {
                let named = entries().find(|pattern| pattern.text == name);
                named.map(Pattern::decided).ok_or_else(|| UNNAMED.to_owned())
            }
        }
    }

    fn not_allowed(&self) -> String {
        let entries = || self.allow.iter().flatten();
        match entries().find(|entry| !entry.adds).or_else(|| entries().next()) {
            Some(first) => format!("not in {}", first.named.decided("allow")),
            None => "the allowlist is empty".to_owned(),
        }
    }
}

const DEFAULT: &str = "default";
const UNNAMED: &str = "off unless an allowlist names it";

/// The first entry that matches.
fn first<'p>(list: impl IntoIterator<Item = &'p Pattern>, hook: Called<'_>) -> Option<&'p Pattern> {
    list.into_iter().find(|pattern| pattern.matches(hook))
}

fn mode_reason(options: &Options) -> String {
    let modes: Vec<&str> = options.modes.iter().copied().map(mode_name).collect();
    if modes.is_empty() { UNNAMED.to_owned() } else { format!("for {} hosts only", modes.join(" or ")) }
}

/// A mode as `modes = […]` has it.
fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Cli => "cli",
        Mode::Server => "server",
        Mode::Bridge => "bridge",
        Mode::Embedded => "embedded",
        Mode::Interactive => "interactive",
        Mode::NoConfirm => "no_confirm",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machinery::config::Named;

    fn called(name: &'static str, package: &'static str) -> Called<'static> {
        Called { name, aliases: &[], package }
    }

    fn selection(allow: Option<&[&str]>, disable: &[&str], modes: &[Mode]) -> Selection {
        let named = |text: &&str| Named::new(*text, "a test");
        Selection {
            allow: allow.map(|list| list.iter().map(named).map(Pattern::allowing).collect()),
            disable: disable.iter().map(named).map(Pattern::new).collect(),
            rules: Vec::new(),
            modes: modes.to_vec(),
            tools: None,
        }
    }

    #[test]
    fn names_groups_packages_and_globs_match() {
        for text in ["time.note", "time", "pack", "time.*", "*note", "t?me.note"] {
            let list = selection(Some(&[text]), &[], &[]);
            assert_eq!(
                list.decide(called("time.note", "pack"), &Options::DEFAULT).unwrap(),
                "a test",
                "{text}"
            );
        }
        for text in ["note", "tim", "time.not", "pac", "time.?"] {
            let list = selection(Some(&[text]), &[], &[]);
            let why = list.decide(called("time.note", "pack"), &Options::DEFAULT).unwrap_err();
            assert_eq!(why, "not in a test", "{text}");
        }
    }

    #[test]
    fn disable_beats_allow_and_says_who() {
        let list = selection(Some(&["time"]), &["time.note"], &[]);
        let why = list.decide(called("time.note", ""), &Options::DEFAULT).unwrap_err();
        assert_eq!(why, "a test");
    }

    #[test]
    fn an_allowlist_neither_removes_nor_globs_in_a_confirmation() {
        let ask = Options { confirmation: true, modes: &[Mode::Interactive], ..Options::DEFAULT };
        let interactive = selection(Some(&["linter"]), &[], &[Mode::Cli, Mode::Interactive]);
        assert_eq!(interactive.decide(called("cli_confirm.ask", ""), &ask).unwrap(), "default");
        let piped = selection(Some(&["*"]), &[], &[Mode::Cli]);
        assert_eq!(
            piped.decide(called("cli_confirm.ask", ""), &ask).unwrap_err(),
            "for interactive hosts only"
        );
        let named = selection(Some(&["cli_confirm"]), &[], &[Mode::Cli]);
        assert_eq!(named.decide(called("cli_confirm.ask", ""), &ask).unwrap(), "a test");
    }

    #[test]
    fn tools_are_listed_apart_and_take_their_hooks_along() {
        let mut list = selection(Some(&["linter", "tool.read"]), &[], &[]);
        assert_eq!(list.decide_tool("read", "", true).unwrap(), "a test");
        assert_eq!(list.decide_tool("shell", "", true).unwrap_err(), "not in a test");
        let other = selection(Some(&["linter"]), &[], &[]);
        assert_eq!(other.decide_tool("shell", "", true).unwrap(), "default");
        assert_eq!(other.decide_tool("elicit", "", false).unwrap_err(), "off unless an allowlist names it");

        list.tools = Some(vec!["read".into()]);
        let of = |tool| Options { tool: Some(tool), ..Options::DEFAULT };
        assert_eq!(list.decide(called("todo.list", ""), &of("read")).unwrap(), "its tool `read`");
        assert_eq!(list.decide(called("todo.list", ""), &of("todo")).unwrap_err(), "its tool `todo` is off");
    }

    #[test]
    fn what_is_off_by_default_is_on_where_it_is_named_and_not_where_all_are_wanted() {
        let off = Options { enabled: false, ..Options::DEFAULT };
        for (allow, on) in [
            (&["test"][..], true),
            (&["test.start"], true),
            (&["test.*"], true),
            (&["test.st?rt"], true),
            (&["pack"], true),
            (&["*", "test"], true),
            (&["*"], false),
            (&["*.start"], false),
            (&["t*"], false),
            (&["*start"], false),
            (&["other"], false),
            (&[], false),
        ] {
            let list = selection(Some(allow), &[], &[]);
            assert_eq!(list.decide(called("test.start", "pack"), &off).is_ok(), on, "{allow:?}");
            assert!(allow != ["*"] || list.decide(called("time.note", ""), &Options::DEFAULT).is_ok());
        }
        assert_eq!(selection(None, &[], &[]).decide(called("a.b", ""), &off).unwrap_err(), UNNAMED);
        assert_eq!(
            selection(Some(&[]), &[], &[]).decide(called("a.b", ""), &off).unwrap_err(),
            "the allowlist is empty"
        );
    }
}
