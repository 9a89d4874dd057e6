//! One field of a client's event.

use serde_json::{Map, Number, Value};

/// A field as the client sent it: typed where it has the shape that is documented, and kept as it is where it
/// has not, so that a client that changes a field breaks nothing and loses nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Field<T> {
    /// It was not sent.
    #[default]
    Absent,
    /// It was sent as `null`.
    Null,
    /// It was sent in the documented shape.
    Is(T),
    /// It was sent in another shape.
    Odd(Value),
}

impl<T> Field<T> {
    /// The value, where there is one in the documented shape.
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Absent | Self::Null | Self::Odd(_) => None,
        }
    }
}

impl<T: Shape> Field<T> {
    pub(super) fn take(map: &mut Map<String, Value>, key: &str) -> Self {
        match map.remove(key) {
            None => Self::Absent,
            Some(Value::Null) => Self::Null,
            Some(value) => T::read(value).map_or_else(Self::Odd, Self::Is),
        }
    }

    pub(super) fn put(&self, map: &mut Map<String, Value>, key: &str) {
        let value = match self {
            Self::Absent => return,
            Self::Null => Value::Null,
            Self::Is(value) => value.write(),
            Self::Odd(value) => value.clone(),
        };
        map.insert(key.to_owned(), value);
    }
}

impl Field<String> {
    /// The text, where there is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.get().map(String::as_str)
    }
}

/// A shape that a field can have.
pub trait Shape: Sized {
    /// Reads it; gives the value back where it has another shape.
    ///
    /// # Errors
    /// The value itself.
    fn read(value: Value) -> Result<Self, Value>;
    /// Writes it as it was read.
    fn write(&self) -> Value;
}

impl Shape for String {
    fn read(value: Value) -> Result<Self, Value> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(other),
        }
    }
    fn write(&self) -> Value {
        Value::String(self.clone())
    }
}

impl Shape for bool {
    fn read(value: Value) -> Result<Self, Value> {
        value.as_bool().ok_or(value)
    }
    fn write(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Shape for u64 {
    fn read(value: Value) -> Result<Self, Value> {
        value.as_u64().ok_or(value)
    }
    fn write(&self) -> Value {
        Value::from(*self)
    }
}

impl Shape for Number {
    fn read(value: Value) -> Result<Self, Value> {
        match value {
            Value::Number(number) => Ok(number),
            other => Err(other),
        }
    }
    fn write(&self) -> Value {
        Value::Number(self.clone())
    }
}

impl Shape for Map<String, Value> {
    fn read(value: Value) -> Result<Self, Value> {
        match value {
            Value::Object(map) => Ok(map),
            other => Err(other),
        }
    }
    fn write(&self) -> Value {
        Value::Object(self.clone())
    }
}

impl Shape for Vec<Value> {
    fn read(value: Value) -> Result<Self, Value> {
        match value {
            Value::Array(items) => Ok(items),
            other => Err(other),
        }
    }
    fn write(&self) -> Value {
        Value::Array(self.clone())
    }
}

impl Shape for Vec<String> {
    fn read(value: Value) -> Result<Self, Value> {
        let strings = value.as_array().map(|items| items.iter().map(|item| item.as_str().map(str::to_owned)));
        let strings: Option<Self> = strings.and_then(Iterator::collect);
        strings.ok_or(value)
    }
    fn write(&self) -> Value {
        Value::from(self.clone())
    }
}

impl Shape for Value {
    fn read(value: Value) -> Result<Self, Value> {
        Ok(value)
    }
    fn write(&self) -> Value {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn through<T: Shape>(value: Value) -> (Field<T>, Value) {
        let Value::Object(mut map) = json!({ "key": value }) else { unreachable!() };
        let field = Field::<T>::take(&mut map, "key");
        let mut back = Map::new();
        field.put(&mut back, "key");
        (field, back.remove("key").unwrap())
    }

    #[test]
    fn every_shape_survives_and_other_shapes_are_kept() {
        for value in
            [json!(5), json!("5"), json!(null), json!([1, "a"]), json!({"a": 1}), json!(0.5), json!(true)]
        {
            assert_eq!(through::<String>(value.clone()).1, value);
            assert_eq!(through::<u64>(value.clone()).1, value);
            assert_eq!(through::<bool>(value.clone()).1, value);
            assert_eq!(through::<Number>(value.clone()).1, value);
            assert_eq!(through::<Vec<String>>(value.clone()).1, value);
            assert_eq!(through::<Map<String, Value>>(value.clone()).1, value);
            assert_eq!(through::<Value>(value.clone()).1, value);
        }
        assert_eq!(through::<u64>(json!("x")).0, Field::Odd(json!("x")));
        assert_eq!(through::<String>(json!(null)).0, Field::Null);
        let mut empty = Map::new();
        Field::<u64>::Absent.put(&mut empty, "key");
        assert!(empty.is_empty());
    }
}
