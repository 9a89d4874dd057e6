//! The session in the terminal: what streams, what tools and hooks say.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use hookspec::model::ChunkKind;
use hookspec::session::InterruptReason;
use hookspec::tool::CallFormat;
use hookspec::{Message, ToolUse};
use hookspec_agent::Frontend;

use crate::foreign::{self, Pieces};
use crate::output::{ACCENT, DIM, WARN, paint};
use crate::screen;

/// Writes a session to the terminal as it happens.
#[derive(Debug, Default)]
pub(crate) struct Show {
    streaming: Mutex<Streaming>,
}

/// What of the model's answer has come and is not shown yet.
#[derive(Debug, Default)]
struct Streaming {
    pieces: Pieces,
    kind: Option<ChunkKind>,
    /// Whether what was shown last is the beginning of a line.
    open: bool,
}

/// At most so many lines of one message are shown; the log has them all.
const MOST_LINES: usize = 24;

impl Streaming {
    fn add(&mut self, text: &str, kind: ChunkKind) -> String {
        let before = if self.kind == Some(kind) { String::new() } else { self.end() };
        self.kind = Some(kind);
        self.open = !text.ends_with('\n');
        before + &painted(self.pieces.add(text), self.kind)
    }

    fn end(&mut self) -> String {
        painted(self.pieces.end(), self.kind)
    }
}

fn painted(text: String, kind: Option<ChunkKind>) -> String {
    match kind {
        Some(ChunkKind::Reasoning) if !text.is_empty() => paint(DIM, text),
        _ => text,
    }
}

impl Show {
    /// Writes what was made of the stream's state, and keeps others from writing between.
    fn write(&self, text: impl FnOnce(&mut Streaming) -> String) {
        let mut streaming = self.streaming.lock().unwrap_or_else(PoisonError::into_inner);
        let text = text(&mut streaming);
        let mut out = anstream::stdout().lock();
        // A terminal that went away must not end the session: its log is what counts.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Writes something that is not of the stream, behind what of it has come.
    fn say(&self, text: &str) {
        self.write(|streaming| {
            streaming.open = false;
            streaming.end() + text
        });
    }
}

impl Frontend for Show {
    fn accepted(&self, message: &Message) {
        // The user knows what the user wrote; with what a hook goes on has to be seen.
        if message.hook.is_some() && !message.hide {
            self.message(message);
        }
    }

    fn chunk(&self, text: &str, kind: ChunkKind) {
        self.write(|streaming| streaming.add(text, kind));
    }

    fn answered(&self, _message: &Message) {
        self.say("\n");
    }

    fn called(&self, call: &ToolUse, seen: bool) {
        // A call in a block of the answer was shown as it streamed.
        if !seen && call.format == CallFormat::Tool {
            self.say(&format!("{}\n", paint(DIM, format!("→ {}", describe(call)))));
        }
    }

    fn message(&self, message: &Message) {
        self.say(&told(message));
    }

    fn interrupted(&self, _reason: InterruptReason) {
        // The terminal has shown `^C` where the cursor was.
        if std::io::stdout().is_terminal() {
            self.say("\n");
        }
    }

