//! Variables that people who come from gptme have set: lists, priorities, and keys of groups' settings here.
//!
//! Hooks read no environment themselves: what is in force is seen in `hookspec list --explain`, with the
//! variable as its source. A variable counts over the files, as it does there. Those without gptme's prefix
//! (`FRESH`, `DING`) may be anybody's and are not read.

use std::collections::BTreeMap;

use hookspec::Config;

/// What a variable's text means.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// `1`, `true`, `yes`, `on` or the opposite; any other text is told, so that `=ture` is seen.
    Switch,
    /// A whole number.
    Number,
    /// The text as it is.
    Text,
    /// That it is there at all.
    Given,
}

/// Variable, group, key, kind.
const VARIABLES: [(&str, &str, &str, Kind); 19] = [
    ("GPTME_FRESH", "active_context", "enabled", Kind::Switch),
    ("GPTME_AUTO_SNAPSHOTS", "auto_snapshots", "enabled", Kind::Switch),
    ("GPTME_AUTO_SNAPSHOT_MAX", "auto_snapshots", "max", Kind::Number),
    ("GPTME_AW_WATCHER_AGENT", "aw_watcher_agent", "enabled", Kind::Switch),
    ("GPTME_AW_WATCHER_AGENT_COMMAND", "aw_watcher_agent", "command", Kind::Text),
    ("GPTME_AW_WATCHER_SERVER", "aw_watcher_agent", "server", Kind::Text),
    ("GPTME_AW_WATCHER_HOSTNAME", "aw_watcher_agent", "hostname", Kind::Text),
    ("GPTME_AW_WATCHER_TRIGGER", "aw_watcher_agent", "trigger", Kind::Text),
    ("GPTME_AW_WATCHER_CATEGORY", "aw_watcher_agent", "category", Kind::Text),
    ("GPTME_SESSION_BUDGET_USD", "cost_awareness", "budget_usd", Kind::Text),
    ("GPTME_SESSION_BUDGET_TOKENS", "cost_awareness", "budget_tokens", Kind::Number),
    ("GPTME_BUDGET_WARN_PCT", "cost_awareness", "warn_pct", Kind::Text),
    ("GPTME_INJECTION_HYGIENE", "injection_screening", "mode", Kind::Text),
    ("GPTME_MANIFEST_DIR", "manifest", "enabled", Kind::Given),
    ("GPTME_MANIFEST_DIR", "manifest", "dir", Kind::Text),
    ("GPTME_SESSION_ID", "manifest", "session_id", Kind::Text),
    ("GPTME_MODEL", "manifest", "model", Kind::Text),
    ("GPTME_FORM_AUTO_DETECT", "form_autodetect", "enabled", Kind::Switch),
    ("GPTME_DING", "cli_confirm", "bell", Kind::Switch),
];

/// gptme's allowlists, the one that counts first. The bare one may be anybody's.
const ALLOWLISTS: [&str; 2] = ["GPTME_HOOK_ALLOWLIST", "HOOK_ALLOWLIST"];

const DISABLED: &str = "GPTME_HOOKS_DISABLED";

/// gptme's lists of hooks. They are for hosts that are agents themselves, as gptme is: from another agent's hooks they
/// would take the guards, unseen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    allow: Option<(&'static str, String)>,
    disable: Option<String>,
}

impl Lists {
    /// Those that are in force: ours say otherwise first.
    pub(crate) fn read(variables: &BTreeMap<String, String>) -> Self {
        let said = |name: &str| variables.get(name).filter(|text| !text.trim().is_empty()).cloned();
        let allow = ALLOWLISTS.into_iter().find_map(|name| Some((name, said(name)?)));
        Self { allow: allow.filter(|_| said("HOOKSPEC_ALLOW").is_none()), disable: said(DISABLED) }
    }

    /// Adds what they say over what is there.
    pub(crate) fn add(&self, config: &mut Config) {
        if let Some((name, list)) = &self.allow {
            config.foreign(name).allow(list);
        }
        if let Some(list) = &self.disable {
            config.foreign(DISABLED).disable(list);
        }
    }
}

