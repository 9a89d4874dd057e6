//! Settings of hooks that come from outside: keys with defaults, declared at run time.
//!
//! They are read as those of a `#[hook]` are: the table `[hooks.<group>]`, in which an unknown key, or a value of another kind
//! than the default, is an error before anything runs.

use std::sync::Arc;

use serde_json::{Map, Value};

/// The settings that the JSON hooks of a group declare, or those that are in force.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct JsonSettings {
    pub(crate) values: Arc<Map<String, Value>>,
}

impl JsonSettings {
    pub(crate) fn new(values: Map<String, Value>) -> Self {
        Self { values: Arc::new(values) }
    }

    /// Adds what another hook of the group declares; the key on which they disagree.
    pub(crate) fn with(&self, other: &Self) -> Result<Self, String> {
        let mut values = (*self.values).clone();
        for (key, value) in &*other.values {
            if values.insert(key.clone(), value.clone()).is_some_and(|held| held != *value) {
                return Err(key.clone());
            }
        }
        Ok(Self::new(values))
    }

    /// These defaults under what a table says.
    pub(crate) fn read(&self, table: Option<&toml::Table>) -> Result<Self, String> {
        let mut values = (*self.values).clone();
        for (key, given) in table.into_iter().flatten() {
            let Some(default) = self.values.get(key) else {
                let known: Vec<&str> = self.values.keys().map(String::as_str).collect();
                return Err(unknown_key(key, &known));
            };
            let given = json(given);
            if !default.is_null() && kind(default) != kind(&given) && !(default.is_f64() && given.is_number())
            {
                return Err(format!(
                    "`{key}` is {}, and should be {}, as its default {default} is",
                    kind(&given),
                    kind(default)
                ));
            }
            values.insert(key.clone(), given);
        }
        Ok(Self::new(values))
    }
}

/// What is said of a key that no settings have.
pub(crate) fn unknown_key(key: &str, known: &[&str]) -> String {
    let near = crate::base::nearest::nearest(key, known.iter().copied());
    format!("unknown key `{key}`{near}; it takes {}", known.join(", "))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(_) => "a whole number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// As JSON has it; a date or a time is its text.
fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::from(*number),
        toml::Value::Boolean(is) => Value::from(*is),
        toml::Value::Datetime(at) => Value::from(at.to_string()),
        toml::Value::Array(all) => all.iter().map(json).collect(),
        toml::Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), json(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(values: Value) -> JsonSettings {
        JsonSettings::new(values.as_object().unwrap().clone())
    }

    fn read(text: &str) -> Result<Value, String> {
        let declared = settings(json!({
            "limit": 3, "ratio": 0.5, "name": "x", "on": false, "list": ["a"], "table": {"a": 1}, "any": null
        }));
        declared.read(Some(&text.parse().unwrap())).map(|read| Value::Object((*read.values).clone()))
    }

    #[test]
    fn what_is_given_stands_over_the_defaults() {
        let read = read("limit = 7\nratio = 2\nany = 2026-01-02\nlist = []\n[table]\nb = 2.5").unwrap();
        assert_eq!(
            read,
            json!({
                "limit": 7, "ratio": 2, "name": "x", "on": false, "list": [], "table": {"b": 2.5}, "any": "2026-01-02"
            })
        );
    }

    #[test]
    fn a_key_that_nobody_declared_and_a_value_of_another_kind_are_errors() {
        assert!(read("limits = 3").unwrap_err().contains("`limits` (did you mean `limit`"));
        for (text, what) in [
            ("limit = 1.5", "`limit` is a number, and should be a whole number, as its default 3 is"),
            ("name = 1", "`name` is a whole number, and should be a text"),
            ("on = 'yes'", "`on` is a text, and should be true or false"),
            ("list = 'a'", "`list` is a text, and should be a list"),
            ("table = []", "`table` is a list, and should be a table"),
            ("ratio = 'x'", "`ratio` is a text, and should be a number"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(what), "{text}: {why}");
        }
    }

    #[test]
    fn hooks_of_a_group_declare_together_and_may_not_disagree() {
        let one = settings(json!({"a": 1}));
        let both = one.with(&settings(json!({"a": 1, "b": 2}))).unwrap();
        assert_eq!(Value::Object((*both.values).clone()), json!({"a": 1, "b": 2}));
        assert_eq!(both.with(&settings(json!({"b": 3}))), Err("b".to_owned()));
    }
}
