//! Which files commands read and write, and which use the network, as far as their words say it.

use std::path::PathBuf;

use super::programs::{Programs, family};
use super::reading::{Reading, Redirect, Simple, Word};

/// A file that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUse {
    /// The file; a relative one where the folder is not known.
    pub path: PathBuf,
    /// Whether the path is known, or only how it is written.
    pub known: bool,
    /// The index of the command.
    pub command: usize,
}

impl Reading {
    /// The files that known programs read by their words, and that are redirected from.
    #[must_use]
    pub fn files_read(&self) -> Vec<FileUse> {
        self.uses(|command, table, found| {
            for redirection in &command.redirections {
                if matches!(redirection.kind, Redirect::Read | Redirect::ReadWrite) {
                    found.push(redirection.target.clone());
                }
            }
            table.reads(command, found);
        })
    }

    /// The files that known programs write, make, change or remove by their words, and that are redirected into.
    #[must_use]
    pub fn files_written(&self) -> Vec<FileUse> {
        self.uses(|command, table, found| {
            for redirection in &command.redirections {
                if matches!(redirection.kind, Redirect::Write | Redirect::Append | Redirect::ReadWrite) {
                    found.push(redirection.target.clone());
                }
            }
            table.writes(command, found);
        })
    }

    /// Every word that may name a file, of whatever program: the words themselves, and what stands in them behind `=`, `@`, `:`
    /// or an option's letter. For who would rather see a file too many.
    #[must_use]
    pub fn files_named(&self) -> Vec<FileUse> {
        self.uses(|command, _, found| {
            for word in command.args().iter().chain(&command.leading) {
                found.push(word.clone());
                let piece = |text: &str| Word { text: text.to_owned(), ..word.clone() };
                found.extend(
                    word.text.split(['=', '@', ':', ',']).skip(1).filter(|text| !text.is_empty()).map(piece),
                );
                let letters = word.text.strip_prefix('-').filter(|text| !text.starts_with('-'));
                found.extend(
                    letters.and_then(|text| text.get(1..)).filter(|text| !text.is_empty()).map(piece),
                );
            }
            found.extend(
                command
                    .redirections
                    .iter()
                    .filter(|one| !matches!(one.kind, Redirect::Duplicate | Redirect::Text))
                    .map(|one| one.target.clone()),
            );
        })
    }

    /// The commands that use the network, as far as their program is known for it.
    pub fn sends(&self) -> impl Iterator<Item = &Simple> {
        self.commands.iter().filter(|command| command.uses_network())
    }

    fn uses(&self, of: impl Fn(&Simple, &Programs, &mut Vec<Word>)) -> Vec<FileUse> {
        let table = Programs::get();
        let mut uses = Vec::new();
        for (index, command) in self.commands.iter().enumerate() {
            let mut found = Vec::new();
            of(command, table, &mut found);
            uses.extend(found.into_iter().filter(|word| !word.text.is_empty()).map(|word| FileUse {
                path: command.path(&word.text),
                known: word.known && (command.cwd.is_some() || word.text.starts_with('/')),
                command: index,
            }));
        }
        uses
    }
}

impl Simple {
    /// Whether it uses the network, as far as its program is known for it.
    #[must_use]
    pub fn uses_network(&self) -> bool {
        let socket = |word: &Word| word.text.starts_with("/dev/tcp/") || word.text.starts_with("/dev/udp/");
        Programs::get().is_network(self)
            || self.redirections.iter().any(|redirection| socket(&redirection.target))
            || self.wrappers.iter().any(|wrapper| wrapper.program == "ssh")
    }

    /// The first of its words that makes the program run another, or take what it runs from elsewhere:
    /// `--config build.rustc-wrapper=…`.
    #[must_use]
    pub fn running_option(&self) -> Option<&Word> {
        let table = Programs::get();
        self.leading.iter().chain(self.args()).find(|word| table.is_running(&self.program, &word.text))
    }

    /// The first variable set for it that says what it runs, or where it takes it from: `RUSTC_WRAPPER`.
    #[must_use]
    pub fn running_variable(&self) -> Option<&str> {
        let table = Programs::get();
        let names = self.assignments.iter().map(|assignment| assignment.name.as_str());
        names.into_iter().find(|name| table.is_leading_variable(&self.program, name))
    }
}

impl Programs {
    /// The words that are no options; all, behind `--`.
    fn operands(command: &Simple) -> impl Iterator<Item = &Word> {
        let mut all = false;
        command.args().iter().filter(move |word| {
            if word.text == "--" && !all {
                all = true;
                return false;
            }
            all || !word.text.starts_with('-') || word.text == "-"
        })
    }

