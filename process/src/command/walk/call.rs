//! One simple command: what it calls, and what that calls.

use std::path::PathBuf;

use super::super::programs::{self, Programs};
use super::super::reading::{Assignment, Doubt, Redirect, Redirection, Simple, Unclear, Word, Wrapper};
use super::super::syntax::{SimpleNode, WordNode};
use super::shell::Shell;
use super::unwrap::Inner;
use super::{NESTED, Walk, builtins};

/// A command with its words expanded.
#[derive(Clone, Default)]
pub(super) struct Call {
    pub(super) words: Vec<Word>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) redirections: Vec<Redirection>,
    pub(super) wrappers: Vec<Wrapper>,
    pub(super) text: String,
    /// The folder it runs in, if a wrapper says so.
    pub(super) cwd: Option<Option<PathBuf>>,
    /// Whether no wrapper that is a program stands before it, so that functions and built-ins of the shell are meant.
    pub(super) in_shell: bool,
    /// Whether `command` or `builtin` stands before it, so that functions are not.
    pub(super) no_functions: bool,
}

/// Variables whose value shells run, or run a file of.
const PROGRAMS: [&str; 6] = ["BASH_ENV", "ENV", "PROMPT_COMMAND", "PS0", "PS4", "ZDOTDIR"];

impl Walk<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleNode, shell: &mut Shell) {
        let declares = simple.words.first().is_some_and(|word| builtins::is_declaring(&word.raw));
        let words = if declares {
            simple.words.iter().flat_map(|word| self.declared(word, shell)).collect()
        } else {
            self.words(&simple.words, shell)
        };
        let mut redirections = self.around.redirections.clone();
        redirections.extend(self.redirections(&simple.redirs, shell));
        let mut assignments = Vec::new();
        for assign in &simple.assigns {
            let mut value = self.one(&assign.value, shell, false);
            if assign.partly {
                value = Word::unknown(value.text, false);
            }
            if simple.words.is_empty() {
                shell.set(&assign.name, value.exact().map(str::to_owned), false);
            }
            assignments.push(Assignment { name: assign.name.clone(), value, exported: true });
        }
        let call = Call {
            words,
            assignments,
            redirections,
            wrappers: self.around.wrappers.clone(),
            text: simple.text.clone(),
            in_shell: true,
            ..Call::default()
        };
        let plain = simple
            .words
            .first()
            .is_some_and(|word| call.words.first().is_some_and(|first| first.text == word.raw));
        if let Some(value) =
            call.words.first().filter(|_| plain).and_then(|word| shell.aliases.get(&word.text).cloned())
        {
            self.alias(&value, &call, shell);
        }
        self.run(call, shell);
    }

    /// A word of `export` and its like: an assignment is neither split nor a pattern.
    fn declared(&mut self, word: &WordNode, shell: &mut Shell) -> Vec<Word> {
        let Some(assign) = word.assignment() else { return self.words(std::slice::from_ref(word), shell) };
        let value = self.one(&assign.value, shell, false);
        let text = format!("{}={}", assign.name, value.text);
        vec![Word { text, known: value.known && !assign.partly, ..Word::default() }]
    }

    /// What an alias would make of it, where the shell has aliases.
    fn alias(&mut self, value: &str, call: &Call, shell: &mut Shell) {
        if self.calls.len() >= NESTED {
            return self.doubt(&call.text, Doubt::Deep);
        }
        let rest: Vec<String> = call.words.iter().skip(1).map(quoted).collect();
        self.calls.push(String::new());
        let mut there = shell.clone();
        // It does not stand for itself.
        if let Some(first) = call.words.first() {
            there.aliases.remove(&first.text);
        }
        self.text(&format!("{value} {}", rest.join(" ")), &mut there);
        self.calls.pop();
    }

    /// Notes what a call runs, wrappers taken off.
    pub(super) fn run(&mut self, mut call: Call, shell: &mut Shell) {
        for _ in 0..NESTED {
            let Some(first) = call.words.first() else {
                if !call.redirections.is_empty() || !call.assignments.is_empty() {
                    self.note(call, shell);
                }
                return;
            };
            if !first.known || first.splits {
                self.doubt(&call.text, Doubt::Program);
                return self.note(call, shell);
            }
            if call.in_shell && !call.no_functions && self.function(&call, shell) {
                return;
            }
            if call.in_shell && builtins::run(self, &call, shell) {
                return;
            }
            match self.unwrap(&call, shell) {
                Inner::None => return self.note(call, shell),
                Inner::Call(inner) => call = *inner,
                Inner::Done => return,
            }
        }
        self.doubt(&call.text, Doubt::Deep);
    }

    /// Runs the function of that name, if there is one; whether that is surely what runs.
    fn function(&mut self, call: &Call, shell: &mut Shell) -> bool {
        let Some(name) = call.words.first().map(|word| word.text.clone()) else { return false };
        let Some(function) = shell.function(&name) else { return false };
        if self.calls.contains(&name) {
            self.again += 1;
            if self.around.background && self.branches == 0 {
                self.out.multiplies = Some(name);
            }
            return true;
        }
        if self.calls.len() >= NESTED {
            self.doubt(&call.text, Doubt::Deep);
            return true;
        }
        let mut own = call.words.clone();
        if let Some(first) = own.first_mut() {
            *first = shell
                .words
                .as_ref()
                .and_then(|words| words.first().cloned())
                .unwrap_or_else(|| Word::unknown("$0", false));
        }
        let outer = shell.clone();
        let words = shell.words.replace(own);
        let before = self.around.clone();
        let branches = std::mem::replace(&mut self.branches, 0);
        self.around.redirections.clone_from(&call.redirections);
        let mut there = shell.clone();
        for assignment in &call.assignments {
            there.set(&assignment.name, assignment.value.exact().map(str::to_owned), true);
        }
        self.calls.push(name);
        self.locals.push(call.assignments.iter().map(|assignment| assignment.name.clone()).collect());
        let mut after: Option<Shell> = None;
        for body in &function.bodies {
            let mut one = there.clone();
            self.node(body, &mut one);
            match &mut after {
                Some(after) => after.or(one),
                None => after = Some(one),
            }
        }
        self.calls.pop();
        let locals = self.locals.pop().unwrap_or_default();
        self.branches = branches;
        self.around = before;
        shell.words.clone_from(&words);
        if let Some(mut after) = after {
            after.words = words;
            for name in locals {
                after.restore(&name, &outer);
                if shell.plain_sh {
                    after.set(&name, None, false);
                }
            }
            if function.sure {
                *shell = after;
            } else {
                shell.or(after);
            }
        }
        function.sure
    }

    /// Notes a command.
    pub(super) fn note(&mut self, call: Call, shell: &Shell) {
        let known = call.words.first().filter(|word| word.known);
        let name = known.map(|word| programs::base(&word.text).to_owned()).unwrap_or_default();
        let mut assignments: Vec<Assignment> = shell
            .set_here(self.scene)
            .filter(|(name, ..)| *name != "PWD" && !call.assignments.iter().any(|own| own.name == *name))
            .map(|(name, value, exported)| Assignment {
                name: name.to_owned(),
                value: value.map_or_else(|| Word::unknown(format!("${name}"), false), Word::known),
                exported,
            })
            .collect();
        assignments.extend(call.assignments);
        if assignments.iter().any(|assignment| PROGRAMS.contains(&assignment.name.as_str())) {
            self.doubt(&call.text, Doubt::Mode);
        }
        let mut command = Simple {
            program: name,
            words: call.words,
            leading: Vec::new(),
            redirections: call.redirections,
            assignments,
            wrappers: call.wrappers,
            piped_from: None,
            piped_into: None,
            cwd: call.cwd.unwrap_or_else(|| shell.cwd.clone()),
            runs: Vec::new(),
            background: self.around.background,
            text: call.text,
        };
        let table = Programs::get();
        command.runs = table.runs(&command);
        if table.lead(&mut command).is_none() {
            self.out.unclear.push(Unclear::new(&command.text, Doubt::Wrapper));
        }
        if table.needs_subcommand(&command) {
            self.doubt(&command.text, Doubt::Program);
        }
        self.changed |= !table.is_quiet(&command.program)
            || command.redirections.iter().any(|redirection| {
                matches!(redirection.kind, Redirect::Write | Redirect::Append | Redirect::ReadWrite)
                    && redirection.target.exact() != Some("/dev/null")
            });
        self.steps += 1;
        self.out.commands.push(command);
    }
}

/// A word as one writes it in a script.
pub(super) fn quoted(word: &Word) -> String {
    if word.known { format!("'{}'", word.text.replace('\'', "'\\''")) } else { word.text.clone() }
}
