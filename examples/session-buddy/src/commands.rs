//! The subcommands `checkpoint` and `buddy`, in programs that are made of `hookspec_cli`.

use std::process::ExitCode;

use hookspec::hooks::BoxError;
use hookspec_cli::clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use hookspec_cli::{Invocation, PluginCommand};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::json;

use crate::checkpoint::{self, CheckpointError, Wanted};
use crate::metrics::{self, Filter, SessionRow, minutes};
use crate::search::{self, Sought};
use crate::settings::Settings;
use crate::{skills, store};

/// The session that commands of a person belong to. Each run has an id of its own, so that none mixes with another.
const NOBODY: &str = "command";

hookspec_cli::command! {
    PluginCommand {
        command: || {
            Command::new("checkpoint")
                .about("Measure the workspace's quality and keep a checkpoint; exit with 1 if it is refused")
                .arg(Arg::new("label").help("What to call it"))
                .arg(Arg::new("commit").long("commit").value_name("MESSAGE").help("Commit what changed"))
                .arg(Arg::new("tag").long("tag").value_name("NAME").help("Tag the commit"))
        },
        run: |arguments, invocation| Box::pin(take(arguments, invocation)),
    }
}

hookspec_cli::command! {
    PluginCommand {
        command: buddy,
        run: |arguments, invocation| Box::pin(look(arguments, invocation)),
    }
}

fn buddy() -> Command {
    let limit = Arg::new("limit")
        .long("limit")
        .value_name("N")
        .default_value("5")
        .value_parser(value_parser!(u16).range(1..=100))
        .help("How many");
    Command::new("buddy")
        .about("What sessions have left behind: errors and their fixes, skills, metrics, checkpoints")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("errors")
                .about(
                    "Errors that were fixed and are like this text; without one, how errors go, kind by kind",
                )
                .arg(Arg::new("text").help("The error's text"))
                .arg(limit.clone()),
        )
        .subcommand(
            Command::new("metrics")
                .about("How sessions go: the last 30 days, unless told otherwise")
                .arg(Arg::new("svg").long("svg").value_name("FILE").help("Write a picture with trends"))
                .arg(Arg::new("sessions").long("sessions").action(ArgAction::SetTrue).help("Each session"))
                .arg(Arg::new("here").long("here").action(ArgAction::SetTrue).help("Only this workspace"))
                .arg(Arg::new("from").long("from").value_name("DATE").help("From this day on, as 2026-01-31"))
                .arg(Arg::new("to").long("to").value_name("DATE").help("Up to this day, included")),
        )
        .subcommand(Command::new("skills").about("What good checkpoints had in common").arg(
            Arg::new("for").long("for").value_name("TAGS").value_delimiter(',').help("Only those that fit"),
        ))
        .subcommand(
            Command::new("checkpoints").about("This workspace's checkpoints, the newest first").arg(limit),
        )
}

/// A date that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no date; write it as 2026-01-31")]
struct NoDate(String);

async fn take(arguments: &ArgMatches, invocation: &Invocation<'_>) -> Result<ExitCode, BoxError> {
    let text = |name: &str| arguments.get_one::<String>(name).cloned();
    let wanted = Wanted { label: text("label"), commit: text("commit"), tag: text("tag") };
    let session = invocation.session(&format!("{NOBODY}-{}", Timestamp::now()))?;
    match checkpoint::take(&session, wanted).await {
        Ok(made) if invocation.json() => invocation.data(&made)?,
        Ok(made) => {
            invocation.line(checkpoint::told(&made));
            for part in &made.quality.parts {
                let points = part.points.map_or("–".to_owned(), |points| format!("{points:.1}"));
                invocation
                    .line(format_args!("  {points:>4} of {:>2}  {}: {}", part.most, part.name, part.found));
            }
            for remedy in made.quality.remedies(3) {
                invocation.line(format_args!("  {remedy}"));
            }
        }
        Err(CheckpointError::Refused { hook, reason }) => {
            if invocation.json() {
                invocation.data(&json!({ "refused": { "hook": hook, "reason": reason } }))?;
            } else {
                invocation.note(CheckpointError::Refused { hook, reason });
            }
            return Ok(ExitCode::FAILURE);
        }
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::SUCCESS)
}