    fn reads(&self, command: &Simple, found: &mut Vec<Word>) {
        let name = command.program.as_str();
        let operands: Vec<&Word> = Self::operands(command).collect();
        if self.files.searches.has(name) {
            let given = command.args().iter().any(|word| {
                word.text.starts_with("--regexp")
                    || word.text.starts_with("--file")
                    || word.text.starts_with("--expression")
                    || is_letter(&word.text, ['e', 'f'])
            });
            found.extend(operands.iter().skip(usize::from(!given)).map(|word| (*word).clone()));
        } else if self.files.reads.has(name) || self.files.reads.has(family(name)) {
            found.extend(operands.iter().map(|word| (*word).clone()));
        } else if self.files.copies.has(name) {
            let keep = operands.len().saturating_sub(usize::from(!has_target(command)));
            found.extend(operands.iter().take(keep).map(|word| (*word).clone()));
        }
        match name {
            "dd" => found.extend(valued(command, "if=")),
            "tar" | "zip" | "7z" | "bsdtar" | "rar" => {
                found.extend(operands.iter().map(|word| (*word).clone()));
            }
            // `HEAD:.env`.
            "git" => found.extend(operands.iter().skip(1).map(|word| Word {
                text: word.text.rsplit(':').next().unwrap_or_default().to_owned(),
                ..(*word).clone()
            })),
            _ => {}
        }
        self.optional(command, found, |options| &options.reads);
        if let Some(options) = self.options.get(name) {
            found.extend(option_words(command, &options.marked).into_iter().filter_map(|word| {
                let (before, file) = word.text.split_once(['@', '<'])?;
                (before.is_empty() || before.ends_with('=') || !before.contains(' ')).then(|| Word {
                    text: file.split(';').next().unwrap_or_default().to_owned(),
                    ..word.clone()
                })
            }));
        }
    }

    fn writes(&self, command: &Simple, found: &mut Vec<Word>) {
        let name = command.program.as_str();
        let operands: Vec<&Word> = Self::operands(command).collect();
        let all = operands.iter().map(|word| (*word).clone());
        if self.files.writes.has(name) {
            let own = usize::from(matches!(name, "chmod" | "chown" | "chgrp" | "chattr"));
            found.extend(all.skip(own));
        } else if self.files.copies.has(name) {
            // What is moved is gone from where it was.
            let skip = if has_target(command) { operands.len() } else { operands.len().saturating_sub(1) };
            found.extend(all.skip(if name == "mv" { 0 } else { skip }));
            found.extend(option_words(command, &["-t".to_owned(), "--target-directory".to_owned()]));
        }
        match name {
            "dd" => found.extend(valued(command, "of=")),
            "sed" | "perl"
                if command
                    .args()
                    .iter()
                    .any(|word| is_letter(&word.text, ['i', 'i']) || word.text.starts_with("--in-place")) =>
            {
                found.extend(operands.iter().skip(1).map(|word| (*word).clone()));
            }
            "uniq" | "xxd" => found.extend(operands.iter().skip(1).map(|word| (*word).clone())),
            _ => {}
        }
        self.optional(command, found, |options| &options.writes);
    }

    fn optional(
        &self,
        command: &Simple,
        found: &mut Vec<Word>,
        of: impl Fn(&super::programs::FileOptions) -> &Vec<String>,
    ) {
        let options =
            self.options.get(&command.program).or_else(|| self.options.get(family(&command.program)));
        if let Some(options) = options {
            found.extend(option_words(command, of(options)));
        }
    }

    fn is_network(&self, command: &Simple) -> bool {
        let name = command.program.as_str();
        self.network.sends.has(name)
            || self.network.some.get(name).or_else(|| self.network.some.get(family(name))).is_some_and(
                |subcommands| {
                    // A word that is not known may be one of them.
                    Self::operands(command)
                        .next()
                        .is_some_and(|word| !word.known || subcommands.contains(&word.text))
                },
            )
    }
}

/// Whether a bundle of letters holds one of these.
fn is_letter(text: &str, letters: [char; 2]) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letters)
}

fn has_target(command: &Simple) -> bool {
    command.args().iter().any(|word| word.text == "-t" || word.text.starts_with("--target-d"))
}

fn valued(command: &Simple, before: &str) -> Option<Word> {
    let word = command.args().iter().rev().find(|word| word.text.starts_with(before))?;
    Some(Word { text: word.text.get(before.len()..)?.to_owned(), ..word.clone() })
}

/// The words that options take: `-o file`, `-ofile`, `--output=file`, `--output file`.
fn option_words(command: &Simple, options: &[String]) -> Vec<Word> {
    let mut found = Vec::new();
    let args = command.args();
    for (at, word) in args.iter().enumerate() {
        for option in options {
            if word.text == *option {
                found.extend(args.get(at + 1).cloned());
            } else if let Some(rest) = word.text.strip_prefix(option.as_str()) {
                let text = rest.strip_prefix('=').filter(|_| option.starts_with("--"));
                let text = text.or((option.len() == 2).then_some(rest));
                found.extend(text.map(|text| Word { text: text.to_owned(), ..word.clone() }));
            } else if option.len() == 2
                && !word.text.starts_with("--")
                && word.text.starts_with('-')
                && word.text.ends_with(option.get(1..).unwrap_or_default())
            {
                // The last of a bundle.
                found.extend(args.get(at + 1).cloned());
            }
        }
    }
    found
}
