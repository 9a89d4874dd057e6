//! Finding known values: whole, in each of their forms, cut off, and wrapped.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use hookspec::redact::Cut;

use super::{Value, forms};

/// A shorter one is found only where it stands alone, and not where it is wrapped.
const SHORT: usize = 12;
/// Of what is so long parts are found as well, of this length: what `cut` or `head -c` leaves of it.
const BLOCK: usize = 16;

/// Finds some values.
pub(super) struct Matcher {
    words: AhoCorasick,
    /// For each word: of which value it is, and what of it.
    kinds: Vec<(usize, Kind)>,
    values: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Form,
    /// A part that begins so far into it.
    Part(usize),
}

impl Matcher {
    /// `None` where there is nothing to look for.
    pub(super) fn new(values: Vec<Value>) -> Option<Self> {
        let (mut words, mut kinds) = (Vec::new(), Vec::new());
        for (index, value) in values.iter().enumerate() {
            let mut add = |word: String, kind| {
                words.push(word);
                kinds.push((index, kind));
            };
            add(value.text.clone(), Kind::Whole);
            for form in forms::of(&value.text) {
                add(form, Kind::Form);
            }
            if value.text.len() >= 2 * BLOCK && value.text.is_ascii() && !value.text.contains(' ') {
                let last = value.text.len() - BLOCK;
                for at in (0..=last).step_by(BLOCK).chain([last]) {
                    add(value.text[at..at + BLOCK].to_owned(), Kind::Part(at));
                }
            }
        }
        if words.is_empty() {
            return None;
        }
        let builder = &mut AhoCorasick::builder();
        let builder =
            builder.match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::ContiguousNFA));
        // A few thousand words of at most some kilobytes: it does not fail.
        let words = builder.build(&words).ok()?;
        Some(Self { words, kinds, values })
    }

    pub(super) fn find(&self, text: &str) -> Vec<Cut> {
        let mut cuts = Vec::new();
        for found in self.words.find_iter(text) {
            let Some((index, kind)) = self.kinds.get(found.pattern().as_usize()) else { continue };
            let Some(value) = self.values.get(*index) else { continue };
            let mut range = found.range();
            match kind {
                Kind::Whole if value.text.len() < SHORT && !stands_alone(text, &range) => continue,
                Kind::Part(at) => grow(text, &value.text, *at, &mut range),
                Kind::Whole | Kind::Form => {}
            }
            cuts.push(cut(value, range));
        }
        if text.contains('\n') || text.contains("\\n") {
            self.wrapped(text, &mut cuts);
        }
        cuts
    }

    /// Finds what is broken across lines, or has spaces between its letters.
    fn wrapped(&self, text: &str, cuts: &mut Vec<Cut>) {
        let squeezed = Squeezed::of(text);
        for found in self.words.find_iter(&squeezed.text) {
            let Some((index, kind)) = self.kinds.get(found.pattern().as_usize()) else { continue };
            let Some(value) = self.values.get(*index).filter(|value| value.text.len() >= SHORT) else {
                continue;
            };
            let mut within = found.range();
            if let Kind::Part(at) = kind {
                grow(&squeezed.text, &value.text, *at, &mut within);
            }
            let range = squeezed.place(&within);
            // What is in one piece was found as such.
            if range.len() > within.len()
                && text.is_char_boundary(range.start)
                && text.is_char_boundary(range.end)
            {
                cuts.push(cut(value, range));
            }
        }
    }
}

fn cut(value: &Value, range: Range<usize>) -> Cut {
    let count = value.text.chars().count();
    Cut { range, stand_in: format!("[redacted: {} (known, {count} characters)]", value.from) }
}

/// Whether neither neighbour is a letter or digit.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let before = text.get(..range.start).and_then(|text| text.chars().next_back());
    let after = text.get(range.end..).and_then(|text| text.chars().next());
    !part(before) && !part(after)
}

/// Makes the range as long as text and value go on alike. The value is ASCII, and so is what is like it.
fn grow(text: &str, value: &str, at: usize, range: &mut Range<usize>) {
    let (text, value) = (text.as_bytes(), value.as_bytes());
    let (mut from, mut to) = (at, at + range.len());
    while range.start > 0 && from > 0 && text.get(range.start - 1) == value.get(from - 1) {
        range.start -= 1;
        from -= 1;
    }
    while to < value.len() && range.end < text.len() && text.get(range.end) == value.get(to) {
        range.end += 1;
        to += 1;
    }
}

/// A text without spaces, line breaks and what stands for them.
struct Squeezed {
    text: String,
    /// For each byte, where it was.
    places: Vec<u32>,
}

impl Squeezed {
    fn of(text: &str) -> Self {
        let mut squeezed =
            Self { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len()) };
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            if c.is_whitespace() || (c == '\\' && matches!(next, Some('\n' | '\r'))) {
                continue;
            }
            if c == '\\' && matches!(next, Some('n' | 'r')) {
                chars.next();
                continue;
            }
            squeezed.text.push(c);
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            squeezed
                .places
                .extend((0..c.len_utf8()).map(|more| at.saturating_add(u32::try_from(more).unwrap_or(0))));
        }
        squeezed
    }

    /// Where a range of it was.
    fn place(&self, range: &Range<usize>) -> Range<usize> {
        let at = |index: usize| self.places.get(index).map_or(0, |at| *at as usize);
        at(range.start)..range.end.checked_sub(1).map_or(0, at) + 1
    }
}
