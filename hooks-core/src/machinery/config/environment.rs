//! What variables say: ours, whose mistakes are errors, and those of other systems, whose mistakes are not ours.

use super::{Config, ConfigError, NameKind, Named, Rule, Says};

impl Config {
    /// Adds what the variables `HOOKSPEC_ALLOW`, `HOOKSPEC_DISABLE`, `HOOKSPEC_SHADOW` and `HOOKSPEC_PRIORITY_<NAME>` say over what is
    /// there; no other is looked at. Empty variables count as unset.
    ///
    /// # Errors
    /// If a priority is not a whole number.
    pub fn add_env(
        &mut self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        let mut priorities = Vec::new();
        for (name, value) in variables.into_iter().filter(|(_, value)| !value.trim().is_empty()) {
            match name.as_str() {
                "HOOKSPEC_ALLOW" => {
                    self.allow = Some(names(NameKind::Plain, &value, &name));
                    // Ours counts before another system's.
                    self.foreign_allow = None;
                }
                "HOOKSPEC_DISABLE" => self.disable.extend(names(NameKind::Plain, &value, &name)),
                "HOOKSPEC_SHADOW" => {
                    let names = names(NameKind::Plain, &value, &name).into_iter();
                    self.rules.extend(names.map(|named| Rule { named, says: Says::Shadow(true) }));
                }
                _ => {
                    if let Some(hook) = name.strip_prefix("HOOKSPEC_PRIORITY_") {
                        priorities.push((Named::of(NameKind::Capitals, hook, &name), number(&name, &value)?));
                    }
                }
            }
        }
        // By name, so that the order of the environment is nothing.
        priorities.sort_by(|a, b| a.0.text.cmp(&b.0.text));
        let says = priorities.into_iter().map(|(named, value)| Rule { named, says: Says::Priority(value) });
        self.rules.extend(says);
        Ok(())
    }

    /// What a variable of another system says, for people who come from there.
    ///
    /// It was not written for this program: names in it that mean nothing here, and values that cannot be used, are
    /// warnings in the registry's report and stop nobody.
    ///
    /// ```
    /// use hookspec::{Config, Registry};
    ///
    /// let mut config = Config::new();
    /// config.foreign("GPTME_HOOKS_DISABLED").disable("linter.lint, only_there.hook");
    /// let registry = Registry::builder().config(config).build()?;
    /// assert!(registry.report().warnings.iter().any(|warning| warning.to_string().contains("only_there.hook")));
    /// # Ok::<(), hookspec::registry::BuildError>(())
    /// ```
    pub fn foreign<'c>(&'c mut self, variable: &'c str) -> Foreign<'c> {
        Foreign { config: self, variable }
    }
}

/// A variable of another system, made by [`Config::foreign`]. Each method adds what it says over what is there; an
/// empty text says nothing.
#[derive(Debug)]
pub struct Foreign<'c> {
    config: &'c mut Config,
    variable: &'c str,
}

impl Foreign<'_> {
    /// Only these hooks: names, separated by commas.
    ///
    /// A list of which no name is known in the program is not applied, which is a warning: it would switch everything
    /// off, and was never meant to. One that is applied is a warning too where it takes gates out.
    pub fn allow(self, list: &str) {
        if !list.trim().is_empty() {
            self.config.foreign_allow = Some(names(NameKind::Foreign, list, self.variable));
        }
    }

    /// Not these hooks: names, separated by commas.
    pub fn disable(self, list: &str) {
        self.config.disable.extend(names(NameKind::Foreign, list, self.variable));
    }

    /// The priority of a hook or a group, whose name is a part of the variable's: in capitals, with `_` for dots.
    pub fn priority(self, hook: &str, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        match number(self.variable, value) {
            Ok(number) => {
                let named = Named::of(NameKind::ForeignCapitals, hook, self.variable);
                self.config.rules.push(Rule { named, says: Says::Priority(number) });
            }
            Err(error) => self.config.unusable.push(error),
        }
    }

    /// One key of a group's settings. A program without such hooks has no use for it, and does not mind.
    pub fn set(self, group: &str, key: &str, value: toml::Value) {
        let section = self.config.hooks.entry(group.to_owned()).or_default();
        section.foreign.push((key.to_owned(), value, self.variable.to_owned()));
    }

    /// Says that its value cannot be used: it takes `wanted`.
    pub fn refuse(self, value: &str, wanted: &'static str) {
        let (name, value) = (self.variable.to_owned(), value.to_owned());
        self.config.unusable.push(ConfigError::Environment { name, value, wanted });
    }
}

fn names(kind: NameKind, list: &str, variable: &str) -> Vec<Named> {
    let entries = list.split(',').filter(|entry| !entry.trim().is_empty());
    entries.map(|entry| Named::of(kind, entry, variable)).collect()
}

fn number(variable: &str, value: &str) -> Result<i32, ConfigError> {
    value.trim().parse().map_err(|_| ConfigError::Environment {
        name: variable.to_owned(),
        value: value.to_owned(),
        wanted: "a whole number",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn texts(names: &[Named]) -> Vec<&str> {
        names.iter().map(|named| named.text.as_str()).collect()
    }

    #[test]
    fn lists_are_trimmed_and_ours_win_over_foreign_ones() {
        let mut config = Config::new();
        config.foreign("GPTME_HOOK_ALLOWLIST").allow("older");
        config.foreign("GPTME_HOOKS_DISABLED").disable("linter.lint,precommit.precommit_check");
        config.foreign("GPTME_HOOK_PRIORITY_LINTER").priority("LINTER", " 20 ");
        config
            .add_env(env(&[
                ("HOOKSPEC_ALLOW", " a , b.c,, "),
                ("HOOKSPEC_DISABLE", ""),
                ("HOOK_ALLOWLIST", "x"),
            ]))
            .unwrap();
        assert_eq!(texts(config.allow.as_ref().unwrap()), ["a", "b.c"]);
        assert!(config.foreign_allow.is_none(), "ours counts before it");
        assert_eq!(texts(&config.disable), ["linter.lint", "precommit.precommit_check"]);
        assert_eq!(config.rules[0].says, Says::Priority(20));
        config.foreign("GPTME_HOOK_ALLOWLIST").allow(" ");
        assert!(config.foreign_allow.is_none(), "an empty variable says nothing");
    }

    #[test]
    fn a_priority_that_is_no_number_is_an_error_in_ours_and_none_in_theirs() {
        let mut config = Config::new();
        let error = config.add_env(env(&[("HOOKSPEC_PRIORITY_X", "high")])).unwrap_err().to_string();
        assert_eq!(
            error,
            "the environment variable HOOKSPEC_PRIORITY_X holds `high`; it takes a whole number"
        );
        config.foreign("GPTME_HOOK_PRIORITY_X").priority("X", "high");
        assert_eq!(config.unusable.len(), 1);
        assert!(config.rules.is_empty());
    }
}
