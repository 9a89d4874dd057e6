//! A text as rules read it: what colours it, and escapes that stand for spaces, are spaces.
//!
//! `\\nghp_…` in JSON, or a coloured `ghp_…`, would else begin within a word. Each place is where it was.

use std::borrow::Cow;

/// The same text, byte for byte as long, with spaces for escape sequences.
pub(super) fn flat(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte == b'\\' || byte == 0x1b) {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let next = bytes.get(at + 1).copied();
        let end = match (byte, next) {
            (b'\\', Some(b'n' | b'r' | b't')) => at + 2,
            // A control sequence ends with its first letter.
            (0x1b, Some(b'[')) => {
                let rest = bytes.get(at + 2..).unwrap_or_default();
                rest.iter()
                    .position(|byte| (0x40..=0x7e).contains(byte))
                    .map_or(bytes.len(), |end| at + 3 + end)
            }
            (0x1b, _) => at + 1,
            // An escaped backslash escapes nothing.
            (b'\\', Some(b'\\')) => {
                at += 2;
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        // In a text that is cut off a sequence may end within a letter of another alphabet: only ASCII is replaced.
        for byte in bytes.get_mut(at..end).unwrap_or_default() {
            if byte.is_ascii() {
                *byte = b' ';
            }
        }
        at = end;
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_spaces_and_each_place_is_where_it_was() {
        for (text, wanted) in [
            ("plain é", "plain é"),
            ("a\\nb\\\\nc\\", "a  b\\\\nc\\"),
            ("\u{1b}[1;31mred\u{1b}[0m", "       red    "),
            ("\u{1b}", " "),
            ("\u{1b}[12", "    "),
            ("\u{1b}[é", "  é"),
        ] {
            assert_eq!(flat(text), wanted);
            assert_eq!(flat(text).len(), text.len());
        }
    }
}
