//! Selection: which of the gathered hooks and tools run, by lists, modes and tools.

use wildmatch::WildMatch;

use crate::config::Named;
use crate::entry::{Mode, Options};

use super::HookInfo;

/// What a hook is called: its full name, the others that it goes by, its package.
#[derive(Clone, Copy)]
pub(crate) struct Called<'a> {
    pub(crate) name: &'a str,
    pub(crate) aliases: &'a [String],
    pub(crate) package: &'a str,
}

impl<'a> Called<'a> {
    pub(crate) fn of(info: &'a HookInfo) -> Self {
        Self { name: &info.name, aliases: &info.aliases, package: info.package }
    }

    pub(crate) fn names(self) -> impl Iterator<Item = &'a str> {
        [self.name].into_iter().chain(self.aliases.iter().map(String::as_str))
    }
}

/// One entry of an allowlist or a disable list: a full name, a group, a package, or a glob.
pub(crate) struct Pattern {
    pub(crate) named: Named,
    /// The name without its `+`.
    text: String,
    /// `+name`: beside what is on without it.
    adds: bool,
    glob: Option<WildMatch>,
}

impl Pattern {
    pub(crate) fn new(named: Named) -> Self {
        let text = named.text.clone();
        let glob = text.contains(['*', '?']).then(|| WildMatch::new(&text));
        Self { named, text, adds: false, glob }
    }

    /// An entry of an allowlist, where a `+` before the name means "beside what is on without it".
    pub(crate) fn allowing(named: Named) -> Self {
        let Some(rest) = named.text.strip_prefix('+').map(str::trim_start) else { return Self::new(named) };
        let pattern = Self::new(Named { text: rest.to_owned(), ..named.clone() });
        Self { named, adds: true, ..pattern }
    }

    pub(crate) fn matches(&self, hook: Called<'_>) -> bool {
        match &self.glob {
            Some(glob) => hook.names().any(|name| glob.matches(name)),
            None => self.names(hook) || (!hook.package.is_empty() && self.text == hook.package),
        }
    }

    /// Whether it is this hook's full name or group, spelled out.
    fn names(&self, hook: Called<'_>) -> bool {
        let text = self.text.as_str();
        hook.names()
            .any(|name| text == name || name.strip_prefix(text).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Whether it speaks of this very hook: its name, its group or its package, spelled out, or a glob within its group.
    fn means(&self, hook: Called<'_>) -> bool {
        let in_group = |name: &str| {
            let group = name.split('.').next().unwrap_or(name);
            self.text.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'))
        };
        self.matches(hook) && (self.glob.is_none() || hook.names().any(in_group))
    }

    /// The name without its `+`.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a hook of that group could match, whatever it is called.
    pub(crate) fn may_match_in(&self, group: &str) -> bool {
        let inside =
            self.text.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        inside
            || self
                .glob
                .as_ref()
                .is_some_and(|glob| glob.matches(group) || glob.matches(&format!("{group}.")))
    }

    /// Whether it speaks of tools.
    fn is_of_tools(&self) -> bool {
        self.text == "tool" || self.text.starts_with("tool.")
    }

    /// What an entry of an allowlist decided, in a few words.
    fn decided(&self) -> String {
        let decided = self.named.decided("allow");
        if self.adds { format!("added by {decided}") } else { decided }
    }
}

/// A configured priority for a hook or a group.
pub(crate) struct Priority {
    pub(crate) named: Named,
    pub(crate) value: i32,
}

impl Priority {
    pub(crate) fn new(named: Named, value: i32) -> Self {
        Self { named, value }
    }

    /// Whether it is for this hook alone (`true`) or for its group, if it is for it at all. Names from the environment
    /// are in capitals with `_` for what a variable's name cannot hold.
    pub(crate) fn fits(&self, hook: Called<'_>) -> Option<bool> {
        let text = self.named.text.as_str();
        let is = |name: &str| text == name || self.named.kind.is_capitals() && text == env_form(name);
        let own = hook.names().any(is);
        let group = hook.names().any(|name| is(name.split('.').next().unwrap_or(name)));
        (own || group).then_some(own)
    }

    /// Whether a hook of that group could be meant, whatever it is called.
    pub(crate) fn may_fit_in(&self, group: &str) -> bool {
        let (group, dot) =
            if self.named.kind.is_capitals() { (env_form(group), '_') } else { (group.to_owned(), '.') };
        let rest = self.named.text.strip_prefix(&group);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(dot))
    }
}

fn env_form(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// What was asked for.
#[derive(Default)]
pub(crate) struct Selection {
    pub(crate) allow: Option<Vec<Pattern>>,
    pub(crate) disable: Vec<Pattern>,
    pub(crate) priorities: Vec<Priority>,
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

    /// The configured priority of a hook: its own before its group's, the last source before earlier ones.
    pub(crate) fn priority(&self, hook: Called<'_>) -> Option<i32> {
        let mut chosen: Option<(bool, i32)> = None;
        for priority in &self.priorities {
            if let Some(own) = priority.fits(hook)
                && chosen.is_none_or(|(held, _)| own >= held)
            {
                chosen = Some((own, priority.value));
            }
        }
        chosen.map(|(_, value)| value)
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

/// ` (did you mean …?)` with up to three similar names, or nothing.
pub(crate) fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut scored: Vec<(f64, &str)> = known
        .map(|name| {
            let whole = strsim::jaro_winkler(wanted, name);
            let part = name.rsplit('.').next().map_or(0.0, |last| strsim::jaro_winkler(wanted, last));
            (whole.max(part), name)
        })
        .filter(|(score, _)| *score > 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    let names: Vec<_> = scored.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!(" (did you mean {}?)", names.join(" or ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::NameKind;

    fn called(name: &'static str, package: &'static str) -> Called<'static> {
        Called { name, aliases: &[], package }
    }

    fn selection(allow: Option<&[&str]>, disable: &[&str], modes: &[Mode]) -> Selection {
        let named = |text: &&str| Named::new(*text, "a test");
        Selection {
            allow: allow.map(|list| list.iter().map(named).map(Pattern::allowing).collect()),
            disable: disable.iter().map(named).map(Pattern::new).collect(),
            priorities: Vec::new(),
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

    #[test]
    fn environment_priorities_use_capitals() {
        let mut list = selection(None, &[], &[]);
        list.priorities = vec![
            Priority::new(Named::of(NameKind::Capitals, "LINTER", "X"), 20),
            Priority::new(Named::of(NameKind::Capitals, "LINTER_LINT", "X"), 30),
        ];
        assert_eq!(list.priority(called("linter.lint", "")), Some(30));
        assert_eq!(list.priority(called("linter.other", "")), Some(20));
        assert_eq!(list.priority(called("lint", "")), None);
    }

    #[test]
    fn similar_names_are_offered() {
        let known = ["linter.lint", "memory.save", "precommit.check"];
        assert_eq!(nearest("lintr", known.into_iter()), " (did you mean `linter.lint`?)");
        assert_eq!(nearest("zzz", known.into_iter()), "");
    }
}
