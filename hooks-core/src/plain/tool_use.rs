//! One call of a tool, and how it ended.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a call was written by the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CallFormat {
    /// A fenced block whose tag names the tool.
    #[default]
    Markdown,
    /// An XML element.
    Xml,
    /// The model's native tool interface.
    Tool,
}

/// One call of a tool.
///
/// A call in markdown carries `args` (the words after the tool's name) and `content` (the block); a native
/// call carries `kwargs`. A tool sees one typed argument struct either way, and a hook asks for an argument by its
/// name with [`text`](Self::text), which looks at both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolUse {
    /// The tool's name.
    pub tool: String,
    /// Words after the tool's name in a fence's tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The text of the block.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// Named arguments of a native call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kwargs: Map<String, Value>,
    /// Links the call to its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Byte offset of the call in its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<usize>,
    /// How it was written.
    #[serde(default)]
    pub format: CallFormat,
}

impl ToolUse {
    /// A native call: `tool` with named arguments.
    pub fn native(tool: impl Into<String>, call_id: impl Into<String>, kwargs: Map<String, Value>) -> Self {
        Self {
            tool: tool.into(),
            kwargs,
            call_id: Some(call_id.into()),
            format: CallFormat::Tool,
            ..Self::default()
        }
    }

    /// A call as a fenced block: `tool`, the words after it, and the block's text.
    pub fn fenced(
        tool: impl Into<String>,
        args: impl IntoIterator<Item = impl Into<String>>,
        content: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.into(),
            args: args.into_iter().map(Into::into).collect(),
            content: content.into(),
            ..Self::default()
        }
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It did what it was asked.
    Ok,
    /// It failed.
    Error,
    /// A gate or the user refused it.
    Denied,
    /// It took too long and was ended.
    Timeout,
    /// The user, a hook or a shutdown cut it short.
    Interrupted,
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolSpec {
    /// The tool's name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}
