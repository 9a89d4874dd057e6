//! Text that this program did not write, as a terminal may have it: a model's, a tool's, a hook's, a file's.
//!
//! It is escaped as the question before a call is, so that what a person read there is what stands here too.

use hookspec_process::{hangs_on_next, visible, visible_line};

/// Such a text in lines; only line breaks and tabs stay. A line that ends as on Windows ends as any other.
pub(crate) fn text(text: &str) -> String {
    visible(&text.replace("\r\n", "\n"))
}

/// Such a text on one line: a name, a path, a reason.
pub(crate) fn line(text: impl std::fmt::Display) -> String {
    visible_line(&text.to_string())
}

/// Such a text that arrives in pieces. The end of a piece may wait for what follows it: a line end in two halves, or
/// pictures that become one.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    held: String,
}

impl Pieces {
    /// What may be shown now that this piece has come.
    pub(crate) fn add(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let waits = self.held.trim_end_matches(may_go_on).len();
        let rest = self.held.split_off(waits);
        text(&std::mem::replace(&mut self.held, rest))
    }

    /// What is left, since nothing follows.
    pub(crate) fn end(&mut self) -> String {
        text(&std::mem::take(&mut self.held))
    }
}

/// Whether it hangs on the next character how this one is shown.
fn may_go_on(c: char) -> bool {
    c == '\r' || hangs_on_next(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: [&str; 6] = [
        "a\rb\r\nc\u{202e}\u{200b}\u{3164}\u{9b}31m",
        "\u{1b}]0;t\u{7}x\u{1b}[2K\u{1b}]8;;http://a\u{1b}\\b",
        "👩\u{200d}💻 👩\u{200d}x 👩\u{200d}",
        "\r\n\r\r\n\r",
        "ends\r",
        "",
    ];

    #[test]
    fn nothing_passes_but_line_breaks_and_tabs() {
        assert_eq!(text(HOSTILE[0]), "a\\rb\nc\\u{202e}\\u{200b}\\u{3164}\\u{9b}31m");
        assert_eq!(text(HOSTILE[1]), r"\u{1b}]0;t\u{7}x\u{1b}[2K\u{1b}]8;;http://a\u{1b}\b");
        assert_eq!(line("a\nb\tc\r\n"), r"a\nb\tc\r\n");
    }

    #[test]
    fn wherever_a_text_is_cut_it_is_shown_as_if_whole() {
        for hostile in HOSTILE {
            let chars: Vec<char> = hostile.chars().collect();
            for size in 1..=chars.len() {
                let mut pieces = Pieces::default();
                let mut shown: String =
                    chars.chunks(size).map(|piece| pieces.add(&String::from_iter(piece))).collect();
                shown.push_str(&pieces.end());
                assert_eq!(shown, text(hostile), "{size}");
            }
        }
    }
}
