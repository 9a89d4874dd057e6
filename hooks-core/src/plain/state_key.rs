//! Under which key a state is saved: one that survives the move of its type to another module.

use std::any::{TypeId, type_name};
use std::collections::{BTreeMap, BTreeSet};

use crate::base::by_type::ByType;
/// The state that a hook asks for; `#[hook]` makes it from the type of the `state` parameter.
#[derive(Clone, Copy)]
pub struct StateSpec {
    id: fn() -> TypeId,
    name: fn() -> &'static str,
    key: Option<&'static str>,
}

impl StateSpec {
    /// A state of type `T`, saved under the hook's group and the type's name. What it must be able to do is asked where it is
    /// taken, once.
    #[must_use]
    pub const fn of<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>, name: type_name::<T>, key: None }
    }

    /// The same, saved under this key.
    #[must_use]
    pub const fn saved_as(mut self, key: &'static str) -> Self {
        self.key = Some(key);
        self
    }
}

impl std::fmt::Debug for StateSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StateSpec({})", (self.name)())
    }
}

/// Where a state is saved, and where else it may have been saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    /// Given with `#[state("…")]`.
    given: Option<&'static str>,
    /// By the groups of the hooks that ask for it.
    by_group: BTreeSet<String>,
    /// By other names of these groups.
    by_alias: BTreeSet<String>,
}

/// Two states that would be saved under one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateClash {
    pub(crate) key: String,
    pub(crate) types: [&'static str; 2],
}

/// The keys of all states that hooks of a program ask for.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateKeys(ByType<(Keys, &'static str)>);

impl StateKeys {
    /// A hook of that group asks for a state. `aliases` are other names of the group.
    pub(crate) fn add<'a>(&mut self, group: &str, aliases: impl Iterator<Item = &'a str>, spec: StateSpec) {
        let name = (spec.name)();
        let last = last_name(name);
        let (keys, _) = self.0.entry((spec.id)()).or_insert_with(|| (Keys::default(), name));
        keys.given = keys.given.or(spec.key);
        keys.by_group.insert(format!("{group}.{last}"));
        keys.by_alias.extend(aliases.map(|alias| format!("{alias}.{last}")));
    }

    /// States whose keys are the same.
    pub(crate) fn clashes(&self) -> Vec<StateClash> {
        let mut held: BTreeMap<&str, &'static str> = BTreeMap::new();
        let mut all: Vec<_> = self.0.values().collect();
        all.sort_by_key(|(_, name)| *name);
        let mut clashes = Vec::new();
        for (keys, name) in all {
            if let Some(first) = keys.saved_as().and_then(|key| held.insert(key, name)) {
                let key = keys.saved_as().unwrap_or_default().to_owned();
                clashes.push(StateClash { key, types: [first, name] });
            }
        }
        clashes
    }

    pub(crate) fn get<T: 'static>(&self) -> Keys {
        self.0.get(&TypeId::of::<T>()).map(|(keys, _)| keys.clone()).unwrap_or_default()
    }
}

impl Keys {
    fn saved_as(&self) -> Option<&str> {
        self.given.or_else(|| self.by_group.first().map(String::as_str))
    }

    /// The key to save a `T` under. A type that no hook declares, for it is fetched by hand, has its crate and its name.
    pub(crate) fn save<T>(&self) -> String {
        self.saved_as().map_or_else(
            || {
                let name = type_name::<T>();
                let krate = name.split("::").next().unwrap_or(name);
                format!("{krate}.{}", last_name(name))
            },
            str::to_owned,
        )
    }

    /// Every key under which a `T` may be found, the likeliest first; the last is how it was saved before there were keys.
    pub(crate) fn all<T>(&self) -> impl Iterator<Item = String> {
        let others = self.by_group.iter().chain(&self.by_alias).cloned();
        [self.save::<T>()].into_iter().chain(others.collect::<Vec<_>>()).chain([type_name::<T>().to_owned()])
    }
}

/// A type's name without the modules, its parameters' too: `Kept<Note>`.
fn last_name(name: &str) -> String {
    let mut out = String::new();
    for part in name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        out.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_no_part_of_a_name() {
        assert_eq!(last_name("a::b::Kept"), "Kept");
        assert_eq!(last_name("a::Kept<b::c::Note, (d::E, u8)>"), "Kept<Note, (E, u8)>");
        assert_eq!(last_name("u8"), "u8");
    }
}
