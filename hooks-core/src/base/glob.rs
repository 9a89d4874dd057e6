//! Globs in lists of names: `*` for any text, `?` for one character. Here and not from a crate, so that lists mean the same with
//! every set of features.

/// A pattern that a whole name fits or does not.
#[derive(Clone, Debug)]
pub(crate) struct Glob(Vec<char>);

impl Glob {
    /// Every text is a pattern; one without `*` and `?` fits itself.
    pub(crate) fn new(pattern: &str) -> Self {
        Self(pattern.chars().collect())
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let (mut at, mut from) = (0, 0);
        // Where the last star stands, and how much of the text it has taken: all that there is to go back to.
        let mut star = None;
        while from < text.len() {
            match self.0.get(at) {
                Some('*') => {
                    star = Some((at, from));
                    at += 1;
                }
                Some(&wanted) if wanted == '?' || wanted == text[from] => {
                    at += 1;
                    from += 1;
                }
                _ => {
                    let Some((stands, taken)) = star else { return false };
                    star = Some((stands, taken + 1));
                    at = stands + 1;
                    from = taken + 1;
                }
            }
        }
        self.0[at..].iter().all(|rest| *rest == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        for (pattern, fits, fits_not) in [
            ("a.b", &["a.b"][..], &["a", "a.bc", "A.b", ""][..]),
            ("a.*", &["a.", "a.b", "a.b.c", "a.*"], &["a", "ba.", "b.a."]),
            ("*.b", &["a.b", ".b", "b.b.b"], &["b", "a.bb"]),
            ("a*b*c", &["abc", "a-b-c", "abcbc", "abbbc"], &["ab", "acb", "abcd"]),
            ("?", &["a", "é", "🜚"], &["", "ab"]),
            ("a?c*", &["abc", "a?cd"], &["ac", "abbc"]),
            ("**", &["", "a"], &[]),
            ("*?", &["a", "ab"], &[""]),
            ("", &[""], &["a"]),
        ] {
            let glob = Glob::new(pattern);
            for text in fits {
                assert!(glob.matches(text), "`{pattern}` and `{text}`");
            }
            for text in fits_not {
                assert!(!glob.matches(text), "`{pattern}` and `{text}`");
            }
        }
    }

    #[test]
    fn many_stars_are_no_trap() {
        let glob = Glob::new(&"*a".repeat(200));
        assert!(!glob.matches(&("a".repeat(4_000) + "b")));
    }
}
