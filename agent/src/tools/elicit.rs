//! `elicit`: lets the model ask the user.

use hookspec::ask::{Answer, ElicitKind, Elicitation, FormField};
use hookspec::tool::ToolError;
use hookspec::{Message, Session, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::engine::ask_user;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ElicitArgs {
    /// The question.
    prompt: String,
    /// What kind of answer is wanted; text unless said.
    #[serde(default)]
    kind: ElicitKind,
    /// What to choose from.
    #[serde(default)]
    options: Vec<String>,
    /// The fields of a form.
    #[serde(default)]
    fields: Vec<FormField>,
    /// The answer to an empty reply.
    #[serde(default)]
    default: Option<String>,
    /// A longer explanation.
    #[serde(default)]
    description: Option<String>,
}

/// Asks the user a question and waits for the answer.
#[tool(content = prompt, enabled = false)]
async fn elicit(args: ElicitArgs, session: &Session) -> Result<Message, ToolError> {
    let ElicitArgs { prompt, kind, options, fields, default, description } = args;
    let request = Elicitation { kind, prompt, options, fields, default, description };
    match ask_user(session, &request).await {
        Answer::Text(text) => Ok(Message::system(text)),
        Answer::Many(chosen) => Ok(Message::system(chosen.join(", "))),
        // A secret is for the program that asked, never for the model or the log: it writes itself as a
        // placeholder, in a form too.
        Answer::Form(fields) => {
            Ok(Message::system(serde_json::to_string(&fields).map_err(|error| error.to_string())?))
        }
        Answer::Secret(_) => Ok(Message::system("<secret provided>")),
        Answer::Declined => Err(ToolError::Denied("The user would not answer.".into())),
        Answer::Cancelled => Err(ToolError::Denied(
            "Nobody answered: the question was broken off, or nobody is there to ask.".into(),
        )),
    }
}
