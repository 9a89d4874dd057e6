//! A text that comes in pieces: of each as much goes on as no later piece can make part of something that is taken out.

use super::Session;
use super::redact::Cut;

/// So much of what went on is kept, in bytes, for what follows is read together with it.
const CONTEXT: usize = 2048;
/// A run without a space that is longer goes on but for its end: no credential is so long.
const LONGEST: usize = 4096;

/// Redacts a text that comes in pieces, as a model's answer does. Made by [`Session::redact_pieces`].
///
/// The last word is held back until it is complete, and a key until its end: what goes on is what the whole text redacted
/// begins with. Without a redactor everything goes on at once.
#[derive(Debug)]
pub struct Pieces {
    session: Session,
    /// The end of the text so far.
    text: String,
    /// So many bytes of it went on, or something stands for them.
    gone: usize,
}

impl Session {
    /// Redacts a text that comes in pieces.
    #[must_use]
    pub fn redact_pieces(&self) -> Pieces {
        Pieces { session: self.clone(), text: String::new(), gone: 0 }
    }
}

impl Pieces {
    /// Takes the next piece, and gives what may go on.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        if !self.session.redacts() {
            return piece.to_owned();
        }
        self.text.push_str(piece);
        let word = self
            .text
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + self.text[at..].chars().next().map_or(1, char::len_utf8));
        let mut safe = word;
        if self.text.len() - word.max(self.gone) > LONGEST {
            safe = self.text.floor_char_boundary(self.text.len() - LONGEST / 2);
        }
        if safe <= self.gone {
            return String::new();
        }
        let out = self.until(safe);
        self.forget();
        out
    }

    /// The text is at its end: gives what is left of it.
    #[must_use]
    pub fn end(mut self) -> String {
        let all = self.text.len();
        self.until_end(all)
    }

    /// What may go on of the text before a place.
    fn until(&mut self, safe: usize) -> String {
        let Ok(cuts) = self.session.0.redactions.cuts(&self.text) else {
            // What could not be looked at stays here; what is said of it is said at the end.
            return String::new();
        };
        // What may still grow is not settled.
        let growing = cuts.iter().find(|cut| cut.range.end >= safe);
        let safe = growing.map_or(safe, |cut| safe.min(cut.range.start));
        self.take(&cuts, safe)
    }

    fn until_end(&mut self, all: usize) -> String {
        if self.gone >= all {
            return String::new();
        }
        match self.session.0.redactions.cuts(&self.text) {
            Ok(cuts) => self.take(&cuts, all),
            Err(failed) => failed.stand_in(),
        }
    }

    /// Gives the text from what went on to a place, redacted.
    fn take(&mut self, cuts: &[Cut], safe: usize) -> String {
        let mut out = String::new();
        for Cut { range, stand_in } in cuts {
            if range.end <= self.gone || range.start >= safe {
                continue;
            }
            out.push_str(self.text.get(self.gone..range.start).unwrap_or_default());
            out.push_str(stand_in);
            self.gone = range.end;
        }
        if self.gone < safe {
            out.push_str(self.text.get(self.gone..safe).unwrap_or_default());
            self.gone = safe;
        }
        out
    }

    /// Forgets what is no part of what follows.
    fn forget(&mut self) {
        if self.gone > 4 * CONTEXT {
            let from = self.text.floor_char_boundary(self.gone - CONTEXT);
            // At the beginning of a word, so that no rest of one is taken for a whole one.
            let from = self.text[from..self.gone].find(char::is_whitespace).map_or(self.gone, |at| from + at);
            self.text.drain(..from);
            self.gone -= from;
        }
    }
}
