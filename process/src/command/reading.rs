//! What a reading says: simple commands, and what could not be decided.

use std::fmt;
use std::path::{Path, PathBuf};

/// All that a script may run.
///
/// What the shell runs is among `commands`, or `unclear` is not empty. More may be among them than will run: both
/// branches of an `if`, and each body that a function has had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The simple commands, in the order in which they are written, those of substitutions before the command that
    /// they stand in.
    pub commands: Vec<Simple>,
    /// What could not be read with certainty. A gate that meets one asks.
    pub unclear: Vec<Unclear>,
    /// The name of a function that starts itself again beside itself: `:(){ :|:& };:`.
    pub multiplies: Option<String>,
}

/// A program, or a built-in of the shell, with its words; wrappers are taken off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// The program's name without its folder; empty where nothing runs (`> file`), or where the name is unknown.
    pub program: String,
    /// The program as it is called, then its words. Options of git that stand before its subcommand are in `leading`.
    pub words: Vec<Word>,
    /// Options that stood between a program and its subcommand: `-C sub` of `git -C sub push`.
    pub leading: Vec<Word>,
    /// Where its input and output go, those of groups around it included.
    pub redirections: Vec<Redirection>,
    /// The variables that this script has set, for it or before it.
    pub assignments: Vec<Assignment>,
    /// What was taken off, the outermost first: `sudo`, `env`, `sh`.
    pub wrappers: Vec<Wrapper>,
    /// The index of the command whose output it reads.
    pub piped_from: Option<usize>,
    /// The index of the command that reads its output.
    pub piped_into: Option<usize>,
    /// The folder in which it runs, if that is known.
    pub cwd: Option<PathBuf>,
    /// The files that it runs as a program or a script: `./build.sh`, `bash build.sh`, `. env.sh`.
    pub runs: Vec<PathBuf>,
    /// Whether the shell goes on without waiting for it.
    pub background: bool,
    /// The command as it is written.
    pub text: String,
}

/// One word, as the program will receive it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The word; what cannot be known stands as it is written (`$X`).
    pub text: String,
    /// Whether `text` is exactly what the program receives.
    pub known: bool,
    /// Whether there may be no word here, or several.
    pub splits: bool,
    /// The pattern for names of files that it came from.
    pub pattern: Option<String>,
}

/// A variable that the script sets for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What it is set to.
    pub value: Word,
    /// Whether the program receives it: it stands before the command, or is exported, or was in the environment before.
    pub exported: bool,
}

/// A program that runs another, as it was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// Its name without its folder.
    pub program: String,
    /// All words of the call, those of the wrapped command included.
    pub words: Vec<Word>,
}

/// Where something comes from or goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// The descriptor, if one is written.
    pub fd: Option<u32>,
    /// What is done.
    pub kind: Redirect,
    /// The file, the descriptor, or the text.
    pub target: Word,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirect {
    /// `<`.
    Read,
    /// `>`, `>|`, `&>`.
    Write,
    /// `>>`, `&>>`.
    Append,
    /// `<>`.
    ReadWrite,
    /// `2>&1`, `<&3`, `>&-`.
    Duplicate,
    /// `<<`, `<<<`: the target is the text itself.
    Text,
}

/// What could not be read with certainty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// The piece of the script, at most 200 characters of it.
    pub text: String,
    /// Why.
    pub why: Doubt,
}

/// Why something could not be read with certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doubt {
    /// The shell would not accept it either, or the reader does not know the form.
    Syntax,
    /// It holds a character that no program can be given (NUL).
    Character,
    /// Commands lie too deep in one another.
    Deep,
    /// It is too long, or stands for too many commands.
    Long,
    /// Which program runs is known only at run time.
    Program,
    /// A script is made at run time, and then run.
    Script,
    /// An option of a program that runs others is not known.
    Wrapper,
    /// A file is read as a part of the script, and it cannot be read now.
    Source,
    /// The shell is told to read what follows in another way (`shopt`, `set -k`, `IFS`).
    Mode,
    /// A text is calculated with, and could run what is written in it.
    Arithmetic,
    /// Bash means something else by it than the `sh` that it is for.
    Dialect,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "it is not complete, or no script that can be read",
            Self::Character => "it holds a character that no program can be given",
            Self::Deep => "commands lie too deep in one another",
            Self::Long => "it is too long, or stands for too many commands",
            Self::Program => "which program runs is known only when it runs",
            Self::Script => "what runs is a script that is made only then",
            Self::Wrapper => "a program that runs others is given an option that is not known here",
            Self::Source => "it runs a file within itself that cannot be read now",
            Self::Mode => "it tells the shell to read what follows in another way",
            Self::Arithmetic => "it calculates with a text that could run something",
            Self::Dialect => "it means something else to bash than to another `sh`",
        })
    }
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.text, self.why)
    }
}

impl Unclear {
    pub(super) fn new(text: &str, why: Doubt) -> Self {
        let mut cut: String = text.chars().take(200).collect();
        if cut.len() < text.len() {
            cut.push('…');
        }
        Self { text: cut, why }
    }
}

impl Word {
    /// A word that is exactly this text.
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), known: true, ..Self::default() }
    }

    /// A word of which only the spelling is known.
    pub(super) fn unknown(text: impl Into<String>, splits: bool) -> Self {
        Self { text: text.into(), splits, ..Self::default() }
    }

    /// The text, where it is known.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        self.known.then_some(self.text.as_str())
    }
}

impl Simple {
    /// The words behind the program.
    #[must_use]
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Its words, joined by single spaces.
    #[must_use]
    pub fn line(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// A path as the command would find it; as it is written where the folder is not known.
    #[must_use]
    pub fn path(&self, text: &str) -> PathBuf {
        self.cwd.as_deref().map_or_else(|| Path::new(text).to_owned(), |cwd| cwd.join(text))
    }
}

impl Reading {
    /// Whether everything in it could be read with certainty.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.unclear.is_empty()
    }

    /// The files that it runs as programs or scripts.
    #[must_use]
    pub fn files_run(&self) -> Vec<PathBuf> {
        self.commands.iter().flat_map(|command| command.runs.iter().cloned()).collect()
    }
}