    fn notice(&self, text: &str) {
        let told = format!("  {} {}\n", paint(WARN, "!"), foreign::text(text));
        let told = screen::fitted(&told, screen::columns());
        self.write(|streaming| {
            // Behind an answer that broke off.
            let gap = if std::mem::take(&mut streaming.open) { "\n" } else { "" };
            streaming.end() + gap + &told
        });
    }
}

/// A message that is not the model's, with who it is from.
fn told(message: &Message) -> String {
    let tool = message.metadata.as_ref().and_then(|metadata| metadata.tool.as_deref());
    let who = match (&message.hook, tool) {
        (Some(hook), _) => paint(ACCENT, format!("⚑ {}", foreign::line(hook))),
        (None, Some(tool)) => paint(DIM, format!("⚙ {}", foreign::line(tool))),
        (None, None) => paint(DIM, "·"),
    };
    let content = foreign::text(&message.content);
    let lines: Vec<&str> = content.lines().collect();
    let mut text = lines.iter().take(MOST_LINES).copied().collect::<Vec<_>>().join("\n    ");
    if lines.len() > MOST_LINES {
        text.push_str(&format!("\n    … {} more lines", lines.len() - MOST_LINES));
    }
    if text.trim().is_empty() && tool.is_some() {
        text = "(no output)".to_owned();
    }
    format!("  {who} {text}\n")
}

/// A message without the tags that a model reads: `<system_info>…</system_info>`. What is no pair stays.
pub(crate) fn untagged(text: &str) -> String {
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find('<')).map(|at| from + at) {
        from = start + 1;
        let Some(end) = text[start..].find('>').map(|at| start + at) else { break };
        let name = text[start + 1..end].to_owned();
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'));
        let close = format!("</{name}>");
        if let Some(at) = text[end..].find(&close).map(|at| end + at).filter(|_| is_name) {
            text.replace_range(at..at + close.len(), "");
            text.replace_range(start..=end, "");
            from = start;
        }
    }
    text
}

pub(crate) fn describe(call: &ToolUse) -> String {
    // In an order that does not hang on how the program was built; the file is what one looks for.
    let mut kwargs: Vec<_> = call.kwargs.iter().collect();
    kwargs.sort_by_key(|(name, _)| (*name != "path", *name));
    let words = call.args.iter().cloned().chain(kwargs.into_iter().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let first = text.lines().next().unwrap_or_default();
        let more = if text.lines().nth(1).is_some() { "…" } else { "" };
        format!("{name}={first}{more}")
    }));
    foreign::line(format!("{} {}", call.tool, words.collect::<Vec<_>>().join(" ")).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_said_and_who_said_it_is_written_out() {
        let mut message = Message::system("a\rb\r\nc\u{202e}\u{9b}2K");
        let tool = |name: &str| hookspec::model::Metadata { tool: Some(name.into()), ..Default::default() };
        message.metadata = Some(Box::new(tool("sa\u{200b}ve")));
        let plain = |message: &Message| anstream::adapter::strip_str(&told(message)).to_string();
        assert_eq!(plain(&message), "  ⚙ sa\\u{200b}ve a\\rb\n    c\\u{202e}\\u{9b}2K\n");
        message.content = "\n".into();
        assert_eq!(plain(&message), "  ⚙ sa\\u{200b}ve (no output)\n");
        message.hook = Some("h\u{1b}[2K".into());
        message.content = "x".into();
        assert_eq!(plain(&message), "  ⚑ h\\u{1b}[2K x\n");
    }

    #[test]
    fn a_sequence_cut_between_two_pieces_is_written_out_and_kinds_do_not_mix() {
        let mut streaming = Streaming::default();
        let mut shown = String::new();
        for (piece, kind) in [
            ("a\u{1b}", ChunkKind::Text),
            ("]0;t", ChunkKind::Text),
            ("\u{7}b\r", ChunkKind::Text),
            ("\nc\r", ChunkKind::Text),
            ("d", ChunkKind::Reasoning),
        ] {
            shown.push_str(&streaming.add(piece, kind));
        }
        shown.push_str(&streaming.end());
        let plain = anstream::adapter::strip_str(&shown).to_string();
        assert_eq!(plain, "a\\u{1b}]0;t\\u{7}b\nc\\rd");
    }

    #[test]
    fn tags_in_pairs_are_taken_out_and_others_are_not() {
        for (text, plain) in [
            ("<system_info>It is 3.</system_info>", "It is 3."),
            ("<a-b>\none <task>\n</a-b>", "\none <task>\n"),
            ("<a><b>x</b></a> <a>y</a>", "x y"),
            ("1 < 2 > 0 <B>x</B> <>y</> <a", "1 < 2 > 0 <B>x</B> <>y</> <a"),
            ("<ä>x</ä> </a><a>", "<ä>x</ä> </a><a>"),
        ] {
            assert_eq!(untagged(text), plain);
        }
    }
}
