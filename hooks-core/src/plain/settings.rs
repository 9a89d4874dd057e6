//! Settings: a hook's part of `hookspec.toml`, as a typed struct.
//!
//! A hook that takes `settings: &T` gets the table `[hooks.<group>]`, read into `T` when the registry is
//! built: a wrong type or an unknown key is an error before anything runs, and reading costs nothing later.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::base::by_type::ByType;
use crate::plain::options::Origin;

/// A type that can be a hook's settings.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a hook's settings",
    note = "settings are read from `[hooks.<group>]`: write `#[hookspec::data]`, `#[derive(Default)]` and `#[serde(default)]` over it (and keep it `Send + Sync`)"
)]
pub trait HookSettings: Default + Serialize + DeserializeOwned + Send + Sync + 'static {}
#[diagnostic::do_not_recommend]
impl<T: Default + Serialize + DeserializeOwned + Send + Sync + 'static> HookSettings for T {}

pub(crate) type AnySettings = Arc<dyn Any + Send + Sync>;

/// Reads a table into settings, and into what `list --explain` shows of them.
type Read = fn(Option<&toml::Table>) -> Result<(AnySettings, Value), String>;

/// How to read one hook's settings; `#[hook]` makes it from the type of the `settings` parameter.
#[derive(Clone, Copy)]
pub struct SettingsSpec {
    pub(crate) id: fn() -> TypeId,
    pub(crate) name: fn() -> &'static str,
    /// The keys that it takes, where they can be told.
    pub(crate) keys: fn() -> Option<Vec<String>>,
    pub(crate) read: Read,
}

impl SettingsSpec {
    /// The spec of settings of type `T`.
    #[must_use]
    pub const fn of<T: HookSettings>() -> Self {
        Self { id: TypeId::of::<T>, name: type_name::<T>, keys: keys::<T>, read: read::<T> }
    }
}

impl SettingsSpec {
    /// The type.
    pub(crate) fn id(&self) -> TypeId {
        (self.id)()
    }
}

impl fmt::Debug for SettingsSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SettingsSpec({})", (self.name)())
    }
}

fn keys<T: HookSettings>() -> Option<Vec<String>> {
    match serde_json::to_value(T::default()) {
        Ok(Value::Object(known)) => Some(known.into_iter().map(|(key, _)| key).collect()),
        _ => None,
    }
}

fn read<T: HookSettings>(table: Option<&toml::Table>) -> Result<(AnySettings, Value), String> {
    let settings = match table {
        None => T::default(),
        Some(table) => {
            if let Some(known) = keys::<T>()
                && let Some(unknown) = table.keys().find(|key| !known.contains(*key))
            {
                return Err(format!(
                    "unknown key `{unknown}`{}; it takes {}",
                    crate::base::nearest::nearest(unknown, known.iter().map(String::as_str)),
                    known.join(", ")
                ));
            }
            table.clone().try_into().map_err(|error: toml::de::Error| error.message().to_owned())?
        }
    };
    let shown = serde_json::to_value(&settings).map_err(|error| error.to_string())?;
    Ok((Arc::new(settings), shown))
}

/// The settings of one type, by group.
type Groups = Vec<(Box<str>, AnySettings)>;

/// The settings of every hook of a registry, by type and group.
///
/// Asked for on every run of a hook that takes settings, so a type is found by its own number, and a name is compared
/// only where several groups have the type.
#[derive(Clone, Default)]
pub(crate) struct AllSettings(ByType<Groups>);

impl AllSettings {
    pub(crate) fn insert(&mut self, group: &str, id: TypeId, settings: AnySettings) {
        let groups = self.0.entry(id).or_default();
        let at = groups.partition_point(|(held, _)| &**held < group);
        groups.insert(at, (group.into(), settings));
    }

    /// The settings of type `T` of the first group that has some; the type's defaults where none has.
    pub(crate) fn get<T: HookSettings>(&self) -> Arc<T> {
        let groups = self.0.get(&TypeId::of::<T>());
        typed(groups.and_then(|groups| groups.first()))
    }

    /// What is held of that type for that group.
    pub(crate) fn of_group<T: Send + Sync + 'static>(&self, group: &str) -> Option<Arc<T>> {
        let (_, any) = self.0.get(&TypeId::of::<T>())?.iter().find(|(held, _)| **held == *group)?;
        Arc::clone(any).downcast().ok()
    }

    /// The settings of type `T` of the hooks of that origin's group.
    pub(crate) fn of<T: HookSettings>(&self, origin: &Origin) -> Arc<T> {
        match self.0.get(&TypeId::of::<T>()).map(Vec::as_slice) {
            Some(groups @ [_, _, ..]) => typed(groups.iter().find(|(group, _)| is_in(origin, group))),
            one => typed(one.and_then(<[_]>::first)),
        }
    }
}

/// Whether that is the origin's group, without a search for where it begins and ends.
fn is_in(origin: &Origin, group: &str) -> bool {
    match origin.name {
        Some(name) => name.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        None => origin.module.strip_suffix(group).is_some_and(|rest| rest.is_empty() || rest.ends_with("::")),
    }
}

fn typed<T: HookSettings>(found: Option<&(Box<str>, AnySettings)>) -> Arc<T> {
    found.and_then(|(_, any)| Arc::clone(any).downcast::<T>().ok()).unwrap_or_default()
}

impl fmt::Debug for AllSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AllSettings({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Lint {
        command: String,
        limit: u32,
    }
    impl Default for Lint {
        fn default() -> Self {
            Self { command: "ruff".into(), limit: 10 }
        }
    }

    fn read_text(text: &str) -> Result<Arc<Lint>, String> {
        let table: toml::Table = text.parse().unwrap();
        read::<Lint>(Some(&table)).map(|(any, _)| any.downcast().unwrap())
    }

    #[test]
    fn given_keys_override_defaults() {
        let lint = read_text("limit = 3").unwrap();
        assert_eq!(*lint, Lint { command: "ruff".into(), limit: 3 });
    }

    #[test]
    fn an_unknown_key_is_an_error_with_the_nearest_name() {
        let error = read_text("limits = 3").unwrap_err();
        assert!(error.contains("`limits`") && error.contains("did you mean `limit`"), "{error}");
    }

    #[test]
    fn an_origin_is_in_one_group() {
        let origin =
            |name, module| Origin { function: "f", name, module, package: "p", file: "f", line: 1, docs: "" };
        for (name, module, group, others) in [
            (Some("go.style"), "a::b", "go", ["g", "go.", "style"]),
            (Some("go"), "a::b", "go", ["", "g", "b"]),
            (Some("go.style.more"), "a::b", "go", ["go.style", "more", "b"]),
            (None, "a::lint", "lint", ["int", "a", "a::lint"]),
            (None, "lint", "lint", ["int", "f", ""]),
        ] {
            let origin = origin(name, module);
            assert_eq!(origin.group(), group);
            assert!(is_in(&origin, group), "{origin:?}");
            // No group has a colon, a dot or no name.
            let other = others
                .iter()
                .filter(|other| !other.is_empty() && !other.contains([':', '.']))
                .find(|other| is_in(&origin, other));
            assert_eq!(other, None, "{origin:?}");
        }
    }

    #[test]
    fn a_wrong_type_is_an_error() {
        assert!(read_text("limit = 'many'").unwrap_err().contains("invalid type"));
    }
}
