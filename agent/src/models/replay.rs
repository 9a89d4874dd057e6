//! `replay`: plays a script of answers, so that a session can be run offline and told exactly.
//!
//! One answer a line, as JSON; empty lines and lines that begin with `//` do not count:
//!
//! ```text
//! {"text": "I'll look.", "tool_calls": [{"tool": "shell", "kwargs": {"command": "ls"}}]}
//! {"text": "Done.", "usage": {"input_tokens": 120, "output_tokens": 3}}
//! {"error": {"kind": "rate_limited", "retry_after_ms": 10}}
//! ```
//!
//! | key | meaning |
//! |---|---|
//! | `text`, `reasoning` | what is streamed |
//! | `tool_calls` | native calls: `tool`, and `kwargs`, or `args` and `content` |
//! | `usage`, `finish_reason` | what is reported at the end |
//! | `chunk_size` | characters a piece; 16 unless said |
//! | `delay_ms` | wait before each piece |
//! | `expect` | text that the last message must contain, else the script fails |
//! | `error` | fail instead: `rate_limited`, `server`, `authentication`, `cut` |
//! | `repeat` | this answer stands for all that follow |

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hookspec::{BoxFuture, CallFormat, ChunkKind, FinishReason, Request, ToolUse, Usage};
use serde::Deserialize;

use super::{ChunkSink, Model, ModelError, Response};

const CHUNK: usize = 16;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    text: String,
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    tool_calls: Vec<ToolUse>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    finish_reason: Option<FinishReason>,
    #[serde(default)]
    chunk_size: Option<usize>,
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    expect: Option<String>,
    #[serde(default)]
    error: Option<ScriptedError>,
    #[serde(default)]
    repeat: bool,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ScriptedError {
    RateLimited {
        #[serde(default)]
        retry_after_ms: Option<u64>,
    },
    Server,
    Authentication,
    Cut,
}

/// Plays a script.
#[derive(Debug)]
pub struct Replay {
    name: String,
    lines: Vec<(usize, Line)>,
    next: AtomicUsize,
}

impl Replay {
    /// Reads a script from a file.
    ///
    /// # Errors
    /// If it cannot be read, or a line is not an answer.
    pub fn open(name: &str, path: &Path) -> Result<Self, ModelError> {
        let text = std::fs::read_to_string(path).map_err(|error| ModelError::Script {
            file: path.display().to_string(),
            at: String::new(),
            why: error.to_string(),
        })?;
        Self::from_text(name, &text)
    }

