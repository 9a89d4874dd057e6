//! Shells that a script starts: `sh -c`, `bash <<EOF`, `… | sh`.

use super::super::reading::{Doubt, Redirect, Word, Wrapper};
use super::call::Call;
use super::shell::Shell;
use super::unwrap::Inner;
use super::{Around, NESTED, Walk};

/// What a shell is told to run.
enum Told<'c> {
    /// The words from the script on.
    Script(&'c [Word]),
    File,
    Input,
    /// Only what it is, or how it is used.
    Nothing,
    Unclear,
}

fn told(args: &[Word]) -> Told<'_> {
    let (mut script, mut input, mut rest) = (false, false, args);
    while let Some((word, after)) = rest.split_first() {
        let Some(text) = word.exact().filter(|_| !word.splits) else { return Told::Unclear };
        if text == "--" || text == "-" {
            rest = after;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            rest = match long {
                "rcfile" | "init-file" => after.get(1..).unwrap_or_default(),
                "version" | "help" => return Told::Nothing,
                "login" | "norc" | "noprofile" | "posix" | "restricted" | "verbose" | "noediting"
                | "no-rcs" => after,
                _ => return Told::Unclear,
            };
            continue;
        }
        let Some(letters) = text.strip_prefix(['-', '+']) else { break };
        rest = after;
        for letter in letters.chars() {
            match letter {
                'c' => script = true,
                's' => input = true,
                // A mode by its name.
                'o' | 'O' => rest = rest.get(1..).unwrap_or_default(),
                'a' | 'b' | 'e' | 'f' | 'h' | 'i' | 'l' | 'm' | 'n' | 'p' | 'r' | 't' | 'u' | 'v' | 'x'
                | 'B' | 'C' | 'E' | 'P' | 'T' => {}
                _ => return Told::Unclear,
            }
        }
    }
    match (script, rest) {
        (true, []) => Told::Nothing,
        (true, words) => Told::Script(words),
        (false, []) => Told::Input,
        _ if input => Told::Input,
        (false, [file, ..])
            if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") =>
        {
            Told::Input
        }
        (false, [file, ..]) if !file.known => Told::Unclear,
        _ => Told::File,
    }
}

impl Walk<'_> {
    /// A shell that is called as a program.
    pub(super) fn shell(&mut self, call: &Call, shell: &Shell) -> Inner {
        let args = call.words.get(1..).unwrap_or_default();
        match told(args) {
            Told::Nothing | Told::File => Inner::None,
            Told::Unclear => {
                self.doubt(&call.text, Doubt::Script);
                Inner::None
            }
            Told::Script(words) => {
                let script = words.first().cloned().unwrap_or_default();
                let words = words.get(1..).unwrap_or_default().to_vec();
                let words = if words.is_empty() { vec![Word::unknown("$0", false)] } else { words };
                if script.known && !script.splits {
                    self.nested(&script.text, Some(words), call, shell);
                    return Inner::Done;
                }
                self.doubt(&call.text, Doubt::Script);
                Inner::None
            }
            Told::Input => {
                let own = |kind: Redirect, fd: Option<u32>| {
                    matches!(
                        kind,
                        Redirect::Text | Redirect::Read | Redirect::ReadWrite | Redirect::Duplicate
                    ) && fd.unwrap_or(0) == 0
                };
                let given =
                    call.redirections.iter().rev().find(|redirection| own(redirection.kind, redirection.fd));
                match given {
                    Some(text) if text.kind == Redirect::Text && text.target.known => {
                        let script = text.target.text.clone();
                        self.nested(&script, None, call, shell);
                        Inner::Done
                    }
                    Some(file) if file.kind == Redirect::Read && file.target.exact() == Some("/dev/null") => {
                        Inner::None
                    }
                    // A file is read as a script: which one is in `runs`.
                    Some(file)
                        if file.kind == Redirect::Read
                            && file.target.known
                            && !file.target.text.starts_with("/dev/") =>
                    {
                        Inner::None
                    }
                    Some(_) => {
                        self.doubt(&call.text, Doubt::Script);
                        Inner::None
                    }
                    None => {
                        if self.around.piped {
                            self.doubt(&call.text, Doubt::Script);
                        }
                        Inner::None
                    }
                }
            }
        }
    }

    /// Walks a script that another shell runs.
    pub(super) fn nested(&mut self, script: &str, words: Option<Vec<Word>>, call: &Call, shell: &Shell) {
        let scripts = call.wrappers.iter().filter(|wrapper| wrapper.words.len() > 1).count();
        if scripts + self.calls.len() >= NESTED {
            return self.doubt(&call.text, Doubt::Deep);
        }
        let program = call.words.first().map(|word| super::super::programs::base(&word.text).to_owned());
        let mut wrappers = call.wrappers.clone();
        wrappers.push(Wrapper { program: program.unwrap_or_default(), words: call.words.clone() });
        let mut there = shell.child(self.scene);
        there.words = words;
        if let Some(name) = call.words.first().map(|word| super::super::programs::base(&word.text)) {
            there.plain_sh = match super::super::programs::family(name) {
                "bash" | "rbash" | "zsh" => false,
                name if super::super::programs::is_shell(name) => true,
                _ => shell.plain_sh,
            };
        }
        if let Some(cwd) = &call.cwd {
            there.cwd.clone_from(cwd);
        }
        for assignment in &call.assignments {
            there.set(&assignment.name, assignment.value.exact().map(str::to_owned), true);
        }
        let around = Around {
            redirections: call.redirections.clone(),
            wrappers,
            background: self.around.background,
            piped: self.around.piped,
        };
        let before = std::mem::replace(&mut self.around, around);
        let start = self.out.commands.len();
        self.calls.push(String::new());
        self.text(script, &mut there);
        self.calls.pop();
        self.around = before;
        // A script that runs nothing still starts a shell.
        if self.out.commands.len() == start {
            self.note(call.clone(), shell);
        }
    }
}