async fn look(arguments: &ArgMatches, invocation: &Invocation<'_>) -> Result<ExitCode, BoxError> {
    let Some((name, own)) = arguments.subcommand() else { return Ok(ExitCode::FAILURE) };
    let session = invocation.session(NOBODY)?;
    match name {
        "errors" => errors(own, invocation, &session).await?,
        "metrics" => show_metrics(own, invocation, &session)?,
        "skills" => show_skills(own, invocation, &session)?,
        _ => checkpoints(own, invocation, &session)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn limit(arguments: &ArgMatches) -> u16 {
    arguments.get_one::<u16>("limit").copied().unwrap_or(5)
}

async fn errors(
    arguments: &ArgMatches,
    invocation: &Invocation<'_>,
    session: &hookspec::Session,
) -> Result<(), BoxError> {
    if let Some(text) = arguments.get_one::<String>("text") {
        let found = search::search(session, text, Sought::Errors, limit(arguments).into()).await?;
        return if invocation.json() {
            invocation.data(&found)
        } else {
            invocation.line(search::told(&found));
            Ok(())
        };
    }
    let kinds = store::with(session, |store| store.kinds())?;
    if invocation.json() {
        return invocation.data(&kinds);
    }
    let rows: Vec<Vec<String>> = kinds
        .into_iter()
        .map(|row| {
            vec![
                row.kind,
                row.count.to_string(),
                format!("{:.0} %", row.fixed * 100.0),
                row.median_minutes.map(minutes).unwrap_or_default(),
                row.usual_fix.unwrap_or_default(),
            ]
        })
        .collect();
    if rows.is_empty() {
        invocation.note("no errors are recorded yet");
    } else {
        invocation.table(&["kind", "count", "fixed", "median", "usual fix"], &rows);
    }
    Ok(())
}

fn day(arguments: &ArgMatches, name: &str) -> Result<Option<Date>, NoDate> {
    let text = arguments.get_one::<String>(name);
    text.map(|text| text.parse().map_err(|_| NoDate(text.clone()))).transpose()
}

fn show_metrics(
    arguments: &ArgMatches,
    invocation: &Invocation<'_>,
    session: &hookspec::Session,
) -> Result<(), BoxError> {
    let zone = session.settings::<Settings>().zone();
    let begin = |date: Date| date.to_zoned(zone.clone()).map(|begin| begin.timestamp());
    let from = day(arguments, "from")?.map(begin).transpose()?;
    let to = day(arguments, "to")?
        .map(|date| begin(date.saturating_add(jiff::Span::new().days(1))))
        .transpose()?;
    let since = metrics::thirty_days_before(to.unwrap_or_else(|| session.clock().now()));
    let filter = Filter {
        project: arguments.get_flag("here").then(|| store::project(session)),
        from: Some(from.unwrap_or(since)),
        to: to.map(|to| to - jiff::SignedDuration::from_millis(1)),
    };
    let (summary, sessions) =
        store::with(session, |store| Ok((store.summary(&filter)?, store.sessions(&filter)?)))?;
    if let Some(file) = arguments.get_one::<String>("svg") {
        std::fs::write(file, metrics::picture(&summary, &sessions))
            .map_err(|error| format!("{file} cannot be written: {error}"))?;
        invocation.note(format_args!("the picture is in {file}"));
    }
    match (arguments.get_flag("sessions"), invocation.json()) {
        (true, true) => return invocation.data(&sessions),
        (false, true) => return invocation.data(&summary),
        (true, false) => {
            show_sessions(invocation, &sessions);
            return Ok(());
        }
        (false, false) => {}
    }
    let trend = format!("{:?}", summary.trend).to_lowercase();
    let tools: Vec<String> = summary.tools.iter().map(|(name, calls)| format!("{name} {calls}")).collect();
    for (name, value) in [
        ("sessions", summary.sessions.to_string()),
        ("length", minutes(summary.minutes)),
        ("checkpoints", format!("{:.1} a session", summary.checkpoints)),
        ("commits", format!("{:.1} a session, {:.1} an hour", summary.commits, summary.velocity)),
        ("quality", format!("{:.0}, {trend}", summary.quality)),
        ("files", summary.files.to_string()),
        ("best time", summary.best_time),
        ("tools", tools.join(", ")),
        ("projects", summary.projects.join(", ")),
    ] {
        invocation.line(format_args!("{name:<12} {value}"));
    }
    Ok(())
}

fn show_sessions(invocation: &Invocation<'_>, sessions: &[SessionRow]) {
    let row = |row: &SessionRow| {
        let quality = row.quality.map(|quality| format!("{quality:.0}")).unwrap_or_default();
        let (checkpoints, commits, files) = (row.checkpoints, row.commits, row.files);
        let language = row.language.clone().unwrap_or_default();
        let started = row.started.strftime("%Y-%m-%d %H:%M").to_string();
        vec![
            started,
            minutes(row.minutes),
            checkpoints.to_string(),
            commits.to_string(),
            files.to_string(),
            quality,
            language,
            row.id.clone(),
        ]
    };
    let heading =
        ["start (UTC)", "length", "checkpoints", "commits", "files", "quality", "language", "session"];
    invocation.table(&heading, &sessions.iter().map(row).collect::<Vec<_>>());
}

fn show_skills(
    arguments: &ArgMatches,
    invocation: &Invocation<'_>,
    session: &hookspec::Session,
) -> Result<(), BoxError> {
    let mut all = store::with(session, |store| store.skills())?;
    if let Some(tags) = arguments.get_many::<String>("for") {
        all = skills::suggested(all, &tags.cloned().collect::<Vec<_>>());
    }
    if invocation.json() {
        return invocation.data(&all);
    }
    if all.is_empty() {
        invocation.note("no skill is known: three good checkpoints that show the same pattern make one");
    }
    for skill in all {
        let rate = format!("{} of {} good", skill.successes, skill.uses);
        invocation.line(format_args!("{}  {rate}  [{}]", skill.kind.name(), skill.tags.join(", ")));
        invocation.line(format_args!("  {} {}.", skill.description, skill.actions.join("; ")));
    }
    Ok(())
}

fn checkpoints(
    arguments: &ArgMatches,
    invocation: &Invocation<'_>,
    session: &hookspec::Session,
) -> Result<(), BoxError> {
    let project = store::project(session);
    let all = store::with(session, |store| store.checkpoints(Some(&project), limit(arguments).into()))?;
    if invocation.json() {
        return invocation.data(&all);
    }
    let rows: Vec<Vec<String>> = all
        .into_iter()
        .map(|made| {
            let how = if made.refused.is_some() { "refused" } else { "made" };
            let label = made.label.unwrap_or_default();
            vec![
                made.id.to_string(),
                made.at.strftime("%Y-%m-%d %H:%M").to_string(),
                made.score.to_string(),
                how.into(),
                label,
            ]
        })
        .collect();
    if rows.is_empty() {
        invocation.note("there is no checkpoint of this workspace yet");
    } else {
        invocation.table(&["number", "time (UTC)", "score", "", "label"], &rows);
    }
    Ok(())
}
