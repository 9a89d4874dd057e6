//! `command_rails`: refuses what nobody means.
//!
//! **Watches** `TOOL_PRE_EXECUTE` of tools that run shell commands. **Speaks** when a command, however it is
//! spelt, is one of these:
//!
//! | kind | what is refused |
//! |---|---|
//! | `remove` | removing the root, the home folder, a folder of the system's, or all that lies in one: `rm -rf /`, `rm -r ~`, `find / -delete` |
//! | `format` | making a file system, or wiping one, on a device: `mkfs.ext4 /dev/sda1`, `wipefs` |
//! | `device` | writing over a device: `dd of=/dev/sda`, `cat x > /dev/sda` |
//! | `fork-bomb` | a function that starts itself again beside itself: `:(){ :\|:& };:` |
//! | `download` | running what was downloaded in the same breath: `curl … \| sh`, `bash -c "$(curl …)"`, `curl -o x … && sh x` |
//! | `force-push` | pushing over, or deleting, a default branch: `git push --force` on `main`, `git push origin +main` |
//! | `permissions` | changing owner or rights of one of those folders with all in it: `chmod -R 777 /` |
//!
//! What may be one of them (`rm -rf "$X"/*`, where `X` is not known) is asked. It is on in all modes, with `-y` too, and an allowlist of hooks does
//! not take it away. **Keeps** nothing. **Costs** one reading of the command, some microseconds.
//!
//! Who means it allows the kind: `[hooks.command_rails] allow = ["download"]`. A project's own `hookspec.toml` counts only once the user
//! trusts the project. It is a rail and no fence: what a program does that runs is not seen; the sandbox holds that.
//!
//! Different from gptme, which has a list of texts that are refused (`rm -rf /`), and is passed by two spaces.

mod git;
mod kinds;
mod places;

use hookspec::points::TOOL_PRE_EXECUTE;
use hookspec::{Gate, Session, ToolUse, hook};
use hookspec_process::command::Reading;
use serde::{Deserialize, Serialize};

use crate::shared::commands::{reading, scripts};

/// `[hooks.command_rails]`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The kinds that may run.
    allow: Vec<Kind>,
}

/// What nobody means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Remove,
    Format,
    Device,
    ForkBomb,
    Download,
    ForcePush,
    Permissions,
}

/// What is wrong with a command.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    kind: Kind,
    /// Whether it surely is so.
    sure: bool,
    /// A sentence without its end.
    why: String,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Remove => "remove",
            Self::Format => "format",
            Self::Device => "device",
            Self::ForkBomb => "fork-bomb",
            Self::Download => "download",
            Self::ForcePush => "force-push",
            Self::Permissions => "permissions",
        }
    }
}

/// Refuses what nobody means.
#[hook(TOOL_PRE_EXECUTE, priority = 50, confirmation)]
fn stop(tool_use: &ToolUse, session: &Session, settings: &Settings) -> Option<Gate> {
    let mut asked = None;
    for script in scripts(tool_use, session) {
        for finding in findings(&reading(&script, session)) {
            if settings.allow.contains(&finding.kind) {
                continue;
            }
            let Finding { kind, sure, why } = finding;
            if !sure {
                asked = asked.or_else(|| Some(Gate::ask(format!("{why}; shall it run?"))));
                continue;
            }
            return Some(Gate::deny(format!(
                "{why}. Do what is wanted in a narrower way; if exactly this is wanted, the user allows it with `allow = [\"{}\"]` in [hooks.command_rails].",
                kind.name()
            )));
        }
    }
    asked
}

fn findings(reading: &Reading) -> Vec<Finding> {
    let home = std::env::home_dir();
    let places = places::Places::new(home.as_deref());
    let mut found: Vec<Finding> = Vec::new();
    if let Some(name) = &reading.multiplies {
        let why = format!("`{name}` starts itself again beside itself, without end");
        found.push(Finding { kind: Kind::ForkBomb, sure: true, why });
    }
    for (index, command) in reading.commands.iter().enumerate() {
        found.extend(kinds::removes(command, reading, &places));
        found.extend(kinds::formats(command));
        found.extend(kinds::overwrites(command));
        found.extend(kinds::downloads(index, reading));
        found.extend(kinds::permits(command, &places));
        found.extend(git::pushes(command));
    }
    found
}

#[cfg(test)]
mod tests;
