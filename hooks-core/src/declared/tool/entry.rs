//! What `#[tool]` leaves for the linker.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::boxed::BoxError;
use crate::plain::message::Message;
use crate::session::Session;

use crate::plain::tool_use::{ToolSpec, ToolStatus, ToolUse};

/// A running tool.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'a>>;

/// What a tool gives back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolOutput {
    /// The result, for the model.
    pub messages: Vec<Message>,
    /// How it ended, where that is not simply well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ToolStatus>,
}

/// What running a tool gives: what wrappers at `TOOL_EXECUTE` get from `next` and may give in its place.
pub type ToolResult = Result<ToolOutput, ToolError>;

/// What a tool may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool",
    note = "a tool returns `String`, `Message`, `Vec<Message>`, `ToolOutput`, or a `Result` of one of these"
)]
pub trait IntoToolOutput {
    /// The output.
    ///
    /// # Errors
    /// What the tool itself returned as its error.
    fn into_output(self) -> Result<ToolOutput, ToolError>;
}

impl IntoToolOutput for ToolOutput {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}

impl IntoToolOutput for Vec<Message> {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput { messages: self, status: None })
    }
}

impl IntoToolOutput for Message {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        vec![self].into_output()
    }
}

impl IntoToolOutput for String {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Message::system(self).into_output()
    }
}

impl<T: IntoToolOutput, E: IntoToolError> IntoToolOutput for Result<T, E> {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        self.map_err(IntoToolError::into_error)?.into_output()
    }
}

/// What a tool may fail with: all that is `Into<ToolError>`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a tool cannot fail with `{Self}`, for nothing makes a `ToolError` of it",
    note = "return `Result<_, ToolError>`, and write `.map_err(|error| ToolError::Failed(error.to_string()))?` where it comes from",
    note = "`String`, `&str`, `std::io::Error` and `Box<dyn Error + Send + Sync>` are taken as they are"
)]
pub trait IntoToolError {
    /// The error.
    fn into_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> IntoToolError for E {
    fn into_error(self) -> ToolError {
        self.into()
    }
}

/// Why a tool did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "class", content = "text", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments do not fit.
    #[error("the arguments of `{tool}` do not fit: {why}")]
    Arguments {
        /// The tool.
        tool: String,
        /// What is wrong.
        why: String,
    },
    /// It was refused while it ran: by a gate, or by the user.
    #[error("{0}")]
    Denied(String),
    /// It took too long and was ended.
    #[error("{0}")]
    Timeout(String),
    /// It was cut short.
    #[error("{0}")]
    Interrupted(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl ToolError {
    /// How the call ended.
    #[must_use]
    pub fn status(&self) -> ToolStatus {
        match self {
            Self::Arguments { .. } | Self::Failed(_) => ToolStatus::Error,
            Self::Denied(_) => ToolStatus::Denied,
            Self::Timeout(_) => ToolStatus::Timeout,
            Self::Interrupted(_) => ToolStatus::Interrupted,
        }
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn class(&self) -> ToolErrorClass {
        match self {
            Self::Arguments { .. } => ToolErrorClass::Arguments,
            Self::Denied(_) => ToolErrorClass::Denied,
            Self::Timeout(_) => ToolErrorClass::Timeout,
            Self::Interrupted(_) => ToolErrorClass::Interrupted,
            Self::Failed(_) => ToolErrorClass::Failed,
        }
    }
}

/// Kinds of failures of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolErrorClass {
    /// The arguments do not fit.
    Arguments,
    /// It was refused while it ran.
    Denied,
    /// It took too long.
    Timeout,
    /// It was cut short.
    Interrupted,
    /// Anything else.
    Failed,
}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self::Failed(text.to_owned())
    }
}

impl From<BoxError> for ToolError {
    fn from(error: BoxError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<std::io::Error> for ToolError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// How the words and the block of a fenced call become named arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgumentNames {
    /// The words after the tool's name, in order. The last one takes all that is left, joined by spaces.
    pub words: &'static [&'static str],
    /// The block.
    pub content: Option<&'static str>,
}

