//! Where words stand: what is quoted where attacks are talked of is an example of one.

use super::plain::Plain;
use super::signals::Place;
use super::words::{Sense, Word};

/// So near, in bytes of the plain text, the talk has to be.
const NEAR: usize = 300;
/// A quotation is no longer, in bytes.
const QUOTE: usize = 400;

/// Marks that open a quotation, and what closes it.
const MARKS: [(char, &[char]); 9] = [
    ('"', &['"']),
    ('`', &['`']),
    ('\'', &['\'']),
    ('“', &['”', '“']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('‘', &['’']),
    ('「', &['」']),
    ('『', &['』']),
];

/// What is known of the places of a text.
#[derive(Debug, Default)]
pub(super) struct Examples {
    /// Bytes of the plain text.
    ranges: Vec<(usize, usize)>,
}

impl Examples {
    /// The quotations of a text near which attacks are talked of, in words that are not quoted themselves.
    pub(super) fn of(source: &str, plain: &Plain, words: &[Word]) -> Self {
        let quotes: Vec<(usize, usize)> =
            quotes(source).into_iter().map(|(start, end)| (plain.plain(start), plain.plain(end))).collect();
        let talk: Vec<usize> = words
            .iter()
            .filter(|word| word.sense == Sense::Talk && range_of(&quotes, word.start).is_none())
            .map(|word| word.start)
            .collect();
        let near = |(start, end): &(usize, usize)| {
            let next = talk.partition_point(|at| *at < start.saturating_sub(NEAR));
            talk.get(next).is_some_and(|at| *at <= end.saturating_add(NEAR))
        };
        Self { ranges: quotes.iter().copied().filter(near).collect() }
    }
}

impl Place for Examples {
    fn is_example(&self, start: usize, end: usize) -> bool {
        range_of(&self.ranges, start).is_some_and(|(_, to)| end <= to)
    }
}

/// The range that a place lies in; they are in order and do not overlap.
pub(super) fn range_of(ranges: &[(usize, usize)], at: usize) -> Option<(usize, usize)> {
    let next = ranges.partition_point(|(start, _)| *start <= at);
    next.checked_sub(1).and_then(|last| ranges.get(last)).copied().filter(|(_, end)| at < *end)
}

/// Nothing is an example.
pub(super) struct Anywhere;

impl Place for Anywhere {
    fn is_example(&self, _: usize, _: usize) -> bool {
        false
    }
}

/// The quotations of a text, each on one line.
fn quotes(source: &str) -> Vec<(usize, usize)> {
    let mut quotes = Vec::new();
    let mut before = ' ';
    let mut free = 0;
    for (at, c) in source.char_indices() {
        let opens = MARKS.iter().find(|(open, _)| *open == c);
        // An apostrophe stands within a word.
        let is_apostrophe = matches!(c, '\'' | '’' | '‘') && before.is_alphanumeric();
        before = c;
        let Some((_, closing)) = opens.filter(|_| at >= free && !is_apostrophe) else { continue };
        let rest = &source[at + c.len_utf8()..];
        let end =
            rest.char_indices().take_while(|(end, c)| *end < QUOTE && *c != '\n').find(|(end, mark)| {
                let within_word = *mark == '\'' && rest[end + 1..].starts_with(char::is_alphanumeric);
                closing.contains(mark) && !within_word
            });
        if let Some((end, mark)) = end {
            free = at + c.len_utf8() + end + mark.len_utf8();
            quotes.push((at, free));
        }
    }
    quotes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found_and_apostrophes_are_none() {
        let texts = |text: &'static str| -> Vec<&str> {
            quotes(text).into_iter().map(|(start, end)| &text[start..end]).collect()
        };
        assert_eq!(texts("a \"b c\" d `e`"), ["\"b c\"", "`e`"]);
        assert_eq!(texts("don't say 'it's so' or „x“"), ["'it's so'", "„x“"]);
        assert_eq!(texts("\"open\nnext\""), [""; 0]);
        assert_eq!(texts("「以前」と『x』"), ["「以前」", "『x』"]);
    }
}
