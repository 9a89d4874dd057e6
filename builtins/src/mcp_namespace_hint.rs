//! `mcp_namespace_hint`: when the user writes `@server`, names that server's tools to the model.
//!
//! **Watches** each request to the model. **Speaks** if the last user message mentions servers whose tools are
//! offered (tools are named `server.tool`): one visible message, in that request only, with the full names and
//! short descriptions; the first time in a turn, and again only when another server is mentioned or the
//! request is tried again. **Keeps** what it last spoke for, per session. **Costs** a look at the last message;
//! without an `@` in it, that is all.
//!
//! Only what the user typed counts: a message with which a hook keeps the agent going is none, and a fenced or indented block, a quote or an HTML block is somebody else's text.
//!
//! Different from gptme: it is said once a turn and not before each step, in the server too; lists and
//! descriptions are bounded, and a description is one escaped line, marked as the server's own words; attached text
//! does not trigger it; a server's name may have dots, the longest one that fits is meant.

use std::fmt::Write;
use std::sync::LazyLock;

use hookspec::model::Request;
use hookspec::points::GENERATION_PRE;
use hookspec::tool::ToolSpec;
use hookspec::{Message, Role, hook};
use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::text::escape;

/// `[hooks.mcp_namespace_hint]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How many tools of a server are named.
    pub max_tools: usize,
    /// How many characters of a description are shown.
    pub max_description: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_tools: 20, max_description: 160 }
    }
}

/// What it last spoke for.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Hinted {
    turn: String,
    servers: Vec<String>,
    /// Whether the request before this one had the hint, so that its repetition gets it too.
    last: bool,
}

/// A mention: an `@` that does not follow a letter, as it does in a mail address.
static MENTION: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(r"(?:^|[^\w])@(\w[\w.-]*)"));

/// Names the tools of the servers that the user mentions.
#[hook(GENERATION_PRE)]
fn hint(
    request: &Request,
    attempt: u32,
    state: &mut Hinted,
    settings: &Settings,
) -> Result<Option<Message>, regex::Error> {
    let is_typed = |message: &&Message| message.role == Role::User && message.hook.is_none();
    let Some(asked) = request.messages.iter().rev().find(is_typed) else {
        return Ok(None);
    };
    let servers = mentioned(&asked.content, &request.tools)?;
    let turn =
        asked.id.clone().unwrap_or_else(|| format!("{}.", request.messages.iter().filter(is_typed).count()));
    if attempt == 0 || state.turn != turn {
        state.last = !servers.is_empty() && (state.turn != turn || state.servers != servers);
        (state.turn, state.servers) = (turn, servers.clone());
    }
    Ok(state.last.then(|| Message::system(text(&servers, &request.tools, settings))))
}

/// The servers that a text mentions and whose tools are offered, each once, in the order of the text.
fn mentioned(text: &str, tools: &[ToolSpec]) -> Result<Vec<String>, regex::Error> {
    if !text.contains('@') {
        return Ok(Vec::new());
    }
    let pattern = MENTION.as_ref().map_err(Clone::clone)?;
    let typed = typed(text);
    let mut servers = Vec::new();
    for mention in pattern.captures_iter(&typed).filter_map(|found| found.get(1)) {
        if let Some(server) = server(mention.as_str(), tools)
            && !servers.contains(&server)
        {
            servers.push(server);
        }
    }
    Ok(servers)
}

/// The longest part of a mention, up to a dot or its end, that is a server.
fn server(mention: &str, tools: &[ToolSpec]) -> Option<String> {
    let ends = mention.match_indices('.').map(|(at, _)| at).chain([mention.len()]);
    let mut parts: Vec<_> = ends.filter_map(|end| mention.get(..end)).collect();
    parts.reverse();
    parts.into_iter().find(|part| tools_of(part, tools).next().is_some()).map(str::to_owned)
}

fn tools_of<'t>(server: &'t str, tools: &'t [ToolSpec]) -> impl Iterator<Item = &'t ToolSpec> {
    tools.iter().filter(move |tool| {
        let rest = tool.name.strip_prefix(server).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| !rest.is_empty())
    })
}

/// A message without its blocks and quotes.
fn typed(text: &str) -> String {
    let mut typed = String::new();
    let mut from = 0;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        let foreign = matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::BlockQuote(_)));
        if foreign && range.start >= from {
            typed.push_str(text.get(from..range.start).unwrap_or_default());
            typed.push('\n');
            from = range.end;
        }
    }
    typed.push_str(text.get(from..).unwrap_or_default());
    typed
}

fn text(servers: &[String], tools: &[ToolSpec], settings: &Settings) -> String {
    let mut text = String::new();
    for server in servers {
        let count = tools_of(server, tools).count();
        let (noun, separator) =
            (if count == 1 { "tool" } else { "tools" }, if text.is_empty() { "" } else { "\n\n" });
        let _ = write!(
            text,
            "{separator}The user mentions @{server}: {count} {noun}. Call them by their full names, `{server}.…`. What follows a name is the server's own description."
        );
        for tool in tools_of(server, tools).take(settings.max_tools) {
            let _ = write!(text, "\n- `{}`", line(&tool.name, 128).replace('`', "'"));
            let description = line(&tool.description, settings.max_description);
            if !description.is_empty() {
                let _ = write!(text, ": {description}");
            }
        }
        if count > settings.max_tools {
            let _ = write!(text, "\n… and {} more", count - settings.max_tools);
        }
    }
    text
}

/// Foreign text as one escaped line of at most so many characters.
fn line(text: &str, most: usize) -> String {
    let words: Vec<_> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", escape(line.get(..end).unwrap_or_default())),
        None => escape(&line),
    }
}

#[cfg(test)]
mod tests;
