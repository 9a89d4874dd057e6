//! Patterns of the shell (`*`, `?`, `[…]`), in which a backslash takes a character's meaning away.

/// No name of a file is longer.
const LONGEST: usize = 4_096;

/// One element of a pattern.
enum Part {
    Any,
    One,
    Is(char),
    /// Ranges, and whether they are what must not be.
    Of(Vec<(char, char)>, bool),
}

pub(super) struct Pattern(Vec<Part>);

impl Pattern {
    /// Reads a pattern; none where it means something that is not known here (`[[:alpha:]]`).
    pub(super) fn new(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let chars: Vec<char> = text.chars().collect();
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(&next) = chars.get(at) {
            at += 1;
            parts.push(match next {
                '*' => Part::Any,
                '?' => Part::One,
                '\\' => {
                    let escaped = chars.get(at).copied().unwrap_or('\\');
                    at += 1;
                    Part::Is(escaped)
                }
                '[' => match of(&chars, at)? {
                    Some((part, end)) => {
                        at = end;
                        part
                    }
                    None => Part::Is('['),
                },
                other => Part::Is(other),
            });
        }
        Some(Self(parts))
    }

    /// Whether it stands for more than one text.
    pub(super) fn is_open(&self) -> bool {
        self.0.iter().any(|part| !matches!(part, Part::Is(_)))
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        // The usual walk: on a mismatch, the last `*` takes one more.
        let (mut at, mut part, mut star) = (0, 0, None);
        while let Some(&next) = chars.get(at) {
            match self.0.get(part) {
                Some(Part::Any) => {
                    star = Some((part, at));
                    part += 1;
                    continue;
                }
                Some(one) if one.takes(next) => {
                    at += 1;
                    part += 1;
                    continue;
                }
                _ => {}
            }
            let Some((back, from)) = star else { return false };
            star = Some((back, from + 1));
            at = from + 1;
            part = back + 1;
        }
        self.0.iter().skip(part).all(|part| matches!(part, Part::Any))
    }
}

impl Part {
    fn takes(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Is(own) => *own == c,
            Self::Of(ranges, not) => ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *not,
        }
    }
}

/// What stands behind `[`; `Some(None)` where it is only a bracket.
#[allow(clippy::option_option, reason = "unknown, no set, or a set")]
fn of(chars: &[char], start: usize) -> Option<Option<(Part, usize)>> {
    let mut at = start;
    let not = matches!(chars.get(at), Some('!' | '^'));
    at += usize::from(not);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let Some(&next) = chars.get(at) else { return Some(None) };
        match next {
            ']' if at > first => return Some(Some((Part::Of(ranges, not), at + 1))),
            '[' if matches!(chars.get(at + 1), Some(':' | '=' | '.')) => return None,
            '/' => return Some(None),
            _ => {}
        }
        let take = |at: &mut usize| {
            if chars.get(*at) == Some(&'\\') {
                *at += 1;
            }
            let c = chars.get(*at).copied();
            *at += 1;
            c
        };
        let from = take(&mut at)?;
        if chars.get(at) == Some(&'-') && chars.get(at + 1).is_some_and(|c| *c != ']') {
            at += 1;
            let to = take(&mut at)?;
            // What lies between letters depends on the language of the user.
            if !(from.is_ascii_digit() && to.is_ascii_digit()) {
                return None;
            }
            ranges.push((from, to));
        } else {
            ranges.push((from, from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_fit_what_the_shell_says() {
        for (pattern, yes, no) in [
            ("a*c", &["ac", "abc", "abcbc"][..], &["ab", "xac"][..]),
            ("?x", &["ax"], &["x", "aax"]),
            ("[ab]c", &["ac", "bc"], &["cc", "c"]),
            ("[!a]c", &["bc"], &["ac"]),
            ("[0-3]", &["2"], &["4"]),
            ("[", &["["], &["a"]),
            ("[]a]", &["]", "a"], &["b"]),
            ("\\*", &["*"], &["a"]),
            ("*", &["", "é"], &[]),
            ("**a**", &["a", "bab"], &["b"]),
        ] {
            let pattern_read = Pattern::new(pattern).unwrap();
            for text in yes {
                assert!(pattern_read.fits(text), "{pattern} {text}");
            }
            for text in no {
                assert!(!pattern_read.fits(text), "{pattern} {text}");
            }
        }
        assert!(Pattern::new("[[:alpha:]]").is_none() && Pattern::new("[a-z]").is_none());
    }
}
