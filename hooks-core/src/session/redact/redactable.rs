//! What texts are in: messages, calls, values.

use std::sync::Arc;

use crate::base::json::Value;
use crate::plain::flow::Flow;
use crate::plain::message::Message;
#[cfg(feature = "json")]
use crate::plain::model::GenerationFault;
#[cfg(feature = "json")]
use crate::plain::tool_use::ToolUse;
use crate::plain::verdict::Gate;

/// How a text is redacted; `None` where it may be as it is.
pub type With<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Has texts that [`Session::redact`](crate::Session::redact) looks at.
pub trait Redactable {
    /// Redacts its texts. Says whether there was anything to take out.
    fn redact(&mut self, with: With<'_>) -> bool;
}

impl Redactable for String {
    fn redact(&mut self, with: With<'_>) -> bool {
        match with(self) {
            Some(redacted) => {
                *self = redacted;
                true
            }
            None => false,
        }
    }
}

impl<T: Redactable> Redactable for [T] {
    fn redact(&mut self, with: With<'_>) -> bool {
        self.iter_mut().fold(false, |any, one| one.redact(with) | any)
    }
}

impl<T: Redactable> Redactable for Vec<T> {
    fn redact(&mut self, with: With<'_>) -> bool {
        self.as_mut_slice().redact(with)
    }
}

impl<T: Redactable> Redactable for Option<T> {
    fn redact(&mut self, with: With<'_>) -> bool {
        self.as_mut().is_some_and(|one| one.redact(with))
    }
}

impl<T: Redactable, E: Redactable> Redactable for Result<T, E> {
    fn redact(&mut self, with: With<'_>) -> bool {
        match self {
            Ok(one) => one.redact(with),
            Err(error) => error.redact(with),
        }
    }
}

impl<T: Redactable + Clone> Redactable for Arc<T> {
    fn redact(&mut self, with: With<'_>) -> bool {
        let mut copy = (**self).clone();
        let changed = copy.redact(with);
        if changed {
            *self = Self::new(copy);
        }
        changed
    }
}

impl Redactable for Gate {
    fn redact(&mut self, with: With<'_>) -> bool {
        match self {
            Self::Allow => false,
            Self::Ask(reason) | Self::Deny(reason) => reason.redact(with),
        }
    }
}

impl Redactable for Flow {
    fn redact(&mut self, with: With<'_>) -> bool {
        match self {
            Self::EndSession(reason) => reason.redact(with),
            Self::Continue | Self::Stop => false,
        }
    }
}

impl Redactable for Message {
    fn redact(&mut self, with: With<'_>) -> bool {
        let content =
            self.content.redact(with) | self.foreign.as_mut().is_some_and(|source| source.redact(with));
        #[cfg(feature = "json")]
        if let Some(metadata) = &mut self.metadata {
            let calls = metadata.tool_calls.redact(with);
            let other = metadata.other.iter_mut().fold(false, |any, (_, value)| value.redact(with) | any);
            return content | calls | other;
        }
        content
    }
}

#[cfg(feature = "json")]
impl Redactable for ToolUse {
    fn redact(&mut self, with: With<'_>) -> bool {
        let content = self.content.redact(with);
        let args = self.args.redact(with);
        let kwargs = fields(&mut self.kwargs, with);
        content | args | kwargs
    }
}

#[cfg(feature = "json")]
impl Redactable for GenerationFault {
    fn redact(&mut self, with: With<'_>) -> bool {
        let text = self.text.redact(with);
        self.partial.redact(with) | text
    }
}

#[cfg(feature = "json")]
impl Redactable for Value {
    fn redact(&mut self, with: With<'_>) -> bool {
        match self {
            Self::String(text) => text.redact(with),
            Self::Array(items) => items.redact(with),
            Self::Object(held) => fields(held, with),
            Self::Null | Self::Bool(_) | Self::Number(_) => false,
        }
    }
}

#[cfg(not(feature = "json"))]
impl Redactable for Value {
    fn redact(&mut self, _: With<'_>) -> bool {
        match *self {}
    }
}

/// Named values. What a value is may show by its name only: `password: …`.
#[cfg(feature = "json")]
fn fields(held: &mut serde_json::Map<String, Value>, with: With<'_>) -> bool {
    let mut changed = false;
    for (name, value) in held.iter_mut() {
        let Value::String(text) = value else {
            changed |= value.redact(with);
            continue;
        };
        let before = format!("{name}: ");
        match with(&format!("{before}{text}")) {
            None => {}
            Some(redacted) => match redacted.strip_prefix(&before) {
                Some(redacted) => {
                    redacted.clone_into(text);
                    changed = true;
                }
                // Taken out with its name, or withheld.
                None => {
                    *text = redacted;
                    changed = true;
                }
            },
        }
    }
    changed
}
