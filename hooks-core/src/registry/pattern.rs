//! Patterns: the entries of lists, and what they fit.

use crate::base::glob::Glob;
use crate::machinery::config::Named;
use crate::plain::hook_info::HookInfo;

/// What a hook is called: its full name, the others that it goes by, its package.
#[derive(Clone, Copy)]
pub(crate) struct Called<'a> {
    pub(crate) name: &'a str,
    pub(crate) aliases: &'a [String],
    pub(crate) package: &'a str,
}

impl<'a> Called<'a> {
    pub(crate) fn of(info: &'a HookInfo) -> Self {
        Self { name: &info.name, aliases: &info.aliases, package: &info.package }
    }

    pub(crate) fn names(self) -> impl Iterator<Item = &'a str> {
        [self.name].into_iter().chain(self.aliases.iter().map(String::as_str))
    }
}

/// One entry of an allowlist or a disable list: a full name, a group, a package, or a glob.
pub(crate) struct Pattern {
    pub(crate) named: Named,
    /// The name without its `+`.
    pub(super) text: String,
    /// `+name`: beside what is on without it.
    pub(super) adds: bool,
    glob: Option<Glob>,
}

impl Pattern {
    pub(crate) fn new(named: Named) -> Self {
        let text = named.text.clone();
        let glob = text.contains(['*', '?']).then(|| Glob::new(&text));
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
    pub(crate) fn names(&self, hook: Called<'_>) -> bool {
        let text = self.text.as_str();
        hook.names()
            .any(|name| text == name || name.strip_prefix(text).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Whether it speaks of this very hook: its name, its group or its package, spelled out, or a glob within its group.
    pub(super) fn means(&self, hook: Called<'_>) -> bool {
        let in_group = |name: &str| {
            let group = name.split('.').next().unwrap_or(name);
            self.text.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'))
        };
        self.matches(hook) && (self.glob.is_none() || hook.names().any(in_group))
    }

    pub(crate) fn is_glob(&self) -> bool {
        self.glob.is_some()
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
    pub(super) fn is_of_tools(&self) -> bool {
        self.text == "tool" || self.text.starts_with("tool.")
    }

    /// What an entry of an allowlist decided, in a few words.
    pub(super) fn decided(&self) -> String {
        let decided = self.named.decided("allow");
        if self.adds { format!("added by {decided}") } else { decided }
    }
}

pub(crate) fn env_form(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}
