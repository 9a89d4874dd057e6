//! A text as it is compared with the rules: without the tricks that hide words from a comparison and not
//! from a reader.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// So many invisible tag characters in a row carry a text; a flag of a region has at most seven.
const HIDDEN: usize = 8;

/// A text in plain letters, and where each part of it came from.
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
    /// Letters are decomposed (full-width, ligatures, accents), look-alikes become Latin, invisible
    /// characters and emphasis marks go, and every run of white space is one space.
    pub(super) fn of(source: &str) -> Self {
        let mut plain = Self { source_len: source.len(), ..Self::default() };
        plain.text.reserve(source.len());
        let mut tags = 0;
        for (at, ch) in source.char_indices() {
            if ch.is_ascii() {
                plain.push(at, ch);
            } else if let Some(tag) = tag_character(ch) {
                tags += 1;
                if tags == HIDDEN {
                    plain.hidden.push(at);
                }
                plain.push(at, tag);
                continue;
            } else {
                for ch in
                    std::iter::once(ch).nfkd().filter(|ch| !is_combining_mark(*ch) && !is_invisible(*ch))
                {
                    plain.push(at, look_alike(ch));
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

fn is_invisible(ch: char) -> bool {
    matches!(
        u32::from(ch),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0
            | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
    )
}

/// Letters of other alphabets that look like Latin ones, and typographic marks.
fn look_alike(ch: char) -> char {
    match ch {
        'а' | 'α' => 'a',
        'е' | 'ε' => 'e',
        'о' | 'ο' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'с' | 'ϲ' => 'c',
        'у' | 'γ' => 'y',
        'х' | 'χ' => 'x',
        'і' | 'ι' | 'ı' | 'Ι' | 'І' => 'i',
        'ѕ' => 's',
        'ј' => 'j',
        'һ' => 'h',
        'ԁ' => 'd',
        'ν' | 'ѵ' => 'v',
        'ո' | 'η' => 'n',
        'ɡ' | 'ց' => 'g',
        'Α' | 'А' => 'A',
        'Ε' | 'Е' => 'E',
        'Ο' | 'О' => 'O',
        'Ρ' | 'Р' => 'P',
        'С' => 'C',
        'Τ' | 'Т' | 'т' | 'τ' => 'T',
        'ӏ' | 'Ӏ' => 'l',
        '‘' | '’' | 'ʼ' => '\'',
        '“' | '”' => '"',
        '‐'..='―' => '-',
        _ => ch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tricks_become_plain_and_offsets_lead_back() {
        let table = [
            ("a  b\n\tc", "a b c"),
            ("ig\u{200b}nore", "ignore"),
            ("ｉｇｎｏｒｅ", "ignore"),
            ("іgnоrе", "ignore"),
            ("ignoré **all**", "ignore all"),
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
