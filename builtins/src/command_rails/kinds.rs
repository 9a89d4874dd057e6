//! The kinds, but for git's.

use hookspec_process::command::{Reading, Redirect, Simple, Word};

use super::places::{Place, Places, is_device};
use super::{Finding, Kind};

/// Programs that fetch something from the network and print it, or keep it.
const FETCH: [&str; 9] = ["aria2c", "curl", "fetch", "http", "https", "lwp-request", "wget", "xh", "GET"];

/// Programs that run what they read.
const RUN: [&str; 16] = [
    "ash", "bash", "bun", "dash", "deno", "fish", "ksh", "lua", "node", "perl", "php", "pwsh", "python",
    "ruby", "sh", "zsh",
];

fn family(name: &str) -> &str {
    let short = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if short.is_empty() { name } else { short }
}

/// Whether an option is among the words: a letter in any bundle, a name also cut short.
fn has(command: &Simple, letters: &[char], names: &[&str]) -> bool {
    command.args().iter().take_while(|word| word.text != "--").any(|word| {
        let text = word.text.as_str();
        match text.strip_prefix("--") {
            Some(name) => name.len() > 1 && names.iter().any(|known| known.starts_with(name)),
            None => text.starts_with('-') && text.contains(letters),
        }
    })
}

fn operands(command: &Simple) -> impl Iterator<Item = &Word> {
    let mut all = false;
    command.args().iter().filter(move |word| {
        let own = all || !word.text.starts_with('-');
        all |= word.text == "--";
        own
    })
}

/// The first of some words that is a whole place, or may be one.
fn whole<'w>(
    words: impl Iterator<Item = &'w Word>,
    command: &Simple,
    places: &Places,
) -> Option<(&'w Word, bool)> {
    let mut maybe = None;
    for word in words {
        match places.of(word, command) {
            Place::Whole => return Some((word, true)),
            Place::MaybeWhole => maybe = maybe.or(Some((word, false))),
            Place::Other => {}
        }
    }
    maybe
}

pub(super) fn removes(command: &Simple, reading: &Reading, places: &Places) -> Option<Finding> {
    let (word, sure) = match command.program.as_str() {
        "rm" | "srm" | "trash" | "rimraf"
            if command.program == "rimraf" || has(command, &['r', 'R'], &["recursive"]) =>
        {
            whole(operands(command), command, places)?
        }
        "shred" | "rmdir" | "unlink" => whole(operands(command), command, places)?,
        "mv" => {
            let last = operands(command).count().saturating_sub(1);
            whole(operands(command).take(last), command, places)?
        }
        "find" | "fd" | "fdfind" => {
            let deletes =
                command.args().iter().any(|word| word.text == "-delete")
                    || reading.commands.iter().any(|other| {
                        other.wrappers.last().is_some_and(|wrapper| {
                            wrapper.program == "find" && wrapper.words == command.words
                        }) && matches!(other.program.as_str(), "rm" | "shred" | "unlink")
                    });
            // Only some of it, where there is any test.
            let only = command.args().iter().any(|word| {
                word.text.starts_with('-')
                    && ![
                        "-delete",
                        "-exec",
                        "-execdir",
                        "-depth",
                        "-print",
                        "-type",
                        "-rf",
                        "-f",
                        "-r",
                        "-mindepth",
                        "-maxdepth",
                        "-xdev",
                        "-mount",
                    ]
                    .contains(&word.text.as_str())
            });
            if !deletes || only {
                return None;
            }
            whole(operands(command).take_while(|word| !word.text.starts_with(['(', '!'])), command, places)?
        }
        _ => return None,
    };
    let why = if sure {
        format!("`{}` removes `{}` with all that is in it", command.line(), word.text)
    } else {
        format!("`{}` removes everything if the variable is empty", command.line())
    };
    Some(Finding { kind: Kind::Remove, sure, why })
}

pub(super) fn formats(command: &Simple) -> Option<Finding> {
    let name = command.program.as_str();
    let makes = name.starts_with("mkfs") || name.starts_with("newfs") || name.starts_with("mke2fs");
    let wipes = matches!(name, "mkswap" | "wipefs" | "blkdiscard" | "sfdisk" | "sgdisk" | "parted" | "fdisk");
    let first = command.args().first().map(|word| word.text.as_str());
    let other = match name {
        "cryptsetup" => command
            .args()
            .iter()
            .any(|word| matches!(word.text.as_str(), "luksFormat" | "erase" | "luksErase")),
        "diskutil" => first.is_some_and(|first| first.starts_with("erase") || first == "partitionDisk"),
        "hdparm" => command.args().iter().any(|word| word.text.starts_with("--security-erase")),
        "nvme" => first == Some("format"),
        _ => false,
    };
    if !(makes || wipes || other)
        || has(command, &['l', 'n', 'V', 'h'], &["list", "no-act", "version", "help"]) && !makes
    {
        return None;
    }
    let device = command.args().iter().find(|word| is_device(&word.text) || name == "diskutil");
    // In a file it is somebody's image.
    let unknown = command.args().iter().any(|word| !word.known);
    if device.is_none() && !unknown && operands(command).next().is_some() {
        return None;
    }
    let what = device.map_or("a device", |word| word.text.as_str());
    Some(Finding {
        kind: Kind::Format,
        sure: device.is_some() || makes && !unknown,
        why: format!("`{}` leaves nothing of what is on {what}", command.line()),
    })
}

