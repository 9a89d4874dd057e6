//! What a handler does: run a command, or send the event to an address.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::said::Said;
use super::{Dialect, Event};
use crate::command::Command;

/// What a handler does.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Run(Command),
    Post(Address),
}

impl Action {
    pub(super) fn timeout(&self) -> Duration {
        match self {
            Self::Run(command) => command.timeout,
            Self::Post(address) => address.timeout,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(command) => command.line.fmt(f),
            Self::Post(address) => f.write_str(&address.url),
        }
    }
}

/// Where an event is sent.
#[derive(Clone, Debug)]
pub(super) struct Address {
    url: String,
    headers: Vec<(String, String)>,
    /// Variables that the headers may hold.
    allowed: Vec<String>,
    timeout: Duration,
}

/// A request that the host is asked to make: a POST of JSON, without following redirects.
#[derive(Clone, Debug)]
pub struct Request {
    /// The address.
    pub url: String,
    /// Headers beside the type of the content.
    pub headers: Vec<(String, String)>,
    /// The event.
    pub body: Vec<u8>,
    /// How long all of it may take.
    pub timeout: Duration,
}

/// Makes a request: gives the status and the text of the answer, or what went wrong. The bridge itself speaks no HTTP.
pub type Post = dyn Fn(Request) -> Result<(u16, String), String> + Send + Sync;

impl Address {
    pub(super) fn read(handler: &Map<String, Value>, timeout: Duration) -> Result<Self, String> {
        let url = handler.get("url").and_then(Value::as_str).filter(|url| !url.trim().is_empty());
        let url = url.ok_or("`url` is missing or blank")?.to_owned();
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(format!("`url` is `{url}`, and must begin with https:// or http://"));
        }
        let mut headers = Vec::new();
        if let Some(given) = handler.get("headers") {
            let given = given.as_object().ok_or("`headers` must be an object of texts")?;
            for (name, value) in given {
                let value = value.as_str().ok_or("`headers` must be an object of texts")?;
                headers.push((name.clone(), value.to_owned()));
            }
        }
        let allowed = match handler.get("allowedEnvVars") {
            None => Vec::new(),
            Some(names) => serde_json::from_value(names.clone())
                .map_err(|_| "`allowedEnvVars` must be a list of variables' names")?,
        };
        Ok(Self { url, headers, allowed, timeout })
    }

    pub(super) fn request(&self, body: &[u8]) -> Request {
        let filled = |(name, value): &(String, String)| (name.clone(), self.filled(value));
        Request {
            url: self.url.clone(),
            headers: self.headers.iter().map(filled).collect(),
            body: body.to_vec(),
            timeout: self.timeout,
        }
    }

    /// `$NAME` and `${NAME}`, of those that may stand there; any other is nothing.
    fn filled(&self, text: &str) -> String {
        let mut all = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            all.push_str(before);
            let braced = after.strip_prefix('{').and_then(|after| after.split_once('}'));
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            let (name, more) = braced.unwrap_or_else(|| after.split_at(end));
            if name.is_empty() {
                all.push('$');
            } else if self.allowed.iter().any(|allowed| allowed == name) {
                all.push_str(&std::env::var(name).unwrap_or_default());
            }
            rest = more;
        }
        all + rest
    }
}

/// What an answer has said: an object is as good as a command's, a status alone can never refuse.
pub(super) fn read(event: Event, answer: Result<(u16, String), String>) -> Said {
    match answer {
        Err(why) => Said::failed(why),
        Ok((status, body)) if (200..300).contains(&status) => match body.trim() {
            "" => Said::default(),
            text => Dialect::Claude.read_object(event, text).unwrap_or_else(Said::failed),
        },
        Ok((status, _)) => Said::failed(format!("it was answered with the status {status}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot go on has failed

    use serde_json::json;

    use super::*;

    fn address(handler: &Value) -> Result<Address, String> {
        Address::read(handler.as_object().unwrap(), Duration::from_secs(1))
    }

    #[test]
    fn headers_hold_only_the_variables_that_they_may() {
        let given = json!({ "url": "http://127.0.0.1", "headers": { "a": "x $PATH ${HOME}y $ $", "b": "${PATH" }, "allowedEnvVars": ["PATH"] });
        let request = address(&given).unwrap().request(b"{}");
        let path = std::env::var("PATH").unwrap();
        assert_eq!(request.headers[0].1, format!("x {path} y $ $"));
        assert_eq!(request.headers[1].1, "${PATH");
        for bad in
            [json!({}), json!({ "url": "file:///x" }), json!({ "url": "http://x", "headers": { "a": 1 } })]
        {
            assert!(address(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn answers_of_rows_37_and_38() {
        use super::super::{Status, Word};
        let deny = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no" } });
        let said = |status: u16, body: &str| read(Event::PreToolUse, Ok((status, body.to_owned())));
        assert_eq!(said(403, &deny.to_string()).status, Status::Failed);
        assert_eq!(said(200, &deny.to_string()).word, Some(Word::Deny("no".into())));
        assert_eq!(said(204, ""), Said::default());
        assert_eq!(said(200, "fine").status, Status::Failed);
        assert_eq!(read(Event::PreToolUse, Err("refused".into())).problem.as_deref(), Some("refused"));
    }
}
