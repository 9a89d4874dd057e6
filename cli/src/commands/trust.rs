//! `hookspec trust`: what this folder brings that could run commands or change settings, and the user's word on it.
//!
//! What is granted is one content: the fingerprint that was shown. Whatever changes, asks again.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use hookspec_bridge::inbound::plain;
use hookspec_bridge::trust::{Fingerprint, Grant, Grants, Standing, Store, Subject, TrustError, Unreadable};
use serde_json::json;

use crate::others;
use crate::output::{self, BAD, BOLD, DIM, GOOD, WARN, paint};
use crate::settings::{Common, Settings, store};

use super::CommandResult;

/// Bytes of a file that are shown.
const SHOWN: usize = 64 * 1024;

const NOTHING: &str = "this folder brings nothing that needs your trust";

#[derive(Debug, Args)]
pub(crate) struct Trust {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what this folder brings: the whole text, and that of every file that its commands name.
    Show {
        /// The beginning of a fingerprint; all without one.
        #[arg(value_name = "FINGERPRINT")]
        fingerprints: Vec<String>,
    },
    /// Trust what this folder brings, exactly as it is now.
    Grant(Which),
    /// Trust it no longer.
    Revoke(Which),
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// The beginning of a fingerprint, as the list shows it.
    #[arg(value_name = "FINGERPRINT")]
    fingerprints: Vec<String>,
    /// All that this folder brings.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "nothing here has a fingerprint that begins with `{0}`; it may have changed since you looked: `hookspec trust` lists what is here, with at least six digits each"
)]
struct NotHere(String);

/// A subject as it is now.
struct Item<'s> {
    subject: &'s Subject,
    print: Fingerprint,
    standing: Standing,
}

impl Trust {
    pub(crate) fn run(&self, common: &Common) -> CommandResult {
        // What else is wrong with the configuration is told by the commands that use it.
        let (settings, _) = Settings::read(common)?;
        settings.check_workspace()?;
        let store = store(&settings.paths);
        let grants = store.load()?;
        let mut subjects = settings.subjects.clone();
        subjects.extend(others::read(&settings)?.subjects);
        let items = items(&subjects, &grants)?;
        match &self.action {
            None => list(&items, common.json)?,
            Some(Action::Show { fingerprints }) => {
                let chosen = chosen(&items, fingerprints, fingerprints.is_empty())?;
                if chosen.is_empty() {
                    output::line(NOTHING);
                }
                chosen.into_iter().for_each(show);
            }
            Some(Action::Grant(which)) => {
                let chosen = chosen(&items, &which.fingerprints, which.all)?;
                grant(&store, &chosen)?;
            }
            Some(Action::Revoke(which)) => revoke(&store, &items, which)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn items<'s>(subjects: &'s [Subject], grants: &Grants) -> Result<Vec<Item<'s>>, Unreadable> {
    subjects
        .iter()
        .map(|subject| {
            let print = subject.fingerprint()?;
            Ok(Item { subject, standing: grants.standing(subject, &print), print })
        })
        .collect()
}

fn chosen<'i, 's>(items: &'i [Item<'s>], wanted: &[String], all: bool) -> Result<Vec<&'i Item<'s>>, NotHere> {
    if all {
        return Ok(items.iter().collect());
    }
    let find = |text: &String| {
        let item = items.iter().find(|item| item.print.begins(text));
        item.ok_or_else(|| NotHere(text.clone()))
    };
    wanted.iter().map(find).collect()
}

fn list(items: &[Item<'_>], as_json: bool) -> Result<(), output::PrintError> {
    if as_json {
        let row = |item: &Item<'_>| {
            let Subject { file, part, commands, .. } = item.subject;
            let (standing, files) = (item.standing, item.subject.files());
            let commands: Vec<_> = commands.iter().map(ToString::to_string).collect();
            json!({ "fingerprint": item.print, "standing": standing, "file": file, "part": part, "commands": commands, "files": files })
        };
        return output::json(&items.iter().map(row).collect::<Vec<_>>());
    }
    if items.is_empty() {
        output::line(NOTHING);
        return Ok(());
    }
    for item in items {
        let standing = match item.standing {
            Standing::Trusted => paint(GOOD, "trusted"),
            Standing::Changed => paint(WARN, "changed"),
            Standing::New => paint(BAD, "new    "),
        };
        let (what, print) = (title(item.subject), paint(DIM, item.print.short()));
        output::line(format!("{standing}  {print}  {what}"));
        for command in &item.subject.commands {
            output::line(format!("  runs   {}", plain(&command.to_string())));
        }
        for file in item.subject.files() {
            output::line(format!("  names  {}", plain(&file.display().to_string())));
        }
    }
    if items.iter().any(|item| item.standing != Standing::Trusted) {
        output::line("");
        output::hint("hookspec trust show", 40, "what is written there, and in the files it names");
        output::hint("hookspec trust grant FINGERPRINT", 40, "trust exactly that");
    }
    Ok(())
}

fn title(subject: &Subject) -> String {
    format!("{}, {}", plain(&subject.file.display().to_string()), plain(&subject.part))
}

fn show(item: &Item<'_>) {
    let print = paint(DIM, &item.print);
    output::code(format!(
        "{}  {print}\n{}",
        paint(BOLD, title(item.subject)),
        plain(item.subject.text.trim_end())
    ));
    for file in item.subject.files() {
        output::line(format!("\n{}", paint(BOLD, plain(&file.display().to_string()))));
        output::code(content(&file));
    }
}

fn content(file: &Path) -> String {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => return format!("it cannot be read: {error}"),
    };
    let shown = &bytes[..bytes.len().min(SHOWN)];
    if shown.contains(&0) {
        return format!("{} bytes that are no text", bytes.len());
    }
    let mut text = plain(String::from_utf8_lossy(shown).trim_end());
    if shown.len() < bytes.len() {
        text.push_str(&format!("\n… {} more bytes", bytes.len() - shown.len()));
    }
    text
}

fn grant(store: &Store, items: &[&Item<'_>]) -> Result<(), TrustError> {
    if items.is_empty() {
        output::line(NOTHING);
        return Ok(());
    }
    let at = jiff::Timestamp::now().to_string();
    store.grant(items.iter().map(|item| Grant {
        fingerprint: item.print.clone(),
        file: item.subject.file.clone(),
        part: item.subject.part.clone(),
        at: at.clone(),
    }))?;
    for item in items {
        output::line(format!("{}  {}", paint(GOOD, "trusted"), title(item.subject)));
    }
    Ok(())
}

fn revoke(store: &Store, items: &[Item<'_>], which: &Which) -> Result<(), TrustError> {
    let here = |grant: &Grant| {
        items.iter().any(|item| item.subject.file == grant.file && item.subject.part == grant.part)
    };
    let named = |grant: &Grant| which.fingerprints.iter().any(|text| grant.fingerprint.begins(text));
    let gone = store.revoke(|grant| if which.all { here(grant) } else { named(grant) })?;
    // One content after another of the same place may have been trusted.
    let places: BTreeSet<_> = gone.iter().map(|grant| (&grant.file, &grant.part)).collect();
    for (file, part) in places {
        output::line(format!("no longer trusted  {}, {}", plain(&file.display().to_string()), plain(part)));
    }
    if gone.is_empty() {
        output::line("nothing here was trusted");
    }
    Ok(())
}
