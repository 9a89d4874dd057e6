//! OpenAI's `o200k` vocabulary: how many tokens a text is.
//!
//! A text is cut into pieces by a pattern (words, numbers, punctuation, blanks), and the bytes of each piece are merged in
//! pairs, the pair of the lowest rank first, until no pair is a token. What is left is counted. Merging uses a heap, so
//! that a piece of n bytes takes n log n steps, also one that somebody chose to be slow.
//!
//! `data/o200k_base.tokens` has the 199 998 tokens in the order of their ranks, each with its length in a byte before it.
//! The table over it is made at the first count. Text is never read as a control token.
//! `docs/decisions/0015-build.md` says why no library counts here.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::LazyLock;

use regex::Regex;

static TOKENS: &[u8] = include_bytes!("../../data/o200k_base.tokens");
const KNOWN: usize = 199_998;
/// Bytes of the longest token.
const LONGEST: usize = 128;

static RANKS: LazyLock<HashMap<&'static [u8], u32>> = LazyLock::new(|| {
    let mut ranks = HashMap::with_capacity(KNOWN);
    let mut rest = TOKENS;
    while let Some((length, tail)) = rest.split_first() {
        let (token, tail) = tail.split_at(usize::from(*length).min(tail.len()));
        ranks.insert(token, ranks.len() as u32);
        rest = tail;
    }
    ranks
});

/// Every character begins a piece of one of these kinds, so that a search always finds something where it starts.
static PIECE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const UPPER: &str = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]";
    const LOWER: &str = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";
    const ENDING: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
    let pattern = [
        format!(r"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{ENDING}"),
        format!(r"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{ENDING}"),
        r"\p{N}{1,3}".to_owned(),
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*".to_owned(),
        r"\s*[\r\n]+".to_owned(),
        r"\s+".to_owned(),
    ];
    Regex::new(&pattern.join("|")).ok()
});

/// Tokens of `text`.
pub(crate) fn count(text: &str) -> usize {
    pieces(text).map(tokens_in).sum()
}

/// Tokens of `text`, if they are no more than `most`.
pub(crate) fn count_up_to(text: &str, most: usize) -> Option<usize> {
    let mut sum = 0;
    for piece in pieces(text) {
        sum += tokens_in(piece);
        if sum > most {
            return None;
        }
    }
    Some(sum)
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at == text.len() {
            return None;
        }
        // A pattern that did not compile (a test says it does) makes one piece of everything.
        let end = PIECE.as_ref().and_then(|piece| piece.find_at(text, at)).map_or(text.len(), |m| m.end());
        let piece = &text[at..end];
        let piece = &piece[..piece.len() - left_for_the_next(piece, end == text.len())];
        at += piece.len();
        Some(piece)
    })
}

/// The last of several blanks before a word belongs to the word: its bytes.
fn left_for_the_next(piece: &str, at_the_end: bool) -> usize {
    let mut chars = piece.chars();
    let Some(last) = chars.next_back() else { return 0 };
    let kept = chars.as_str();
    let blanks = last.is_whitespace() && !matches!(last, '\r' | '\n') && !kept.is_empty();
    if blanks && !at_the_end && kept.chars().all(char::is_whitespace) { last.len_utf8() } else { 0 }
}

fn rank(token: &[u8]) -> Option<u32> {
    if token.len() > LONGEST {
        return None;
    }
    RANKS.get(token).copied()
}

/// Tokens of one piece.
fn tokens_in(piece: &str) -> usize {
    let bytes = piece.as_bytes();
    if rank(bytes).is_some() {
        return 1;
    }
    // Part `i` is `bytes[i..ends[i]]`; one that was merged into an earlier part has no end.
    let mut ends: Vec<usize> = (1..=bytes.len()).collect();
    let mut before: Vec<usize> = (0..bytes.len()).map(|i| i.wrapping_sub(1)).collect();
    let mut count = bytes.len();
    let mut pairs = BinaryHeap::with_capacity(bytes.len());
    let pair = |start: usize, end: usize| rank(&bytes[start..end]).map(|rank| Reverse((rank, start, end)));
    pairs.extend((1..bytes.len()).filter_map(|i| pair(i - 1, i + 1)));
    while let Some(Reverse((_, start, end))) = pairs.pop() {
        // The pair is out of date if one of its parts has grown or gone.
        let second = ends[start];
        if second == 0 || second >= bytes.len() || ends[second] != end {
            continue;
        }
        ends[start] = end;
        ends[second] = 0;
        count -= 1;
        if end < bytes.len() {
            before[end] = start;
            pairs.extend(pair(start, ends[end]));
        }
        if let Some(first) = before.get(start).copied().filter(|first| *first < start) {
            pairs.extend(pair(first, end));
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by `tiktoken` 0.14: `len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))`.
    #[test]
    fn as_tiktoken_counts() {
        let rows: Vec<(String, usize)> = serde_json::from_str(include_str!("o200k_tiktoken.json")).unwrap();
        assert!(rows.len() > 100);
        for (text, tokens) in rows {
            assert_eq!(count(&text), tokens, "{text:?}");
        }
    }

    #[test]
    fn the_table_is_whole() {
        assert_eq!(RANKS.len(), KNOWN);
        assert_eq!(RANKS.keys().map(|token| token.len()).max(), Some(LONGEST));
        assert_eq!((0..=255).filter(|byte| rank(&[*byte]).is_some()).count(), 256, "any text has tokens");
        assert!(PIECE.is_some());
    }

    #[test]
    fn a_long_piece_is_merged_too() {
        assert_eq!(count(&"a".repeat(1 << 20)), (1 << 20) / 8);
        assert_eq!(count(&" ".repeat(1 << 20)), 8192);
        assert!(count(&"\u{4e00}\u{200d}".repeat(100_000)) > 100_000);
    }

    #[test]
    fn a_limit_is_kept_to_the_token() {
        let text = " hello".repeat(50);
        assert_eq!(
            (count_up_to(&text, 50), count_up_to(&text, 49), count_up_to("", 0)),
            (Some(50), None, Some(0))
        );
    }
}