pub(super) fn overwrites(command: &Simple) -> Option<Finding> {
    let written = |redirection: &&hookspec_process::command::Redirection| {
        matches!(redirection.kind, Redirect::Write | Redirect::Append | Redirect::ReadWrite)
    };
    let redirected = command.redirections.iter().filter(written).map(|redirection| &redirection.target.text);
    let named: Vec<&str> = match command.program.as_str() {
        "dd" => command.args().iter().filter_map(|word| word.text.strip_prefix("of=")).collect(),
        "tee" | "shred" | "truncate" => operands(command).map(|word| word.text.as_str()).collect(),
        "cp" | "mv" | "install" | "pv" | "badblocks" => {
            operands(command).last().map(|word| word.text.as_str()).into_iter().collect()
        }
        _ => Vec::new(),
    };
    let device = redirected.map(String::as_str).chain(named).find(|target| is_device(target))?;
    Some(Finding {
        kind: Kind::Device,
        sure: true,
        why: format!("`{}` writes over the device {device}", command.line()),
    })
}

pub(super) fn downloads(index: usize, reading: &Reading) -> Option<Finding> {
    let command = reading.commands.get(index)?;
    let name = family(&command.program);
    let is_fetch = |command: &Simple| FETCH.contains(&command.program.as_str());
    let found = |from: &Simple| {
        Some(Finding {
            kind: Kind::Download,
            sure: true,
            why: format!(
                "`{}` runs what `{}` downloads, before anybody has seen it",
                command.line(),
                from.line()
            ),
        })
    };
    // `curl -o x … && sh x`
    for file in &command.runs {
        let from = reading.commands.iter().take(index).find(|from| is_fetch(from) && keeps(from, file));
        if let Some(from) = from {
            return found(from);
        }
    }
    let reads_in = matches!(name, "eval" | "source" | ".");
    if !RUN.contains(&name) && !reads_in {
        return None;
    }
    // `sh <(curl …)`, `bash -c "$(curl …)"`
    let made = command
        .args()
        .iter()
        .find(|word| !word.known && ["/dev/fd/", "$(", "`"].iter().any(|mark| word.text.contains(mark)));
    if let Some(word) = made {
        let names = |from: &&Simple| {
            is_fetch(from) && (word.text.contains("/dev/fd/") || word.text.contains(from.program.as_str()))
        };
        if let Some(from) = reading.commands.iter().take(index).rev().find(names) {
            return found(from);
        }
    }
    // `curl … | tee x | sh`, unless it is told to run something else (`python -m json.tool`).
    let text_given = command.args().iter().any(|word| {
        let text = word.text.as_str();
        match name {
            "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "fish" => {
                text.starts_with('-') && !text.starts_with("--") && text.contains('c')
            }
            "python" => text.starts_with("-c") || text.starts_with("-m"),
            _ => {
                text.starts_with("-e")
                    || text.starts_with("-p")
                    || text.starts_with("-n")
                    || text.starts_with("--eval")
                    || text.starts_with("-r")
            }
        }
    });
    let file_given = command.args().first().is_some_and(|word| {
        !word.text.starts_with('-') && !word.text.starts_with("/dev/stdin") && word.known
    });
    if reads_in || text_given || file_given {
        return None;
    }
    let (mut at, mut steps) = (command.piped_from, 0);
    while let Some(from) = at.and_then(|at| reading.commands.get(at)).filter(|_| steps < 64) {
        if is_fetch(from) {
            return found(from);
        }
        at = from.piped_from;
        steps += 1;
    }
    None
}

/// Whether a download is kept in this file.
fn keeps(from: &Simple, file: &std::path::Path) -> bool {
    let written = from
        .redirections
        .iter()
        .filter(|redirection| matches!(redirection.kind, Redirect::Write | Redirect::Append));
    let mut targets: Vec<String> = written.map(|redirection| redirection.target.text.clone()).collect();
    let args = from.args();
    for (at, word) in args.iter().enumerate() {
        let text = word.text.as_str();
        let next = || args.get(at + 1).map(|word| word.text.clone());
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        if matches!(text, "--output" | "--output-document" | "--out")
            || letters.is_some_and(|letters| letters.ends_with(['o', 'O']))
        {
            targets.extend(next());
        } else if let Some((_, target)) = text.split_once('=').filter(|_| text.starts_with("--output")) {
            targets.push(target.to_owned());
        }
        // `wget URL`, `curl -O URL`: the last part of the address.
        if text.contains("://") {
            let last = text.split(['?', '#']).next().unwrap_or(text).rsplit('/').next().unwrap_or_default();
            targets.push(last.to_owned());
        }
    }
    targets
        .iter()
        .filter(|target| !target.is_empty())
        .any(|target| from.path(target) == *file || file.ends_with(target))
}

pub(super) fn permits(command: &Simple, places: &Places) -> Option<Finding> {
    let name = command.program.as_str();
    if !matches!(name, "chmod" | "chown" | "chgrp" | "setfacl" | "chattr")
        || !has(command, &['R'], &["recursive"])
    {
        return None;
    }
    let own = usize::from(name != "setfacl" && !has(command, &[], &["reference"]));
    let (word, sure) = whole(operands(command).skip(own), command, places)?;
    let why = if sure {
        format!("`{}` changes the rights of all that is in `{}`", command.line(), word.text)
    } else {
        format!("`{}` changes the rights of everything if the variable is empty", command.line())
    };
    Some(Finding { kind: Kind::Permissions, sure, why })
}
