//! Reading a file into a configuration.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::base::nearest::nearest;

use super::lines::Lines;
use super::{Config, ConfigError, Named, Rule, Says, durations, rules};

#[derive(Default, Deserialize)]
#[serde(default)]
struct HooksTable {
    allow: Option<Vec<String>>,
    disable: Vec<String>,
    strict: Option<bool>,
    timeout: Option<toml::Value>,
    priority: BTreeMap<String, i32>,
    shadow: Vec<String>,
    rules: Option<toml::Value>,
    #[serde(flatten)]
    groups: toml::Table,
}

impl Config {
    /// Adds a file's text over what is there. `sections` are what the host itself reads: top-level tables by
    /// their names, lists of tables `[[hooks.NAME]]` as `hooks.NAME`; any other is an error. Nothing is
    /// changed if there is an error.
    ///
    /// # Errors
    /// If the text is not TOML, or holds a key that means nothing.
    pub fn add_toml(&mut self, file: &str, text: &str, sections: &[&str]) -> Result<(), ConfigError> {
        let content = |why: String| ConfigError::Content { file: file.to_owned(), why };
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| ConfigError::Syntax {
            file: file.to_owned(),
            why: error.to_string().trim().to_owned(),
        })?;
        let mut next = self.clone();
        next.turn += 1;
        let turn = next.turn;
        for (key, value) in table {
            let toml::Value::Table(table) = value else {
                return Err(content(format!("`{key}` must be a table, as in `[{key}]`")));
            };
            match key.as_str() {
                "hooks" => next.add_hooks(file, &Lines::of(text), table, sections).map_err(content)?,
                "background" => {
                    next.background_table.extend(table);
                    next.background =
                        next.background_table.clone().try_into().map_err(|e: toml::de::Error| {
                            content(format!("`[background]`: {}", e.message()))
                        })?;
                }
                name if sections.contains(&name) => {
                    next.sections.entry(key).or_default().add(table, file, turn);
                }
                name => {
                    let known = ["hooks", "background"].into_iter().chain(sections.iter().copied());
                    let nearest = nearest(name, known);
                    return Err(content(format!("unknown table `[{name}]`{nearest}")));
                }
            }
        }
        *self = next;
        Ok(())
    }

    fn add_hooks(
        &mut self,
        file: &str,
        lines: &Lines<'_>,
        table: toml::Table,
        sections: &[&str],
    ) -> Result<(), String> {
        let hooks: HooksTable =
            table.try_into().map_err(|e: toml::de::Error| format!("`[hooks]`: {}", e.message()))?;
        let named = |list: &str, names: Vec<String>| -> Vec<Named> {
            let names = names.into_iter().enumerate();
            names.map(|(index, name)| Named::in_file(name, lines.entry(file, list, index))).collect()
        };
        if let Some(allow) = hooks.allow {
            self.allow = Some(named("allow", allow));
        }
        self.disable.extend(named("disable", hooks.disable));
        self.strict = hooks.strict.or(self.strict);
        if let Some(value) = hooks.timeout {
            let limit = match value.as_str() {
                Some("never") => Ok(None),
                Some(text) => durations::parse(text).map(Some),
                None => Err(durations::UNITS.to_owned()),
            };
            let line = lines.line("timeout").map_or_else(String::new, |line| format!(" in line {line}"));
            let why = |why| format!("`[hooks]`: `timeout = {value}`{line}: {why}; \"never\" is no limit");
            self.timeout = Some(limit.map_err(why)?);
        }
        let shadow = named("shadow", hooks.shadow);
        let shadow = shadow.into_iter().map(|named| Rule { named, says: Says::Shadow(true) });
        let priorities = hooks.priority.into_iter().map(|(name, value)| {
            let place = lines.key(file, "priority", &name);
            Rule { named: Named::in_file(name, place), says: Says::Priority(value) }
        });
        let lists: Vec<Rule> = shadow.chain(priorities).collect();
        let rules = hooks.rules.as_ref().map(|rules| rules::read(file, lines, rules)).transpose()?;
        let rules = rules.unwrap_or_default();
        rules::said_twice(&lists, &rules)?;
        self.rules.extend(lists.into_iter().chain(rules));
        for (group, value) in hooks.groups {
            if sections.iter().any(|section| section.strip_prefix("hooks.") == Some(&*group)) {
                let toml::Value::Array(entries) = value else {
                    return Err(format!(
                        "`hooks.{group}` must be a list of tables, as in `[[hooks.{group}]]`"
                    ));
                };
                let entries = entries.into_iter().map(|entry| (entry, file.to_owned()));
                self.lists.entry(group).or_default().extend(entries);
                continue;
            }
            let toml::Value::Table(table) = value else {
                let known = ["allow", "disable", "strict", "timeout", "priority", "shadow", "rules"];
                let nearest = nearest(&group, known.into_iter());
                return Err(format!(
                    "`[hooks]`: unknown key `{group}`{nearest}; settings of hooks are tables, as in `[hooks.{group}]`"
                ));
            };
            let section = self.hooks.entry(group.clone()).or_default();
            section.add_with(table, (file, self.turn), |key| lines.key(file, &group, key));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn texts(names: &[Named]) -> Vec<&str> {
        names.iter().map(|named| named.text.as_str()).collect()
    }

    #[test]
    fn later_files_override_and_disable_adds_up() {
        let mut config = Config::new();
        config.add_toml("user", "[hooks]\nallow=['a']\ndisable=['x']\n[hooks.lint]\na=1\nb=1", &[]).unwrap();
        config.add_toml("project", "[hooks]\nallow=['b']\ndisable=['y']\n[hooks.lint]\nb=2", &[]).unwrap();
        assert_eq!(texts(config.allow.as_ref().unwrap()), ["b"]);
        assert_eq!(texts(&config.disable), ["x", "y"]);
        config.set("lint", "c", 3.into(), "a variable");
        let section = config.hook_table("lint", [].into_iter()).unwrap().unwrap();
        let number = |key: &str| section.table[key].as_integer();
        assert_eq!((number("a"), number("b"), number("c")), (Some(1), Some(2), Some(3)));
        assert_eq!((section.source("a"), section.source("b")), (Some("user"), Some("project")));
        assert_eq!((section.place("a"), section.place("b")), (Some("user:5"), Some("project:5")));
        assert_eq!((section.place("c"), section.place("d")), (Some("a variable"), None));
        assert_eq!(config.disable[1].to_string(), "`y` in project:3");
        assert_eq!(section.source_text(), "a variable and project and user");
    }

    #[test]
    fn lists_of_a_host_add_up_with_their_files() {
        let mut config = Config::new();
        config
            .add_toml("user", "[[hooks.scripts]]\na=1\n[[hooks.scripts]]\na=2", &["hooks.scripts"])
            .unwrap();
        config.add_toml("project", "[hooks]\nscripts=[7]", &["hooks.scripts"]).unwrap();
        let files: Vec<_> = config.list("scripts").map(|(_, file)| file).collect();
        assert_eq!(files, ["user", "user", "project"]);
        let error = config.add_toml("f", "[hooks.scripts]\na=1", &["hooks.scripts"]).unwrap_err().to_string();
        assert!(error.contains("must be a list of tables, as in `[[hooks.scripts]]`"), "{error}");
        let error = config.add_toml("f", "[[hooks.other]]\na=1", &["hooks.scripts"]).unwrap_err().to_string();
        assert!(error.contains("unknown key `other`"), "{error}");
    }

    #[test]
    fn a_host_limits_hooks_that_set_no_limit() {
        let limit = |texts: &[&str]| {
            let mut config = Config::new();
            texts.iter().try_for_each(|text| config.add_toml("f.toml", text, &[]))?;
            Ok::<_, ConfigError>(config.timeout)
        };
        let seconds = |seconds| Some(Some(Duration::from_secs(seconds)));
        assert_eq!(limit(&["", "[hooks]"]), Ok(None));
        assert_eq!(limit(&["[hooks]\ntimeout = '2m'"]), Ok(seconds(120)));
        assert_eq!(limit(&["[hooks]\ntimeout = 'never'", "[hooks.lint]\ntimeout = 3"]), Ok(Some(None)));
        assert_eq!(limit(&["[hooks]\ntimeout = 'never'", "[hooks]\ntimeout = '1s'"]), Ok(seconds(1)));
        for (value, part) in [
            ("30", "a length of time is a whole number with its unit"),
            ("'30'", "`30` of what?"),
            ("'soon'", "the units are"),
            ("'0s'", "no time at all"),
            ("{ s = 1 }", "\"never\" is no limit"),
            ("true", "\"never\" is no limit"),
        ] {
            let error = limit(&[&format!("[hooks]\n# how long\ntimeout = {value}")]).unwrap_err().to_string();
            assert!(
                error.starts_with("f.toml: `[hooks]`: `timeout = ") && error.contains("in line 3"),
                "{error}"
            );
            assert!(error.contains(part), "{error}");
        }
        assert!(limit(&["hooks.timeout = '1x'"]).unwrap_err().to_string().contains("in line 1"));
    }

    #[test]
    fn mistakes_name_the_culprit() {
        let mut config = Config::new();
        let error = config.add_toml("f.toml", "[hook]\nx=1", &["agent"]).unwrap_err().to_string();
        assert_eq!(error, "f.toml: unknown table `[hook]` (did you mean `hooks`?)");
        let error = config.add_toml("f.toml", "[hooks]\nalow=['x']", &[]).unwrap_err().to_string();
        assert!(error.contains("unknown key `alow` (did you mean `allow`?)"), "{error}");
        let error = config.add_toml("f.toml", "[hooks\n", &[]).unwrap_err().to_string();
        assert!(error.starts_with("f.toml is not valid TOML: "), "{error}");
    }
}
