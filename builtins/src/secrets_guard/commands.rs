//! Commands that print credentials, read as a shell would read them.
//!
//! What a reader cannot decide is asked about where a secret file is named in it: `cat ".env` has no end, and may be what it
//! looks like.

use std::path::Path;

use hookspec_process::command::{Doubt, FileUse, Reading, Redirect, Scene, Simple, Word, read};
use hookspec_process::sensitive::holds_secret;

use super::known::is_secret_name;
use super::table::Prints;

/// The words of a program at which what it runs may begin.
const STARTS: usize = 12;

/// What a command prints that it should not.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Printed {
    /// A file with credentials in it.
    File(String),
    /// All variables.
    Environment,
    /// A variable that holds a credential, by its name.
    Variable(String),
    /// What a program keeps secret; the program's words.
    Command(String),
}

/// Whether a file may be shown all the same.
pub(super) type Allowed<'a> = &'a dyn Fn(&Path) -> bool;

impl Prints {
    /// What a shell command prints that it should not, if anything.
    pub(super) fn printed_by(&self, command: &str, cwd: &Path, allowed: Allowed<'_>) -> Option<Printed> {
        // What a variable holds is no matter, but for those that files are named by.
        let variable = |name: &str| {
            std::env::var(name).ok().filter(|_| matches!(name, "HOME" | "PWD" | "TMPDIR" | "USER"))
        };
        let scene = Scene { cwd, home: None, variable: &variable };
        let reading = read(command, &scene);
        let simple = || reading.commands.iter().find_map(|simple| self.simple(simple));
        let elsewhere = || {
            let scripts = reading.commands.iter().flat_map(elsewhere);
            scripts.into_iter().find_map(|script| file(&read(&script, &scene), allowed))
        };
        file(&reading, allowed)
            .or_else(simple)
            .or_else(elsewhere)
            .or_else(|| doubtful(&reading, command, cwd, allowed))
    }

    /// What one program prints.
    fn simple(&self, simple: &Simple) -> Option<Printed> {
        let words: Vec<&str> = simple.args().iter().map(|word| word.text.as_str()).collect();
        let dumps = match simple.program.as_str() {
            "env" => is_bare(&words),
            "printenv" => words.iter().all(|word| word.starts_with('-')),
            "set" => words.is_empty(),
            "export" | "declare" | "typeset" => words.iter().all(|word| *word == "-p" || *word == "-x"),
            _ => false,
        };
        if dumps {
            return Some(Printed::Environment);
        }
        let is_shown = simple.piped_into.is_none()
            && !simple.redirections.iter().any(|one| matches!(one.kind, Redirect::Write | Redirect::Append));
        let variable = match simple.program.as_str() {
            "printenv" => words.iter().find(|word| is_secret_name(word)).map(|word| (*word).to_owned()),
            "echo" | "printf" if is_shown => simple.args().iter().find_map(variable_in),
            _ => None,
        };
        let command = || {
            let fits = |command: &&String| is_in_order(command, &simple.program, &words);
            self.commands.iter().find(fits).map(|command| Printed::Command(command.clone()))
        };
        variable.map(Printed::Variable).or_else(command)
    }
}

/// Whether credentials are in a file that may not be shown.
pub(super) fn is_credential_file(path: &Path, allowed: Allowed<'_>) -> bool {
    holds_secret(path) && !allowed(path)
}

/// A file with credentials that is shown or sent.
fn file(reading: &Reading, allowed: Allowed<'_>) -> Option<Printed> {
    // What is read as a script is run and not shown: `. .env`.
    let is_used =
        |file: &FileUse| reading.commands.get(file.command).is_some_and(|one| uses(one, &file.path));
    let is_run =
        |file: &FileUse| reading.commands.get(file.command).is_some_and(|one| one.runs.contains(&file.path));
    let read =
        reading.files_read().into_iter().filter(|file| !is_run(file) && !is_used(file)).map(|file| file.path);
    read.into_iter()
        .find(|path| is_credential_file(path, allowed))
        .map(|path| Printed::File(path.display().to_string()))
}

/// Options behind which a program is given a secret to use, not to show.
const USED: &[&str] =
    &["--cacert", "--cert", "--env-file", "--key", "--netrc-file", "--private-key", "-E", "-i"];

/// Whether a program uses a file and does not show it, by the option before it; or it is a text in which a file is named.
fn uses(simple: &Simple, path: &Path) -> bool {
    let is_it = |word: &Word| path.ends_with(&word.text);
    let pairs = simple.args().windows(2);
    let used = pairs
        .into_iter()
        .any(|pair| matches!(pair, [option, word] if USED.contains(&option.text.as_str()) && is_it(word)));
    let is_text = path.to_string_lossy().contains(char::is_whitespace) && !path.exists();
    (used && !matches!(simple.program.as_str(), "sed" | "grep" | "cat")) || is_text
}

/// What a program runs on another machine, from each word on at which that may begin.
fn elsewhere(simple: &Simple) -> Vec<String> {
    if !matches!(
        simple.program.as_str(),
        "docker" | "podman" | "nerdctl" | "kubectl" | "ssh" | "vagrant" | "tmux"
    ) {
        return Vec::new();
    }
    let words: Vec<&str> = simple.args().iter().map(|word| word.text.as_str()).collect();
    let starts = (1..words.len().min(STARTS)).filter_map(|start| words.get(start..));
    starts
        .map(|words| if let [script] = words { (*script).to_owned() } else { shell_words::join(words) })
        .collect()
}

/// In what could not be read a word that names such a file.
fn doubtful(reading: &Reading, command: &str, cwd: &Path, allowed: Allowed<'_>) -> Option<Printed> {
    // What is read as a script is run and not shown.
    if reading.unclear.iter().all(|unclear| unclear.why == Doubt::Source) {
        return None;
    }
    let words = command.split(|c: char| c.is_whitespace() || "\"'`;|&<>()=@$\\".contains(c));
    let mut words = words.filter(|word| !word.is_empty());
    words.find(|word| is_credential_file(&cwd.join(word), allowed)).map(|word| Printed::File(word.to_owned()))
}

/// The variable with a credential that a word of a shell shows.
fn variable_in(word: &Word) -> Option<String> {
    if word.known {
        return None;
    }
    word.text.split('$').skip(1).find_map(|after| {
        let after = after.strip_prefix('{').unwrap_or(after);
        let name: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        // `${TOKEN:+set}` tells only that it is there.
        let rest = after.get(name.len()..).unwrap_or_default();
        (is_secret_name(&name) && !rest.trim_start_matches(':').starts_with('+')).then_some(name)
    })
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether `env` has no command to run.
fn is_bare(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if matches!(*word, "-u" | "--unset" | "-C" | "--chdir") {
            words.next();
        } else if !word.starts_with('-') && !is_assignment(word) {
            return false;
        }
    }
    true
}

/// Whether a command starts with the program and has the other words in its order.
fn is_in_order(command: &str, name: &str, words: &[&str]) -> bool {
    let mut wanted = command.split(' ');
    let mut words = words.iter();
    wanted.next() == Some(name) && wanted.all(|wanted| words.any(|word| *word == wanted))
}