/// Adds what gptme's variables say beside its lists, over what is there; an empty one says nothing.
///
/// They were set for another program: what cannot be used here is a warning and stops nobody.
pub(crate) fn add(config: &mut Config, variables: &BTreeMap<String, String>) {
    for (name, text) in variables {
        if let Some(hook) = name.strip_prefix("GPTME_HOOK_PRIORITY_") {
            config.foreign(name).priority(hook, text);
        }
    }
    for (name, group, key, kind) in VARIABLES {
        let Some(text) = variables.get(name).map(|text| text.trim()).filter(|text| !text.is_empty()) else {
            continue;
        };
        match kind.read(text) {
            Ok(value) => config.foreign(name).set(group, key, value),
            Err(wanted) => config.foreign(name).refuse(text, wanted),
        }
    }
}

/// Our prefix.
const OURS: &str = "HOOKSPEC_";

/// What the program reads, behind the prefix.
const READ: [&str; 7] = ["ALLOW", "DISABLE", "SHADOW", "HOME", "LOGS_HOME", "LOG", "PATH"];

/// What it gives to what it starts, which may start it again; what benches and examples read.
const OTHERS: [&str; 11] = [
    "RUN",
    "EVENT",
    "WORKSPACE",
    "LOGDIR",
    "MODEL",
    "SESSION",
    "CWD",
    "TOOL",
    "CWD_NOTE",
    "PROGRAM",
    "HERMES_BLESS",
];

/// Variables that carry our prefix and mean nothing, each in a sentence.
pub(crate) fn misspelt(variables: &BTreeMap<String, String>) -> Vec<String> {
    let unknown = |name: &&str| {
        let is_known = READ.contains(name) || OTHERS.contains(name);
        !is_known && !["PRIORITY_", "TEST_"].iter().any(|prefix| name.starts_with(prefix))
    };
    let names = variables.keys().filter_map(|name| name.strip_prefix(OURS)).filter(unknown);
    let told = names.map(|name| {
        // Without the prefix: with it, everything is alike.
        let alike = READ.map(|read| (strsim::jaro_winkler(name, read), read));
        let best = alike.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score > 0.8);
        let meant = best.map_or_else(String::new, |(_, read)| format!("; did you mean `{OURS}{read}`?"));
        format!("the environment variable {OURS}{name} means nothing to this program{meant}")
    });
    told.collect()
}

