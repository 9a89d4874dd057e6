//! `hookspec-ask bridge CLIENT --event NAME --resident …`: the same as `hookspec` with these arguments, sooner.
//!
//! It is small, so that it starts quickly. It hands the event to the process that stays, and where none has time for it,
//! `hookspec` beside it takes its place, with the event unread.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, exit};
use std::time::Duration;

use hookspec_agent::paths::Paths;
use hookspec_bridge::bridge::Bridge;
use hookspec_bridge::client::Client;
use hookspec_bridge::resident::{self, Resident};

/// What is to be answered.
#[derive(Debug, PartialEq)]
struct Asked<'a> {
    client: Client,
    event: Option<&'a str>,
    deadline: Duration,
    patience: Duration,
}

/// The arguments as `hookspec install` writes them; whatever else there is, is left to `hookspec`.
fn asked<'a>(words: &[&'a str]) -> Option<Asked<'a>> {
    let ["bridge", client, rest @ ..] = words else { return None };
    let mut asked = Asked {
        client: client.parse().ok()?,
        event: None,
        deadline: Bridge::DEADLINE,
        patience: resident::PATIENCE,
    };
    let (mut rest, mut is_resident) = (rest.iter(), false);
    while let Some(word) = rest.next() {
        match *word {
            "--event" => asked.event = Some(rest.next()?),
            "--deadline" => asked.deadline = seconds(rest.next()?)?,
            "--patience" => asked.patience = seconds(rest.next()?)?,
            "--resident" => is_resident = true,
            "--idle" | "--allow" | "--disable" | "--config" | "--workspace" => drop(rest.next()?),
            _ => return None,
        }
    }
    is_resident.then_some(asked)
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

/// The exit code, if a process that stays has answered.
fn passed_on(program: &Path) -> Option<u8> {
    let words: Option<Vec<String>> =
        std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect();
    let words = words?;
    let asked = asked(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
    let folder = Resident::folder(&Paths::discover().ok()?.state_dir);
    let socket = resident::socket(&folder, program).ok()?;
    resident::pass_on(asked.client, asked.event, &socket, asked.deadline, asked.patience)
}

fn main() -> ExitCode {
    let program = match std::env::current_exe() {
        Ok(own) => own.with_file_name("hookspec"),
        Err(error) => {
            eprintln!("hookspec-ask does not find out where it is, and so not where hookspec is: {error}");
            return ExitCode::from(2);
        }
    };
    if let Some(code) = passed_on(&program) {
        // What was left behind must not keep the client waiting.
        exit(code.into());
    }
    let error = Command::new(&program).args(std::env::args_os().skip(1)).exec();
    eprintln!("{} cannot be run: {error}; hookspec-ask must lie beside it", program.display());
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Asked<'_>> {
        asked(&line.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn what_install_writes_is_understood_and_the_rest_is_left_alone() {
        let own = of("bridge codex --event Stop --resident --allow a,b").unwrap();
        let (client, event) = (Client::Codex, Some("Stop"));
        let (deadline, patience) = (Bridge::DEADLINE, resident::PATIENCE);
        assert_eq!(own, Asked { client, event, deadline, patience });
        let own = of("bridge claude --event SessionEnd --deadline 4 --resident --patience 0.2").unwrap();
        assert_eq!((own.deadline, own.patience), (Duration::from_secs(4), Duration::from_millis(200)));
        for line in [
            "bridge codex --event Stop",
            "bridge codex --resident --reside x",
            "bridge nobody --resident",
            "bridge codex --resident --event",
            "bridge codex --resident --deadline soon",
            "--allow x bridge codex --resident",
            "list",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