/// A tool.
#[derive(Clone, Copy)]
pub struct ToolEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the model: the function's documentation.
    pub description: &'static str,
    /// The package.
    pub package: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Source line.
    pub line: u32,
    /// Whether it is offered when nobody says anything.
    pub enabled: bool,
    /// Whether each call is confirmed.
    pub confirm: bool,
    /// Whether it only answers: see [`tool`](macro@crate::tool).
    pub pure: bool,
    /// How a fenced call's words and block become named arguments.
    pub names: ArgumentNames,
    /// JSON Schema of the arguments.
    pub schema: fn() -> Value,
    /// What to show when a call is to be confirmed, in place of its content.
    pub preview: Option<fn(&ToolUse, &Session) -> Option<String>>,
    /// Runs one call.
    pub run: for<'a> fn(&'a ToolUse, &'a Session) -> ToolFuture<'a>,
}

impl ToolEntry {
    /// The tool as it is offered to a model.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: self.description.trim().to_owned(),
            parameters: (self.schema)(),
        }
    }

    /// The named arguments of a call, however it was written.
    #[must_use]
    pub fn arguments(&self, call: &ToolUse) -> Map<String, Value> {
        let mut named = call.kwargs.clone();
        let words = self.names.words;
        for (index, name) in words.iter().enumerate() {
            let rest = call.args.get(index..).unwrap_or_default();
            let value = if index + 1 == words.len() {
                rest.join(" ")
            } else {
                rest.first().cloned().unwrap_or_default()
            };
            if !value.is_empty() {
                named.entry(*name).or_insert(Value::String(value));
            }
        }
        if let Some(content) = self.names.content
            && (call.kwargs.is_empty() || !call.content.is_empty())
        {
            named.entry(content).or_insert_with(|| Value::String(call.content.clone()));
        }
        named
    }

    /// The call's main text: its block, or the argument that stands for it.
    #[must_use]
    pub fn content<'c>(&self, call: &'c ToolUse) -> &'c str {
        let named = self.names.content.and_then(|name| call.kwargs.get(name)).and_then(Value::as_str);
        named.unwrap_or(&call.content)
    }

    /// The same call with another main text.
    #[must_use]
    pub fn with_content(&self, call: &ToolUse, content: String) -> ToolUse {
        let mut call = call.clone();
        match self.names.content {
            Some(name) if call.kwargs.contains_key(name) => {
                call.kwargs.insert(name.to_owned(), Value::String(content));
            }
            _ => call.content = content,
        }
        call
    }

    #[doc(hidden)]
    pub fn read<T: DeserializeOwned>(&self, call: &ToolUse) -> Result<T, ToolError> {
        let named = self.arguments(call);
        serde_json::from_value(Value::Object(named))
            .map_err(|error| ToolError::Arguments { tool: self.name.to_owned(), why: error.to_string() })
    }
}

/// What a tool's `args` may be: any struct with the two derives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's arguments",
    label = "no struct that a call can be read into",
    note = "write `#[hookspec::data]` over it, or derive `serde::Deserialize` and `schemars::JsonSchema`"
)]
pub trait ToolArguments: Sized {
    /// The JSON Schema that a model is given; without the `schema` feature, any object.
    fn schema() -> Value;
    /// The arguments of a call.
    ///
    /// # Errors
    /// If they do not fit.
    fn read(tool: &ToolEntry, call: &ToolUse) -> Result<Self, ToolError>;
}

#[cfg(feature = "schema")]
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + schemars::JsonSchema> ToolArguments for T {
    fn schema() -> Value {
        schemars::schema_for!(T).to_value()
    }

    fn read(tool: &ToolEntry, call: &ToolUse) -> Result<Self, ToolError> {
        tool.read(call)
    }
}

#[cfg(not(feature = "schema"))]
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> ToolArguments for T {
    fn schema() -> Value {
        no_arguments()
    }

    fn read(tool: &ToolEntry, call: &ToolUse) -> Result<Self, ToolError> {
        tool.read(call)
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolEntry")
            .field("name", &self.name)
            .field("package", &self.package)
            .finish_non_exhaustive()
    }
}

/// The JSON Schema of a tool without arguments.
#[must_use]
pub fn no_arguments() -> serde_json::Value {
    serde_json::json!({ "type": "object", "properties": {} })
}