impl Kind {
    fn read(self, text: &str) -> Result<toml::Value, &'static str> {
        match self {
            Self::Text => Ok(text.into()),
            Self::Given => Ok(true.into()),
            Self::Number => text.parse::<i64>().map(Into::into).map_err(|_| "a whole number"),
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(true.into()),
                "0" | "false" | "no" | "off" => Ok(false.into()),
                _ => Err("`true` or `false`"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(variables: &[(&str, &str)]) -> BTreeMap<String, String> {
        variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn told(variables: &[(&str, &str)]) -> (Config, Vec<String>) {
        let mut config = Config::new();
        add(&mut config, &held(variables));
        let registry = hookspec::Registry::builder().config(config.clone()).build().unwrap();
        let warnings = registry.report().warnings.iter().map(ToString::to_string).collect();
        (config, warnings)
    }

    #[test]
    fn each_kind_is_read_and_what_cannot_be_is_named_and_stops_nobody() {
        let (_, warnings) = told(&[
            ("GPTME_FRESH", " YES "),
            ("GPTME_DING", ""),
            ("GPTME_MANIFEST_DIR", "/records"),
            ("GPTME_SESSION_BUDGET_TOKENS", "80"),
        ]);
        assert!(warnings.is_empty(), "{warnings:?}");
        let (_, warnings) = told(&[
            ("GPTME_FRESH", "ture"),
            ("GPTME_SESSION_BUDGET_TOKENS", "80k"),
            ("GPTME_INJECTION_HYGIENE", "blok"),
            ("GPTME_HOOK_PRIORITY_TIME_AWARENESS", "high"),
        ]);
        let [priority, tokens, fresh, hygiene] = &*warnings else { panic!("{warnings:?}") };
        for (warning, part) in [
            (fresh, "GPTME_FRESH holds `ture`; it takes `true` or `false`; it counts for nothing here"),
            (tokens, "GPTME_SESSION_BUDGET_TOKENS holds `80k`; it takes a whole number"),
            (hygiene, "GPTME_INJECTION_HYGIENE does not fit `mode` in `[hooks.injection_screening]`: "),
            (priority, "GPTME_HOOK_PRIORITY_TIME_AWARENESS holds `high`; it takes a whole number"),
        ] {
            assert!(warnings.iter().any(|warning| warning.contains(part)), "{part} in {warning}");
        }
    }

    #[test]
    fn the_bare_allowlist_yields_to_both_others() {
        let allow = |variables: &[(&str, &str)]| Lists::read(&held(variables)).allow;
        let bare = ("HOOK_ALLOWLIST", "a");
        assert_eq!(allow(&[bare]), Some(("HOOK_ALLOWLIST", "a".to_owned())));
        assert_eq!(allow(&[bare, ("HOOKSPEC_ALLOW", "")]), Some(("HOOK_ALLOWLIST", "a".to_owned())));
        let prefixed = ("GPTME_HOOK_ALLOWLIST", "b");
        assert_eq!(allow(&[bare, prefixed]), Some(("GPTME_HOOK_ALLOWLIST", "b".to_owned())));
        for other in [bare, prefixed] {
            assert_eq!(allow(&[other, ("HOOKSPEC_ALLOW", "c")]), None);
        }
        assert_eq!(allow(&[("HOOK_ALLOWLIST", " ")]), None);
    }

    #[test]
    fn a_variable_of_ours_that_means_nothing_is_told_with_the_one_that_was_meant() {
        let one = |name: &str| misspelt(&held(&[(name, "x")]));
        for (name, meant) in [
            ("HOOKSPEC_DISABLED", "; did you mean `HOOKSPEC_DISABLE`?"),
            ("HOOKSPEC_ALOW", "; did you mean `HOOKSPEC_ALLOW`?"),
            ("HOOKSPEC_LOG_HOME", "; did you mean `HOOKSPEC_LOGS_HOME`?"),
            ("HOOKSPEC_ZZZ", "means nothing to this program"),
        ] {
            let said = one(name);
            assert!(said.len() == 1 && said[0].contains(name) && said[0].ends_with(meant), "{said:?}");
        }
        let known = READ.iter().chain(&OTHERS).map(|name| format!("{OURS}{name}"));
        let more = ["HOOKSPEC_PRIORITY_LINTER", "HOOKSPEC_TEST_KILL_LOGS", "HOOKSPECS", "GPTME_ALOW"];
        for name in known.chain(more.map(str::to_owned)) {
            assert!(one(&name).is_empty(), "{name}");
        }
    }

    #[test]
    fn only_names_with_gptmes_prefix_are_read_here() {
        assert!(VARIABLES.iter().all(|(name, ..)| name.starts_with("GPTME_")));
    }

    #[test]
    fn every_variable_sets_a_key_that_its_group_has() {
        let samples = |kind| match kind {
            Kind::Switch => vec!["true"],
            Kind::Number => vec!["7"],
            Kind::Given => vec!["whatever"],
            // A number in a text key of money, a word in a key with words of its own, a program.
            Kind::Text => vec!["7", "block", "program", "/records"],
        };
        let linked: Vec<_> = hookspec::plugins![hookspec_builtins].collect();
        assert!(!linked.is_empty());
        for (name, group, key, kind) in VARIABLES {
            let taken = samples(kind).into_iter().any(|text| {
                let (config, _) = told(&[(name, text)]);
                let registry = hookspec::Registry::builder().config(config).allow([group]).build();
                registry.is_ok_and(|registry| {
                    registry.settings_of(group).is_some_and(|settings| {
                        settings
                            .iter()
                            .any(|setting| setting.key == key && setting.source.as_deref() == Some(name))
                    })
                })
            });
            assert!(taken, "{name} sets `{key}` of `{group}`, which takes none of the samples");
        }
    }
}
