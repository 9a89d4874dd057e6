//! Questions to the user and their answers: confirmations, elicitations, and whether to go on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::plain::message::Message;

/// The answer to "may this tool call run?".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Confirmation {
    /// Run it.
    Confirm,
    /// Do not run it; the model reads the reason.
    Skip {
        /// Why not.
        reason: String,
    },
    /// Run it with this content instead: the tool's own content (the file, the patch, the command), not
    /// the preview that was shown.
    Edit {
        /// The new content.
        content: String,
    },
}

/// Why a confirmation is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The tool asks before each call.
    Policy,
    /// A gate hook answered "ask", with its reason.
    Gate(String),
}

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ElicitKind {
    /// A line of text.
    #[default]
    Text,
    /// One of the options.
    Choice,
    /// Any of the options.
    MultiChoice,
    /// A line that must be neither shown nor logged.
    Secret,
    /// Yes or no.
    Confirmation,
    /// Several fields.
    Form,
}

/// A question to the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Elicitation {
    /// What kind of answer is wanted.
    pub kind: ElicitKind,
    /// The question.
    pub prompt: String,
    /// What to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The fields of a form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FormField>,
    /// The answer to an empty reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// A longer explanation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What a form field takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// A line of text.
    #[default]
    Text,
    /// A line that must be neither shown nor logged.
    Secret,
    /// One of the options.
    Choice,
    /// Yes or no.
    Boolean,
    /// A number.
    Number,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FormField {
    /// Key in the answer.
    pub name: String,
    /// The question.
    pub prompt: String,
    /// What it takes.
    #[serde(default, rename = "type")]
    pub kind: FieldKind,
    /// What to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Whether an empty answer is refused.
    #[serde(default = "yes")]
    pub required: bool,
    /// The answer to an empty reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

fn yes() -> bool {
    true
}

/// What the user answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "answer", content = "value", rename_all = "snake_case")]
pub enum Answer {
    /// A line, a choice or yes / no.
    Text(String),
    /// Several choices.
    Many(Vec<String>),
    /// A form: what was said in each field, by the field's name. Fields left empty are left out.
    Form(BTreeMap<String, FieldAnswer>),
    /// A secret; its debug text and its place in logs show nothing.
    Secret(Secret),
    /// The user was asked and would not say.
    Declined,
    /// Nobody could be asked, or the user broke off.
    Cancelled,
}

/// What was said in one field of a form.
///
/// Written as plain JSON, a secret as the words `<secret provided>`; read back, it is a text like any other, so
/// a secret goes from asker to caller in memory only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum FieldAnswer {
    /// Yes or no.
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A line, or a choice.
    Text(String),
    /// A secret; its debug text and its place in logs show nothing.
    Secret(Secret),
}

/// A text that is kept out of debug output and logs.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself: for the one place that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<secret provided>")
    }
}

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("<secret provided>")
    }
}

/// The answer of a `LOOP_CONTINUE` hook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "action", content = "message", rename_all = "snake_case")]
pub enum Continue {
    /// The agent rests.
    Rest,
    /// The agent goes on with this message as the next prompt.
    With(Message),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forms_secret_is_there_for_the_caller_and_nowhere_else() {
        let form = Answer::Form(BTreeMap::from([
            ("age".to_owned(), FieldAnswer::Number(4.into())),
            ("sure".to_owned(), FieldAnswer::Boolean(true)),
            ("token".to_owned(), FieldAnswer::Secret(Secret::new("hunter2"))),
        ]));
        let json = serde_json::to_string(&form).unwrap();
        assert_eq!(json, r#"{"answer":"form","value":{"age":4,"sure":true,"token":"<secret provided>"}}"#);
        assert!(!format!("{form:?}").contains("hunter2"));
        let Answer::Form(fields) = &form else { panic!("{form:?}") };
        assert!(matches!(&fields["token"], FieldAnswer::Secret(secret) if secret.reveal() == "hunter2"));
    }
}
