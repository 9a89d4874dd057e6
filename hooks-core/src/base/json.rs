//! JSON values, or what stands in their place without the feature `json`: a type without values. What may hold some is so written
//! once, and never holds any where there is no JSON.

#[cfg(feature = "json")]
pub(crate) use serde_json::{Error, Value, from_value, to_value};

/// A value to be shown; null where it cannot be.
#[cfg(feature = "json")]
pub(crate) fn or_null<T: serde::Serialize>(value: T) -> Option<Value> {
    Some(to_value(value).unwrap_or(Value::Null))
}

#[cfg(not(feature = "json"))]
pub(crate) fn or_null<T>(_: T) -> Option<Value> {
    None
}

#[cfg(not(feature = "json"))]
pub(crate) use none::{Error, Value, from_value, to_value};

#[cfg(not(feature = "json"))]
mod none {
    use serde::{Deserialize, Serialize};

    /// There is none.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Value {}

    /// Why there is none.
    #[derive(Debug, thiserror::Error)]
    #[error("the feature `json` of `hookspec` is off")]
    pub(crate) struct Error;

    pub(crate) fn to_value<T: Serialize>(_: T) -> Result<Value, Error> {
        Err(Error)
    }

    pub(crate) fn from_value<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, Error> {
        match value {}
    }
}
