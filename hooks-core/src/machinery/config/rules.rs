//! What the operator says of a hook, whatever its author says: `[hooks.rules."NAME"]`, `[hooks] priority` and `shadow`, and the
//! variables that say the same.

use super::lines::Lines;
use super::{Named, Rule, Says, durations};

const KEYS: [&str; 10] = [
    "priority",
    "before",
    "after",
    "tools",
    "paths",
    "timeout",
    "budget",
    "quarantine",
    "on_failure",
    "shadow",
];

impl Says {
    fn read(key: &str, value: &toml::Value) -> Result<Self, String> {
        let names = || {
            let one = value.as_str().map(|name| vec![name.to_owned()]);
            let list = || {
                let list = value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
                list.collect::<Option<Vec<_>>>()
            };
            one.or_else(list).ok_or("takes a name, or a list of names")
        };
        let length = || value.as_str().ok_or_else(|| durations::UNITS.to_owned()).and_then(durations::parse);
        let never = value.as_str() == Some("never");
        let number = value.as_integer();
        Ok(match key {
            "priority" => {
                let priority = number.and_then(|number| i32::try_from(number).ok());
                Self::Priority(priority.ok_or("takes a whole number")?)
            }
            "before" => Self::Before(names()?),
            "after" => Self::After(names()?),
            // All of them is a list too, and none is what nobody means.
            "tools" | "paths" if names()?.is_empty() => {
                return Err("is an empty list, which lets nothing through; `[\"*\"]` is all".to_owned());
            }
            "tools" => Self::Tools(names()?),
            "paths" => Self::Paths(names()?),
            "timeout" if never => Self::Timeout(None),
            "timeout" => {
                Self::Timeout(Some(length().map_err(|why| format!("{why}; \"never\" is no limit"))?))
            }
            "budget" => Self::Budget(length()?),
            "quarantine" if never => Self::Quarantine(None),
            "quarantine" => {
                let most = number.and_then(|number| u32::try_from(number).ok()).filter(|most| *most > 0);
                Self::Quarantine(Some(most.ok_or("takes a number of failures, 1 or more, or \"never\"")?))
            }
            "on_failure" => match value.as_str() {
                Some("deny") => Self::FailOpen(false),
                Some("pass") => Self::FailOpen(true),
                _ => return Err("takes \"deny\" or \"pass\"".to_owned()),
            },
            "shadow" => Self::Shadow(value.as_bool().ok_or("takes true or false")?),
            _ => {
                let nearest = crate::base::nearest::nearest(key, KEYS.into_iter());
                return Err(format!("is no key of a rule{nearest}; the keys are {}", KEYS.join(", ")));
            }
        })
    }
}

/// Reads `[hooks.rules]`: a table for each name.
pub(super) fn read(file: &str, lines: &Lines<'_>, rules: &toml::Value) -> Result<Vec<Rule>, String> {
    let shape =
        || "`hooks.rules` holds a table for each hook, as in `[hooks.rules.\"linter.lint\"]`".to_owned();
    let mut read = Vec::new();
    for (name, said) in rules.as_table().ok_or_else(shape)? {
        for (key, value) in said.as_table().ok_or_else(shape)? {
            let place = lines.rule(file, name, key);
            let says = Says::read(key, value).map_err(|why| {
                let line = place.strip_prefix(file).and_then(|line| line.strip_prefix(':'));
                let line = line.map_or_else(String::new, |line| format!(" in line {line}"));
                format!("`[hooks.rules.\"{name}\"]`: `{key}`{line} {why}")
            })?;
            read.push(Rule { named: Named::in_file(name.as_str(), place), says });
        }
    }
    Ok(read)
}

/// Complains where one file says the same of one name in a list and in a rule.
pub(super) fn said_twice(lists: &[Rule], rules: &[Rule]) -> Result<(), String> {
    for rule in rules {
        let key = rule.says.key();
        let same = |listed: &&Rule| listed.says.key() == key && listed.named.text == rule.named.text;
        if let Some(listed) = lists.iter().find(same) {
            let name = &rule.named.text;
            return Err(format!(
                "`[hooks] {key}` ({}) and `[hooks.rules.\"{name}\"]` ({}) both say `{key}` of `{name}`; keep one",
                listed.named.source, rule.named.source
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn said(text: &str) -> Result<Vec<(String, &'static str, String)>, String> {
        let mut config = Config::new();
        config.add_toml("f", text, &[]).map_err(|error| error.to_string())?;
        let rules = config.rules.iter();
        Ok(rules.map(|rule| (rule.named.source.clone(), rule.says.key(), rule.says.shown())).collect())
    }

    #[test]
    fn every_key_is_read_with_its_line() {
        let text = "[hooks]\nshadow = ['a', 'b.c']\npriority = { d = 3 }\n[hooks.rules.x]\npriority = -5\nbefore = 'y'\nafter = []\n\
            tools = ['shell']\n[hooks.rules.\"x.y\"]\npaths = ['*.py']\ntimeout = '30s'\nbudget = '1ms'\nquarantine = 3\n\
            on_failure = 'pass'\nshadow = false\n[hooks.rules.'*']\ntimeout = 'never'\nquarantine = 'never'\non_failure = 'deny'\n";
        let mut lines: Vec<_> =
            said(text).unwrap().into_iter().map(|(at, key, value)| format!("{at} {key} {value}")).collect();
        lines.sort_by_key(|line| line[2..].split(' ').next().and_then(|line| line.parse::<u32>().ok()));
        assert_eq!(
            lines,
            [
                "f:2 shadow true",
                "f:2 shadow true",
                "f:3 priority 3",
                "f:5 priority -5",
                "f:6 before [\"y\"]",
                "f:7 after []",
                "f:8 tools [\"shell\"]",
                "f:10 paths [\"*.py\"]",
                "f:11 timeout \"30s\"",
                "f:12 budget \"1ms\"",
                "f:13 quarantine 3",
                "f:14 on_failure \"pass\"",
                "f:15 shadow false",
                "f:17 timeout \"never\"",
                "f:18 quarantine \"never\"",
                "f:19 on_failure \"deny\"",
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_says_where_and_what_it_takes() {
        for (text, part) in [
            (
                "[hooks.rules.x]\nprioritty = 1",
                "`[hooks.rules.\"x\"]`: `prioritty` in line 2 is no key of a rule (did you mean `priority`?)",
            ),
            ("[hooks.rules.x]\n\npriority = 'high'", "`priority` in line 3 takes a whole number"),
            ("[hooks.rules.x]\npriority = 5000000000", "takes a whole number"),
            ("[hooks.rules.x]\ntools = []", "empty list"),
            ("[hooks.rules.x]\nbefore = [1]", "a list of names"),
            ("[hooks.rules.x]\nquarantine = 0", "1 or more"),
            ("[hooks.rules.x]\nquarantine = -1", "1 or more"),
            ("[hooks.rules.x]\non_failure = 'open'", "\"deny\" or \"pass\""),
            ("[hooks.rules.x]\ntimeout = 30", "\"never\" is no limit"),
            ("[hooks.rules.x]\nshadow = 'yes'", "true or false"),
            ("[hooks.rules]\nx = 3", "a table for each hook"),
            ("[hooks]\nrules = ['x']", "a table for each hook"),
            (
                "[hooks]\nshadow = ['x']\n[hooks.rules.x]\nshadow = false",
                "(f:2) and `[hooks.rules.\"x\"]` (f:4) both say `shadow` of `x`",
            ),
            ("[hooks]\npriority = { x = 1 }\n[hooks.rules.x]\npriority = 2", "both say `priority` of `x`"),
        ] {
            let why = said(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
