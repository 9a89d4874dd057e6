//! Text that somebody else wrote, with everything in it that could deceive a reader written out.

/// What moves the cursor, is blank without being a space, turns the direction of writing, or does not show at all:
/// every character that Unicode calls a control, a format character, a line or paragraph separator, white space or
/// default-ignorable; and the five letters that are drawn as nothing without being called so. In order.
const DECEIVING: [(char, char); 33] = [
    ('\u{0}', '\u{1f}'),
    ('\u{7f}', '\u{a0}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{2000}', '\u{200f}'),
    ('\u{2028}', '\u{202f}'),
    ('\u{205f}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'), // a Braille pattern without a dot
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{13441}', '\u{13442}'), // blanks among the hieroglyphs
    ('\u{16fe4}', '\u{16fe4}'), // a filler of the small Khitan script
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d159}', '\u{1d159}'), // a note without a head
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a reader would not see that this character is there, or would see something else.
fn deceives(c: char) -> bool {
    let next = DECEIVING.partition_point(|(first, _)| *first <= c);
    next.checked_sub(1).and_then(|at| DECEIVING.get(at)).is_some_and(|(_, last)| c <= *last)
}

/// Whether a character lies in the blocks of pictures, which a joiner makes one of.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}')
}

/// Whether the character after this one decides how [`visible`] shows the two: of a text in pieces, it waits for the next.
#[must_use]
pub fn hangs_on_next(c: char) -> bool {
    c == '\u{200d}' || is_picture(c)
}

/// A text as it may be shown to somebody who decides by it: what would move the cursor, change colours, turn the order
/// of characters around, or not show at all is written out, as in `\u{202e}`. Line breaks and tabs stay, and so does the
/// joiner between two pictures. Letters that only look like others stay too.
///
/// ```
/// assert_eq!(hookspec_process::visible("rm x\u{1b}[2K\rls\u{3164}"), r"rm x\u{1b}[2K\rls\u{3164}");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let joins = c == '\u{200d}'
            && before.is_some_and(is_picture)
            && rest.peek().is_some_and(|next| is_picture(*next));
        match c {
            '\n' | '\t' => shown.push(c),
            c if joins || !deceives(c) => shown.push(c),
            c => shown.extend(c.escape_default()),
        }
        before = Some(c);
    }
    shown
}

/// The same on one line: line breaks and tabs are written out as well.
#[must_use]
pub fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, WhiteSpace};
    use icu_properties::{CodePointMapData, CodePointSetData};

    use super::*;

    #[test]
    fn the_table_is_the_rule_for_every_character() {
        use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
        let category = CodePointMapData::<GeneralCategory>::new();
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let blank = CodePointSetData::new::<WhiteSpace>();
        // Of these no property says that they are drawn as nothing.
        let drawn_as_nothing = ['\u{2800}', '\u{13441}', '\u{13442}', '\u{16fe4}', '\u{1d159}'];
        for c in '\0'..=char::MAX {
            let is_hidden = matches!(category.get(c), Control | Format | LineSeparator | ParagraphSeparator)
                || ignorable.contains(c)
                || blank.contains(c) && c != ' '
                || drawn_as_nothing.contains(&c);
            assert_eq!(deceives(c), is_hidden, "{c:?}");
        }
    }

    #[test]
    fn what_could_hide_something_is_written_out() {
        for (text, shown) in [
            ("ls\t-l\nä 你好 é ⣿", "ls\t-l\nä 你好 é ⣿"),
            ("rm x\r\u{1b}[2Kls", r"rm x\r\u{1b}[2Kls"),
            ("a\u{202e}b\u{9b}", r"a\u{202e}b\u{9b}"),
            ("x\u{61c}\u{200b}\u{feff}\u{2028}y", r"x\u{61c}\u{200b}\u{feff}\u{2028}y"),
            ("\u{e0072}\u{ad}\u{2060}", r"\u{e0072}\u{ad}\u{2060}"),
            ("\u{3164}\u{115f}\u{2800}\u{fe0f}\u{e0100}", r"\u{3164}\u{115f}\u{2800}\u{fe0f}\u{e0100}"),
            ("rm\u{a0}-rf\u{3000}/", r"rm\u{a0}-rf\u{3000}/"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("👩\u{200d}", r"👩\u{200d}"),
            ("a\u{200d}b", r"a\u{200d}b"),
            ("👩\u{200d}\u{200d}💻", r"👩\u{200d}\u{200d}💻"),
            ("", ""),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible_line("a\nb\tc\u{1b}"), r"a\nb\tc\u{1b}");
    }
}
