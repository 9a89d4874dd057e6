//! What `$name` and `${name…}` stand for.

use super::super::reading::Word;
use super::super::syntax::Parameter;
use super::Walk;
use super::pattern::Pattern;
use super::shell::Shell;

/// What a parameter stands for.
pub(super) enum Meaning {
    Text(String),
    /// `$@` and `$*`: words of their own.
    Words(Vec<Word>),
    /// `$@` in quotes, or not known: none, one or several words.
    Unknown,
}

impl Walk<'_> {
    pub(super) fn parameter(&mut self, parameter: &Parameter, shell: &mut Shell) -> Meaning {
        let Parameter { name, operator, operand, .. } = parameter;
        if matches!(name.as_str(), "@" | "*") {
            return match &shell.words {
                Some(words) if operator.is_empty() => Meaning::Words(words.iter().skip(1).cloned().collect()),
                _ => Meaning::Unknown,
            };
        }
        let value = self.named(name, shell);
        let known = |value: Option<String>| value.map_or(Meaning::Unknown, Meaning::Text);
        match operator.as_str() {
            "" => known(value),
            "-" | ":-" => match value {
                Some(value) if !value.is_empty() || operator == "-" => Meaning::Text(value),
                Some(_) => self.operand(operand, shell),
                None => Meaning::Unknown,
            },
            "+" | ":+" => match value {
                Some(value) if !value.is_empty() || operator == "+" => self.operand(operand, shell),
                Some(_) => Meaning::Text(String::new()),
                None => Meaning::Unknown,
            },
            "=" | ":=" | "?" | ":?" => match value {
                Some(value) if !value.is_empty() => Meaning::Text(value),
                _ => {
                    if operator.ends_with('=') {
                        shell.set(name, None, false);
                    }
                    Meaning::Unknown
                }
            },
            "#" | "##" | "%" | "%%" => {
                let pattern = self.one(operand, shell, false);
                match (value, pattern.exact()) {
                    // Only what is written without quotes or backslashes.
                    (Some(value), Some(pattern)) if operand.raw == pattern => {
                        known(without(&value, pattern, operator))
                    }
                    _ => Meaning::Unknown,
                }
            }
            _ => Meaning::Unknown,
        }
    }

    fn operand(&mut self, operand: &super::WordNode, shell: &mut Shell) -> Meaning {
        // Quotes within keep their word together, which a plain text would not.
        let plain = operand.pieces.iter().all(|piece| matches!(piece, super::Piece::Text(_)));
        let word = self.one(operand, shell, false);
        if plain && word.known { Meaning::Text(word.text) } else { Meaning::Unknown }
    }

    fn named(&self, name: &str, shell: &Shell) -> Option<String> {
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let index: usize = name.parse().ok()?;
            let words = shell.words.as_ref()?;
            if words.iter().take(index + 1).any(|word| word.splits) {
                return None;
            }
            return match words.get(index) {
                Some(word) => word.exact().map(str::to_owned),
                None => Some(String::new()),
            };
        }
        if name == "#" {
            let words = shell.words.as_ref()?;
            return (!words.iter().any(|word| word.splits))
                .then(|| words.len().saturating_sub(1).to_string());
        }
        if !super::syntax::is_name(name) {
            return None;
        }
        shell.value(name, self.scene)
    }
}

/// A text without what a pattern takes from its begin or end.
fn without(value: &str, pattern: &str, operator: &str) -> Option<String> {
    if value.len() > 4096 {
        return None;
    }
    let pattern = Pattern::new(pattern)?;
    let cuts = || value.char_indices().map(|(at, _)| at).chain([value.len()]);
    let cut = match operator {
        "#" => cuts().find(|at| pattern.fits(value.get(..*at).unwrap_or_default())),
        "##" => cuts().rfind(|at| pattern.fits(value.get(..*at).unwrap_or_default())),
        "%" => cuts().rfind(|at| pattern.fits(value.get(*at..).unwrap_or_default())),
        _ => cuts().find(|at| pattern.fits(value.get(*at..).unwrap_or_default())),
    };
    let Some(cut) = cut else { return Some(value.to_owned()) };
    let (left, right) = value.split_at_checked(cut)?;
    Some(if operator.starts_with('#') { right } else { left }.to_owned())
}
