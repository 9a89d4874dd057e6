//! Other names of hooks and groups, declared where the hook is: `#[hook(POINT, aliases = ["old_group"])]`.

use std::collections::{BTreeSet, HashMap, HashSet};

/// The full names that a hook goes by beside its own: a bare alias is another name of its group.
pub(crate) fn expand(name: &str, aliases: &[&str]) -> Vec<String> {
    let function = name.split_once('.').map_or(name, |(_, function)| function);
    let full = |alias: &&str| match alias.contains('.') {
        true => (*alias).to_owned(),
        false => format!("{alias}.{function}"),
    };
    aliases.iter().map(full).filter(|alias| alias != name).collect()
}

pub(crate) fn group(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// What the hooks of a program are called, and what else.
#[derive(Debug, Default)]
pub(crate) struct Aliases {
    real: HashSet<String>,
    others: HashMap<String, BTreeSet<String>>,
}

impl Aliases {
    /// From each hook's full name and aliases.
    pub(crate) fn of<'a>(hooks: impl Iterator<Item = (&'a str, &'a [&'a str])> + Clone) -> Self {
        let real = hooks.clone().map(|(name, _)| group(name).to_owned()).collect();
        let mut all = Self { real, others: HashMap::new() };
        for (name, aliases) in hooks.filter(|(_, aliases)| !aliases.is_empty()) {
            let mut names = expand(name, aliases);
            all.keep_free(name, &mut names);
            let groups = names.iter().map(|alias| group(alias)).filter(|other| *other != group(name));
            let groups: BTreeSet<String> = groups.map(str::to_owned).collect();
            all.others.entry(group(name).to_owned()).or_default().extend(groups);
        }
        all
    }

    /// Takes out the aliases of a hook that are really another group's names.
    pub(crate) fn keep_free(&self, name: &str, aliases: &mut Vec<String>) {
        aliases.retain(|alias| group(alias) == group(name) || !self.real.contains(group(alias)));
    }

    /// Other names of a group.
    pub(crate) fn of_group(&self, group: &str) -> impl Iterator<Item = &str> {
        self.others.get(group).into_iter().flatten().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_alias_is_the_groups_and_a_real_group_keeps_its_name() {
        assert_eq!(expand("new.note", &["old", "other.tell"]), ["old.note", "other.tell"]);
        assert_eq!(expand("new.note", &["new"]), [""; 0]);
        let hooks: [(&str, &[&str]); 2] = [("new.note", &["old", "taken", "new.tell"]), ("taken.x", &[])];
        let aliases = Aliases::of(hooks.into_iter());
        assert_eq!(aliases.of_group("new").collect::<Vec<_>>(), ["old"]);
        let mut names = expand(hooks[0].0, hooks[0].1);
        aliases.keep_free("new.note", &mut names);
        assert_eq!(names, ["old.note", "new.tell"]);
    }
}
