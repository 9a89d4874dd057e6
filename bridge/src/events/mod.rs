//! What the clients send: one type per event, one file per client.
//!
//! Reading an event never fails: a field of an unexpected shape is kept as it is ([`Field::Odd`]), fields that
//! nobody knows are kept in `extra`, and an event that nobody knows is [`Unknown`]. Writing gives back
//! exactly what was read. Surveyed in November 2026; the protocols move, and what they add passes through.

mod field;

pub mod claude;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod gemini;
pub mod goose;
pub mod hermes;

use std::borrow::Cow;

use serde_json::{Map, Value};

pub use field::{Field, Shape};

/// How a client spells the names of its fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// `tool_name`.
    #[default]
    Snake,
    /// `toolName`.
    Camel,
}

impl Spelling {
    fn of(self, name: &'static str) -> Cow<'static, str> {
        match self {
            Self::Snake => Cow::Borrowed(name),
            Self::Camel => {
                let mut words = name.split('_');
                let mut spelled = words.next().unwrap_or_default().to_owned();
                for word in words {
                    let mut letters = word.chars();
                    spelled.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
                    spelled.push_str(letters.as_str());
                }
                Cow::Owned(spelled)
            }
        }
    }
}

/// Fields of an event that nobody knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unknown<C> {
    /// Its name; empty where it has none.
    pub name: String,
    /// What the client sends with every event.
    pub common: C,
    /// Everything else.
    pub extra: Map<String, Value>,
}

/// Declares a struct of fields with `take` (out of a map) and `put` (into one).
macro_rules! record {
    ($(#[$meta:meta])* $Name:ident { $($field:ident $([$key:literal])? : $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $Name {
            $(
                #[doc = concat!("The field `", stringify!($field), "`.")]
                pub $field: $crate::events::Field<$type>,
            )*
        }

        impl $Name {
            #[allow(unused_variables)]
            fn take(
                map: &mut serde_json::Map<String, serde_json::Value>,
                spelling: $crate::events::Spelling,
            ) -> Self {
                Self {
                    $($field: $crate::events::Field::take(map, &spelling.of($crate::events::record!(@key $field $($key)?))),)*
                }
            }

            #[allow(unused_variables)]
            fn put(
                &self,
                map: &mut serde_json::Map<String, serde_json::Value>,
                spelling: $crate::events::Spelling,
            ) {
                $(self.$field.put(map, &spelling.of($crate::events::record!(@key $field $($key)?)));)*
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}

/// Declares a client's events: an enum with a struct for each, and `Unknown`.
macro_rules! events {
    (
        $(#[$meta:meta])*
        pub enum $Event:ident with $Common:ident;
        $($(#[$doc:meta])* $Name:ident = $wire:literal { $($field:ident $([$key:literal])? : $type:ty,)* })*
    ) => {
        $($crate::events::record! { $(#[$doc])* $Name { $($field $([$key])? : $type,)* } })*

        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        // One value a process, taken apart at once: boxes would only make the matches longer.
        #[allow(clippy::large_enum_variant)]
        pub enum $Event {
            $($(#[$doc])* $Name($Common, $Name, serde_json::Map<String, serde_json::Value>),)*
            /// An event that was not known when this was written.
            Unknown($crate::events::Unknown<$Common>),
        }

        impl $Event {
            /// The names of the events that are known.
            pub const NAMES: &'static [&'static str] = &[$($wire),*];

            fn read_as(
                name: &str,
                mut map: serde_json::Map<String, serde_json::Value>,
                spelling: $crate::events::Spelling,
            ) -> Self {
                let common = $Common::take(&mut map, spelling);
                match name {
                    $($wire => {
                        let fields = $Name::take(&mut map, spelling);
                        Self::$Name(common, fields, map)
                    })*
                    _ => Self::Unknown($crate::events::Unknown { name: name.to_owned(), common, extra: map }),
                }
            }

            fn write_as(
                &self,
                spelling: $crate::events::Spelling,
            ) -> serde_json::Map<String, serde_json::Value> {
                match self {
                    $(Self::$Name(common, fields, extra) => {
                        let mut map = extra.clone();
                        common.put(&mut map, spelling);
                        fields.put(&mut map, spelling);
                        map
                    })*
                    Self::Unknown(unknown) => {
                        let mut map = unknown.extra.clone();
                        unknown.common.put(&mut map, spelling);
                        map
                    }
                }
            }

            /// The event's name in the protocol.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$Name(..) => $wire,)*
                    Self::Unknown(unknown) => &unknown.name,
                }
            }

            /// What the client sends with every event.
            #[must_use]
            pub fn common(&self) -> &$Common {
                match self {
                    $(Self::$Name(common, ..) => common,)*
                    Self::Unknown(unknown) => &unknown.common,
                }
            }

            /// Fields that nobody knows.
            #[must_use]
            pub fn extra(&self) -> &serde_json::Map<String, serde_json::Value> {
                match self {
                    $(Self::$Name(_, _, extra) => extra,)*
                    Self::Unknown(unknown) => &unknown.extra,
                }
            }
        }
    };
}

/// `read` and `write` of a client whose fields are spelled one way and whose event's name is a field.
macro_rules! plain_wire {
    ($Event:ident, $name:literal) => {
        impl $Event {
            /// Reads an event. `name` is used where the event does not tell its own.
            #[must_use]
            pub fn read(map: serde_json::Map<String, serde_json::Value>, name: Option<&str>) -> Self {
                let told = map.get($name).and_then(serde_json::Value::as_str);
                let name = told.or(name).unwrap_or_default().to_owned();
                Self::read_as(&name, map, $crate::events::Spelling::Snake)
            }

            /// Exactly what was read.
            #[must_use]
            pub fn write(&self) -> serde_json::Map<String, serde_json::Value> {
                self.write_as($crate::events::Spelling::Snake)
            }
        }
    };
}

use {events, plain_wire, record};
