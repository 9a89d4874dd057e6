//! The keys of an answer, taken one by one, so that what is left over can be told.

use serde_json::{Map, Value};

/// An object whose keys are being read.
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match serde_json::from_str(text) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err("it is no JSON object".to_owned()),
            Err(error) => Err(format!("it is no JSON: {error}")),
        }
    }

    /// A text; null is as good as none.
    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.0.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("`{key}` must be a text, and is {other}")),
        }
    }

    /// A text that is not blank.
    pub(super) fn words(&mut self, key: &str) -> Result<Option<String>, String> {
        Ok(self.text(key)?.filter(|text| !text.trim().is_empty()))
    }

    /// True or false; null is neither.
    pub(super) fn flag(&mut self, key: &str) -> Result<Option<bool>, String> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(format!("`{key}` must be true or false, and is {other}")),
        }
    }

    pub(super) fn object(&mut self, key: &str) -> Result<Option<Self>, String> {
        match self.0.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self(map))),
            Some(other) => Err(format!("`{key}` must be an object, and is {other}")),
        }
    }

    /// Anything but null.
    pub(super) fn value(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key).filter(|value| !value.is_null())
    }

    /// Complains of a key that nobody took.
    pub(super) fn done(self) -> Result<(), String> {
        match self.0.into_iter().next() {
            None => Ok(()),
            Some((key, _)) => Err(format!("`{key}` means nothing here")),
        }
    }
}
