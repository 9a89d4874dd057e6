//! The session in the terminal: what streams, what tools and hooks say.

use std::io::Write;

use hookspec::{CallFormat, ChunkKind, Message, ToolUse};
use hookspec_agent::Frontend;
use hookspec_process::visible_line;

use crate::output::{ACCENT, DIM, WARN, paint};

/// Writes a session to the terminal as it happens.
#[derive(Debug, Default)]
pub(crate) struct Show;

/// At most so many lines of one message are shown; the log has them all.
const MOST_LINES: usize = 24;

fn write(text: &str) {
    let mut out = anstream::stdout().lock();
    // A terminal that went away must not end the session: its log is what counts.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

impl Frontend for Show {
    fn accepted(&self, message: &Message) {
        // The user knows what the user wrote; with what a hook goes on has to be seen.
        if message.hook.is_some() && !message.hide {
            self.message(message);
        }
    }

    fn chunk(&self, text: &str, kind: ChunkKind) {
        let text = harmless(text);
        match kind {
            ChunkKind::Text => write(&text),
            ChunkKind::Reasoning => write(&paint(DIM, text)),
        }
    }

    fn answered(&self, _message: &Message) {
        write("\n");
    }

    fn called(&self, call: &ToolUse, seen: bool) {
        // A call in a block of the answer was shown as it streamed.
        if !seen && call.format == CallFormat::Tool {
            write(&format!("{}\n", paint(DIM, format!("→ {}", describe(call)))));
        }
    }

    fn message(&self, message: &Message) {
        let tool = message.metadata.as_ref().and_then(|metadata| metadata.tool.as_deref());
        let who = match (&message.hook, tool) {
            (Some(hook), _) => paint(ACCENT, format!("⚑ {hook}")),
            (None, Some(tool)) => paint(DIM, format!("⚙ {tool}")),
            (None, None) => paint(DIM, "·"),
        };
        let content = harmless(&message.content);
        let lines: Vec<&str> = content.lines().collect();
        let mut text = lines.iter().take(MOST_LINES).copied().collect::<Vec<_>>().join("\n    ");
        if lines.len() > MOST_LINES {
            text.push_str(&format!("\n    … {} more lines", lines.len() - MOST_LINES));
        }
        write(&format!("  {who} {text}\n"));
    }

    fn notice(&self, text: &str) {
        write(&format!("  {} {text}\n", paint(WARN, "!")));
    }
}

/// Text without what a terminal would obey: colours and moves of whoever wrote it.
fn harmless(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
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
    visible_line(format!("{} {}", call.tool, words.collect::<Vec<_>>().join(" ")).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

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