    /// Reads a script from text.
    ///
    /// # Errors
    /// If a line is not an answer.
    pub fn from_text(name: &str, text: &str) -> Result<Self, ModelError> {
        let mut lines = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim_start().starts_with("//") {
                continue;
            }
            let parsed = serde_json::from_str(line).map_err(|error| ModelError::Script {
                file: name.to_owned(),
                at: format!(", line {}", index + 1),
                why: error.to_string(),
            })?;
            lines.push((index + 1, parsed));
        }
        Ok(Self { name: name.to_owned(), lines, next: AtomicUsize::new(0) })
    }

    fn error(&self, line: usize, why: String) -> ModelError {
        ModelError::Script { file: self.name.clone(), at: format!(", line {line}"), why }
    }

    fn line(&self) -> Result<&(usize, Line), ModelError> {
        let next = self.next.fetch_add(1, Ordering::SeqCst);
        let repeated = || self.lines.last().filter(|(_, line)| line.repeat);
        self.lines.get(next).or_else(repeated).ok_or_else(|| ModelError::Script {
            file: self.name.clone(),
            at: String::new(),
            why: format!("it has {} answers and all are used; add a line", self.lines.len()),
        })
    }

    fn scripted(&self, error: &ScriptedError) -> ModelError {
        let model = self.name.clone();
        match error {
            ScriptedError::RateLimited { retry_after_ms } => {
                ModelError::RateLimited { model, retry_after: retry_after_ms.map(Duration::from_millis) }
            }
            ScriptedError::Server => ModelError::Server { model, status: 500, body: "scripted".into() },
            ScriptedError::Authentication => ModelError::Authentication { model, status: 401 },
            ScriptedError::Cut => ModelError::Cut { model, partial: String::new() },
        }
    }

    async fn play(&self, request: &Request, sink: &mut dyn ChunkSink) -> Result<Response, ModelError> {
        let (number, line) = self.line()?;
        if let Some(expected) = &line.expect {
            let last = request.messages.iter().rev().find(|message| !message.hide);
            let last = last.map_or("", |message| &message.content);
            if !last.contains(expected.as_str()) {
                return Err(self.error(
                    *number,
                    format!("the last message should contain `{expected}`; it is `{last}`"),
                ));
            }
        }
        if let Some(error) = &line.error {
            return Err(self.scripted(error));
        }
        let began = Instant::now();
        let mut ttft = None;
        let mut sent = String::new();
        for (text, kind) in [(&line.reasoning, ChunkKind::Reasoning), (&line.text, ChunkKind::Text)] {
            let mut letters = text.chars().peekable();
            while letters.peek().is_some() {
                let piece: String = letters.by_ref().take(line.chunk_size.unwrap_or(CHUNK).max(1)).collect();
                if line.delay_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(line.delay_ms)).await;
                }
                ttft.get_or_insert_with(|| began.elapsed());
                if kind == ChunkKind::Text {
                    sent.push_str(&piece);
                }
                if sink.chunk(&piece, kind).await.is_break() {
                    return Err(ModelError::Interrupted { partial: sent });
                }
            }
        }
        let tool_uses: Vec<ToolUse> = line
            .tool_calls
            .iter()
            .enumerate()
            .map(|(index, call)| ToolUse {
                call_id: call.call_id.clone().or_else(|| Some(format!("call-{number}-{index}"))),
                format: CallFormat::Tool,
                ..call.clone()
            })
            .collect();
        let reason = if tool_uses.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        Ok(Response {
            text: line.text.clone(),
            reasoning: line.reasoning.clone(),
            tool_uses,
            usage: line.usage,
            finish_reason: line.finish_reason.unwrap_or(reason),
            model: self.name.clone(),
            ttft,
        })
    }
}

impl Model for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    /// A script may use either way; what it says in fences counts where it makes no native call.
    fn native_tools(&self) -> bool {
        false
    }

    fn generate<'a>(
        &'a self,
        request: &'a Request,
        sink: &'a mut dyn ChunkSink,
    ) -> BoxFuture<'a, Result<Response, ModelError>> {
        Box::pin(self.play(request, sink))
    }

    fn skip_to(&self, answers: usize) {
        self.next.store(answers, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    struct Take(Vec<String>, usize);

    impl ChunkSink for Take {
        fn chunk<'a>(&'a mut self, text: &'a str, _: ChunkKind) -> BoxFuture<'a, ControlFlow<()>> {
            self.0.push(text.to_owned());
            let done = self.0.len() >= self.1;
            Box::pin(async move { if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) } })
        }
    }

    async fn play(script: &str, most: usize) -> (Vec<String>, Result<Response, ModelError>) {
        let replay = Replay::from_text("replay:test", script).unwrap();
        let mut sink = Take(Vec::new(), most);
        let response = replay.generate(&Request::default(), &mut sink).await;
        (sink.0, response)
    }

    #[tokio::test]
    async fn text_is_streamed_in_whole_letters() {
        let (pieces, response) = play(r#"{"text":"Grüße","chunk_size":2}"#, 99).await;
        assert_eq!(pieces, ["Gr", "üß", "e"]);
        assert_eq!(response.unwrap().text, "Grüße");
    }

    #[tokio::test]
    async fn a_sink_that_wants_no_more_interrupts() {
        let (_, response) = play(r#"{"text":"abcdef","chunk_size":2}"#, 2).await;
        assert_eq!(response, Err(ModelError::Interrupted { partial: "abcd".into() }));
    }

    #[tokio::test]
    async fn errors_and_the_end_of_the_script_are_told() {
        let (_, limited) = play(r#"{"error":{"kind":"rate_limited","retry_after_ms":7}}"#, 9).await;
        assert_eq!(limited.unwrap_err().retry_after(), Some(Duration::from_millis(7)));
        let (_, over) = play("// nothing\n\n", 9).await;
        assert!(over.unwrap_err().to_string().contains("it has 0 answers and all are used"));
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = Replay::from_text("s.jsonl", "{}\n{\"txt\":1}").unwrap_err().to_string();
        assert!(error.starts_with("the script s.jsonl, line 2: unknown field `txt`"), "{error}");
    }
}
