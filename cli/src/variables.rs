//! Variables that people who come from gptme have set: each is one key of one group's settings here.
//!
//! Hooks read no environment themselves: what is in force is seen in `hookspec list --explain`, with the
//! variable as its source. A variable counts over the files, as it does there.

use hookspec::Config;

/// What a variable's text means.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// `1`, `true`, `yes`, `on` or the opposite; any other text is an error, so that `=ture` is seen.
    Switch,
    /// A whole number.
    Number,
    /// The text as it is.
    Text,
    /// That it is there at all.
    Given,
}

/// Variable, group, key, kind. A later row of one key counts over an earlier one.
const VARIABLES: [(&str, &str, &str, Kind); 23] = [
    ("FRESH", "active_context", "enabled", Kind::Switch),
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
    ("CC_MODEL", "manifest", "model", Kind::Text),
    ("GPTME_MODEL", "manifest", "model", Kind::Text),
    ("FORM_AUTO_DETECT", "form_autodetect", "enabled", Kind::Switch),
    ("GPTME_FORM_AUTO_DETECT", "form_autodetect", "enabled", Kind::Switch),
    ("DING", "cli_confirm", "bell", Kind::Switch),
    ("GPTME_DING", "cli_confirm", "bell", Kind::Switch),
];

/// A variable that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the environment variable {name} holds `{text}`; it takes {wanted}")]
pub(crate) struct VariableError {
    name: &'static str,
    text: String,
    wanted: &'static str,
}

/// Adds what the variables say, over what is there; returns what cannot be used, which is left out.
///
/// An empty variable says nothing.
pub(crate) fn add(config: &mut Config, lookup: impl Fn(&str) -> Option<String>) -> Vec<VariableError> {
    let mut errors = Vec::new();
    for (name, group, key, kind) in VARIABLES {
        let Some(text) = lookup(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        else {
            continue;
        };
        match kind.read(&text) {
            Ok(value) => config.set(group, key, value, name),
            Err(wanted) => errors.push(VariableError { name, text, wanted }),
        }
    }
    errors
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

    fn told(variables: &[(&str, &str)]) -> (Config, Vec<String>) {
        let mut config = Config::new();
        let find =
            |name: &str| variables.iter().find(|(held, _)| *held == name).map(|(_, text)| (*text).to_owned());
        let errors = add(&mut config, find);
        (config, errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn each_kind_is_read_and_what_cannot_be_is_named() {
        let (_, errors) = told(&[
            ("GPTME_FRESH", " YES "),
            ("GPTME_DING", ""),
            ("GPTME_MANIFEST_DIR", "/records"),
            ("GPTME_SESSION_BUDGET_TOKENS", "80"),
        ]);
        assert!(errors.is_empty(), "{errors:?}");
        let (_, errors) = told(&[("GPTME_FRESH", "ture"), ("GPTME_SESSION_BUDGET_TOKENS", "80k")]);
        assert_eq!(
            errors,
            [
                "the environment variable GPTME_FRESH holds `ture`; it takes `true` or `false`",
                "the environment variable GPTME_SESSION_BUDGET_TOKENS holds `80k`; it takes a whole number",
            ]
        );
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
                let (config, errors) = told(&[(name, text)]);
                assert!(errors.is_empty(), "{errors:?}");
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
