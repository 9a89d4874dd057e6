//! A command in the settings.

use serde::{Deserialize, Serialize};

/// A program and its first arguments, written as one would type them. Blank means the default of whoever runs it.
///
/// A quote that is never closed is an error when the settings are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommandLine {
    words: Vec<String>,
}

impl CommandLine {
    /// A program by its name alone.
    pub(crate) fn of(program: &str) -> Self {
        Self { words: vec![program.to_owned()] }
    }

    /// The program, and its first arguments.
    pub(crate) fn parts<'a>(&'a self, default: &'a str) -> (&'a str, &'a [String]) {
        match self.words.split_first() {
            None => (default, &[]),
            Some((program, args)) => (program, args),
        }
    }
}

impl TryFrom<String> for CommandLine {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let words = shell_words::split(&text)
            .map_err(|_| format!("a quote is never closed in the command `{text}`"))?;
        if words.first().is_some_and(String::is_empty) {
            return Err(format!("the command `{text}` begins with an empty name"));
        }
        Ok(Self { words })
    }
}

impl From<CommandLine> for String {
    fn from(line: CommandLine) -> Self {
        shell_words::join(line.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_they_are_typed_and_written_so_that_they_are_read_again() {
        for blank in ["", "  "] {
            assert_eq!(
                CommandLine::try_from(blank.to_owned()).unwrap().parts("x"),
                ("x", &[][..]),
                "{blank:?}"
            );
        }
        let line = CommandLine::try_from("python3 'my watcher.py' -v".to_owned()).unwrap();
        assert_eq!(line.parts("x"), ("python3", &["my watcher.py".to_owned(), "-v".to_owned()][..]));
        assert_eq!(CommandLine::try_from(String::from(line.clone())).unwrap(), line);
        for bad in ["watch 'er", "'' x"] {
            assert!(CommandLine::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
