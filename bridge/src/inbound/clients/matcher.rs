//! Matchers, each as its client reads it: the same text means different things to different agents.

use super::Dialect;

/// What a group of handlers is for.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Everything.
    All,
    /// One of these names.
    Names(Vec<String>),
    /// A name in which this is found. Rust's syntax, as in Codex.
    Rust(Box<regex::Regex>),
    /// A name in which this is found. JavaScript's syntax, as in Claude Code.
    Script(Box<regress::Regex>),
}

impl Matcher {
    /// Reads a matcher.
    ///
    /// # Errors
    /// If it is neither a list of names nor an expression of that dialect; what is wrong, in a sentence.
    pub fn new(dialect: Dialect, text: &str) -> Result<Self, String> {
        if text.is_empty() || text == "*" && dialect != Dialect::Hermes {
            return Ok(Self::All);
        }
        let wrong =
            |why: String| format!("the matcher `{text}` is no expression that {dialect} reads: {why}");
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match dialect {
            Dialect::Codex if text.chars().all(|c| word(c) || c == '|') => Ok(Self::names(text, &['|'])),
            Dialect::Codex => {
                let expression = regex::Regex::new(text).map_err(|error| wrong(error.to_string()))?;
                Ok(Self::Rust(Box::new(expression)))
            }
            // What is no expression is a name there.
            Dialect::Hermes => Ok(regex::Regex::new(&format!("^(?:{})$", text.trim())).map_or_else(
                |_| Self::Names(vec![text.trim().to_owned()]),
                |whole| Self::Rust(Box::new(whole)),
            )),
            Dialect::Claude if text.chars().all(|c| word(c) || " -,|".contains(c)) => {
                Ok(Self::names(text, &['|', ',']))
            }
            Dialect::Claude => {
                let expression = regress::Regex::new(text).map_err(|error| wrong(error.to_string()))?;
                Ok(Self::Script(Box::new(expression)))
            }
        }
    }

    fn names(text: &str, separators: &[char]) -> Self {
        Self::Names(text.split(separators).map(|name| name.trim().to_owned()).collect())
    }

    /// Whether it takes a thing of any of these names.
    #[must_use]
    pub fn takes(&self, names: &[&str]) -> bool {
        match self {
            Self::All => true,
            Self::Names(own) => own.iter().any(|own| names.contains(&own.as_str())),
            Self::Rust(expression) => names.iter().any(|name| expression.is_match(name)),
            Self::Script(expression) => names.iter().any(|name| expression.find(name).is_some()),
        }
    }
}

/// Why a matcher takes less than whoever wrote it may think, where that is a common mistake.
#[must_use]
pub(super) fn doubt(dialect: Dialect, text: &str) -> Option<String> {
    let listed = text.contains(", ") || text.contains(" | ") || text.contains(',');
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_ -,|".contains(c));
    (dialect == Dialect::Codex && listed && plain).then(|| {
        format!("Codex reads `{text}` as an expression, not as a list, so that it takes no tool; write names with `|` and without spaces")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_its_own_way() {
        for (dialect, text, name, wanted) in [
            (Dialect::Codex, "", "x", true),
            (Dialect::Codex, "*", "x", true),
            (Dialect::Codex, "Edit|Bash", "Bash", true),
            (Dialect::Codex, "Bash", "BashOutput", false),
            (Dialect::Codex, "bash", "Bash", false),
            (Dialect::Codex, "Bash, Edit", "Bash", false),
            (Dialect::Codex, "Ba.", "xBash", true),
            (Dialect::Claude, "Edit, Bash", "Bash", true),
            (Dialect::Claude, "Edit | Bash", "Bash", true),
            (Dialect::Claude, "mcp__memory", "mcp__memory__create", false),
            (Dialect::Claude, "mcp__memory__.*", "mcp__memory__create", true),
            (Dialect::Claude, "^(?!Read).*", "Bash", true),
            (Dialect::Claude, "^(?!Read).*", "Read", false),
            (Dialect::Hermes, "term", "terminal", false),
            (Dialect::Hermes, " term.*|x ", "terminal", true),
            (Dialect::Hermes, "*(", "*(", true),
        ] {
            let takes = Matcher::new(dialect, text).map(|matcher| matcher.takes(&[name]));
            assert_eq!(takes, Ok(wanted), "{dialect:?} {text} {name}");
        }
        assert!(Matcher::new(Dialect::Codex, "^(?!Read).*").is_err_and(|why| why.contains("look-around")));
        assert!(Matcher::new(Dialect::Claude, "(").is_err());
        assert!(
            doubt(Dialect::Codex, "Bash | Edit").is_some() && doubt(Dialect::Codex, "Bash|Edit").is_none()
        );
    }
}
