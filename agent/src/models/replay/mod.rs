//! A model that plays a script: what tests, demonstrations and the tour run on.
//!
//! One reply a line, as a JSON object; blank lines and lines that start with `//` are skipped:
//!
//! ```text
//! // The first answer calls a tool.
//! {"text": "Let me look.", "tool_calls": [{"tool": "shell", "kwargs": {"command": "ls"}}]}
//! {"expect": "Cargo.toml", "text": "A Rust project.", "usage": {"input_tokens": 90, "output_tokens": 4}}
//! {"error": {"kind": "rate_limited", "retry_after_s": 1}}
//! {"text": "…", "repeat": true}
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `text`, `reasoning` | what is said, thinking first |
//! | `tool_calls` | `{tool, kwargs}` or `{tool, args, content}`, with `call_id` if it matters |
//! | `usage`, `finish_reason` | what is reported; by default nothing, and `stop` or `tool_calls` |
//! | `chunk_size`, `delay_ms` | characters a chunk (16), and the wait before each |
//! | `error` | `{kind, retry_after_s?, status?}` after the text: `authentication`, `rate_limited`, `server`, `request`, `cut`, `malformed`, `connect`, `timeout` |
//! | `expect` | a part of the last message; if it is missing there, the reply is an error naming the line |
//! | `repeat` | on the last line: give it for ever |
//!
//! The script is read whole when it is opened, so a mistake in it shows before the first turn. The position
//! belongs to the model object. A line is used up once its reply has begun, interrupted or not; a line whose
//! `expect` fails is not.

mod script;

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use hookspec::model::{ChunkKind, FinishReason, Request};

use self::script::{Entry, Reply, parse};
use super::{ChunkSink, Model, ModelError, Response};

/// Characters a chunk where the script says nothing.
const CHUNK_SIZE: usize = 16;

/// A model that plays a script.
pub struct Replay {
    /// `replay/NAME`.
    spec: String,
    /// The file or the name, for errors.
    script: String,
    entries: Vec<Entry>,
    /// Lines in the script, for the error at its end.
    lines: usize,
    position: Mutex<Position>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// The next entry.
    entry: usize,
    /// Replies given, the repeated ones counted each time; failures are none.
    replies: usize,
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay")
            .field("script", &self.script)
            .field("replies", &self.entries.len())
            .field("position", &self.lock().entry)
            .finish_non_exhaustive()
    }
}

impl Replay {
    /// Reads the script at `path`.
    ///
    /// # Errors
    /// [`ModelError::ScriptFile`] for a file that can't be read, [`ModelError::Script`] for a line that is
    /// wrong.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|error| ModelError::ScriptFile {
            path: path.into(),
            reason: format!("{error}; name a file of JSON lines after `replay:`."),
        })?;
        Self::from_text(path.to_string_lossy(), &text)
    }

    /// Reads the script `text`; `name` stands for it in errors and in the model's name.
    ///
    /// # Errors
    /// [`ModelError::Script`] for a line that is wrong.
    pub fn from_text(name: impl Into<String>, text: &str) -> Result<Self, ModelError> {
        let script = name.into();
        Ok(Self {
            spec: format!("replay/{script}"),
            entries: parse(&script, text)?,
            lines: text.lines().count(),
            script,
            position: Mutex::default(),
        })
    }

    /// How many replies have been given; failures are not counted.
    #[must_use]
    pub fn replies(&self) -> usize {
        self.lock().replies
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Position> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrong(&self, line: usize, reason: String) -> ModelError {
        ModelError::Script { script: self.script.clone(), line, reason }
    }

    /// The next reply and its number, used up.
    fn next(&self, request: &Request) -> Result<(&Reply, usize), ModelError> {
        let mut position = self.lock();
        let Some(entry) = self.entries.get(position.entry) else {
            return Err(self.wrong(
                self.lines,
                format!(
                    "the script has ended after {} replies; add a line for this one, or `\"repeat\": true` to the \
                     last one.",
                    position.replies
                ),
            ));
        };
        if let Some(expected) = &entry.reply.expect {
            let last = request.messages.last().map_or("", |message| &message.content);
            if !last.contains(expected.as_str()) {
                return Err(self.wrong(
                    entry.line,
                    format!(
                        "the last message should contain \"{expected}\", but it is \"{}\".",
                        super::error::excerpt(last)
                    ),
                ));
            }
        }
        let number = position.replies;
        position.pass(entry);
        Ok((&entry.reply, number))
    }

    async fn run(
        &self,
        request: &Request,
        sink: &mut (dyn ChunkSink + Send),
    ) -> Result<Response, ModelError> {
        let start = Instant::now();
        let (reply, number) = self.next(request)?;
        let text = reply.text.as_deref().unwrap_or_default();
        let size = reply.chunk_size.unwrap_or(CHUNK_SIZE);
        let mut ttft = None;
        let mut said = String::new();
        for (whole, kind) in [(reply.reasoning.as_str(), ChunkKind::Reasoning), (text, ChunkKind::Text)] {
            for piece in chunks(whole, size) {
                if reply.delay_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
                }
                ttft.get_or_insert_with(|| start.elapsed());
                if kind == ChunkKind::Text {
                    said.push_str(piece);
                }
                if let ControlFlow::Break(()) = sink.chunk(piece, kind).await {
                    return Err(ModelError::Interrupted { partial: said });
                }
            }
        }
        if let Some(failure) = &reply.error {
            return Err(failure.error(&self.spec, &said));
        }
        let calls = reply.tool_calls.iter().enumerate();
        Ok(Response {
            text: said,
            reasoning: reply.reasoning.clone(),
            tool_uses: calls.map(|(index, call)| call.tool_use(format!("replay-{number}-{index}"))).collect(),
            usage: reply.usage,
            finish_reason: reply.finish_reason.unwrap_or(if reply.tool_calls.is_empty() {
                FinishReason::Stop
            } else {
                FinishReason::ToolCalls
            }),
            model: self.spec.clone(),
            ttft,
            ..Response::default()
        })
    }
}

impl Position {
    fn pass(&mut self, entry: &Entry) {
        if entry.reply.error.is_none() {
            self.replies = self.replies.saturating_add(1);
        }
        if !entry.reply.repeat {
            self.entry += 1;
        }
    }
}

impl Model for Replay {
    fn name(&self) -> &str {
        &self.spec
    }

    /// Whether any reply of the script calls a tool natively; one that writes its calls into the text is a
    /// model without native tools.
    fn native_tools(&self) -> bool {
        self.entries.iter().any(|entry| !entry.reply.tool_calls.is_empty())
    }

    fn generate<'a>(
        &'a self,
        request: &'a Request,
        sink: &'a mut (dyn ChunkSink + Send),
    ) -> BoxFuture<'a, Result<Response, ModelError>> {
        Box::pin(self.run(request, sink))
    }

    /// Passes over `replies` replies from the start, and the failures between them.
    fn skip_to(&self, replies: usize) {
        let mut position = Position::default();
        while position.replies < replies {
            match self.entries.get(position.entry) {
                // A repeated reply stands for all that are left; a repeated failure gives none.
                Some(entry) if entry.reply.repeat => {
                    if entry.reply.error.is_none() {
                        position.replies = replies;
                    }
                    break;
                }
                Some(entry) => position.pass(entry),
                None => break,
            }
        }
        *self.lock() = position;
    }
}

/// `text` in pieces of `size` characters.
fn chunks(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
