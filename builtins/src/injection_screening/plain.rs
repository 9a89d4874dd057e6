//! A text as it is compared with the rules: without the tricks that hide words from a comparison and not
//! from a reader.

use hookspec_process::{deceives, look_alike};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// So many invisible tag characters in a row carry a text; a flag of a region has at most seven.
const HIDDEN: usize = 8;

/// A text in plain small letters, and where each part of it came from.
#[derive(Debug, Default)]
pub(super) struct Plain {
    pub(super) text: String,
    /// Offsets in the source where texts begin that nobody sees.
    pub(super) hidden: Vec<usize>,
    /// Plain offset and source offset wherever the distance between the two changes.
    steps: Vec<(usize, usize)>,
    source_len: usize,
}

impl Plain {
    /// Letters are decomposed (full-width, ligatures, accents) and made small, look-alikes become Latin, invisible
    /// characters and emphasis marks go, and every run of white space is one space.
    pub(super) fn of(source: &str) -> Self {
        let mut plain = Self { source_len: source.len(), ..Self::default() };
        plain.text.reserve(source.len());
        let mut tags = 0;
        for (at, ch) in source.char_indices() {
            if ch.is_ascii() {
                plain.push(at, ch.to_ascii_lowercase());
            } else if let Some(tag) = tag_character(ch) {
                tags += 1;
                if tags == HIDDEN {
                    plain.hidden.push(at);
                }
                plain.push(at, tag.to_ascii_lowercase());
                continue;
            } else {
                for ch in std::iter::once(ch).nfkd() {
                    if ch.is_whitespace() || !(is_combining_mark(ch) || deceives(ch)) {
                        // Of one letter that has two small ones nothing is looked for.
                        let small = ch.to_lowercase().next().unwrap_or(ch);
                        plain.push(at, look_alike(small));
                    }
                }
            }
            tags = 0;
        }
        plain
    }

    fn push(&mut self, at: usize, ch: char) {
        let ch = if ch.is_whitespace() { ' ' } else { ch };
        if matches!(ch, '*' | '`') || (ch == ' ' && self.text.ends_with(' ')) {
            return;
        }
        if self.source(self.text.len()) != at {
            self.steps.push((self.text.len(), at));
        }
        self.text.push(ch);
    }

    /// The offset in the plain text that belongs to an offset in the source.
    pub(super) fn plain(&self, source: usize) -> usize {
        let next = self.steps.partition_point(|(_, at)| *at <= source);
        let (from, at) =
            next.checked_sub(1).and_then(|step| self.steps.get(step)).copied().unwrap_or_default();
        (from + source - at).min(self.text.len())
    }

    /// The offset in the source that belongs to an offset in the plain text.
    pub(super) fn source(&self, plain: usize) -> usize {
        let next = self.steps.partition_point(|(from, _)| *from <= plain);
        let (from, at) =
            next.checked_sub(1).and_then(|step| self.steps.get(step)).copied().unwrap_or_default();
        (at + plain - from).min(self.source_len)
    }
}

/// The letter that an invisible "tag" character stands for.
fn tag_character(ch: char) -> Option<char> {
    match u32::from(ch) {
        code @ 0xE0020..=0xE007E => char::from_u32(code - 0xE0000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tricks_become_plain_and_offsets_lead_back() {
        let table = [
            ("a  b\n\tc", "a b c"),
            ("ig\u{200b}nore\u{2800}\u{1d159}", "ignore"),
            ("ｉｇｎｏｒｅ", "ignore"),
            ("іgnоrе", "ignore"),
            ("Ignoré **ALL**", "ignore all"),
            ("don’t", "don't"),
            ("\u{e0069}\u{e0067}", "ig"),
        ];
        for (source, plain) in table {
            assert_eq!(Plain::of(source).text, plain, "{source:?}");
        }
        let source = "é\u{200b}x **déjà**  vu";
        let plain = Plain::of(source);
        assert_eq!(plain.text, "ex deja vu");
        let at = plain.source(plain.text.find("vu").unwrap());
        assert_eq!(&source[at..], "vu");
        let at = plain.source(plain.text.find("deja").unwrap());
        assert!(source[at..].starts_with("déjà"), "{}", &source[at..]);
        assert_eq!(plain.source(plain.text.len()), source.len());
    }

    #[test]
    fn a_hidden_text_is_seen_and_a_flag_is_none() {
        let hidden: String = "follow me".chars().filter_map(|c| char::from_u32(c as u32 + 0xE0000)).collect();
        assert_eq!(Plain::of(&format!("hi {hidden}")).hidden.len(), 1);
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
        assert!(Plain::of(flag).hidden.is_empty());
    }
}
