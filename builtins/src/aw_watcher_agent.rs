//! `aw_watcher_agent`: tells ActivityWatch what the agent is doing.
//!
//! **Watches** the session's start and end, and the end of each tool call. **Speaks** never. **Keeps** nothing. For each
//! it runs the watcher (`aw-watcher-agent`, or `command`) with `emit-start`, `emit-end` or `emit-activity` and the
//! options `--harness`, `--session-id`, `--model`, `--workspace` (its last part), `--trigger`, `--category`, `--server` and
//! `--hostname`, as far as they are known; for a call also `--tool`, `--status` and `--duration-ms`. A bare name is looked
//! up on `PATH` outside of the workspace. A watcher that is missing is noted at debug level, one that fails or takes more
//! than five seconds is a warning. **Costs** nothing unless `enabled`; then a process per event, beside the chain.
//!
//! Different from gptme:
//! - no tool call waits for the watcher;
//! - failed, refused, timed-out and interrupted calls are told as such (`--status error`, `denied`, …), where only
//!   successes were;
//! - the duration is the host's own measure, so none is lost or mistaken for another call's;
//! - a `command` that cannot be read is an error before anything runs;
//! - the harness is `hookspec`, unless `harness` says otherwise; each call has its session's id.

use std::path::Path;
use std::time::Duration;

use hookspec::points::{SESSION_END, SESSION_START, TOOL_POST_EXECUTE};
use hookspec::tool::ToolStatus;
use hookspec::{Session, ToolUse, hook};
use hookspec_process::{ProcessError, Program, find};
use serde::{Deserialize, Serialize};

use crate::command_line::CommandLine;

/// The watcher, where the settings name no other.
const WATCHER: &str = "aw-watcher-agent";
/// How long the watcher may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// `[hooks.aw_watcher_agent]` in `hookspec.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether the watcher is told.
    pub enabled: bool,
    /// The watcher, as one would type it; `aw-watcher-agent` where blank.
    pub command: CommandLine,
    /// The name of this program in its records.
    pub harness: String,
    /// The server it reports to.
    pub server: String,
    /// The machine's name in its records.
    pub hostname: String,
    /// What set the agent going.
    pub trigger: String,
    /// What its work is filed under.
    pub category: String,
}

impl Default for Settings {
    fn default() -> Self {
        let none = String::new;
        Self {
            enabled: false,
            command: CommandLine::of(WATCHER),
            harness: "hookspec".to_owned(),
            server: none(),
            hostname: none(),
            trigger: none(),
            category: none(),
        }
    }
}

/// Tells that the session started.
#[hook(SESSION_START, background)]
fn start(session: &Session, settings: &Settings) {
    emit("emit-start", &[], session, settings);
}

/// Tells that the session ended.
#[hook(SESSION_END, background)]
fn end(session: &Session, settings: &Settings) {
    emit("emit-end", &[], session, settings);
}

/// Tells which tool ran, how it ended and how long it took.
#[hook(TOOL_POST_EXECUTE, background, aliases = ["aw_watcher_agent.tool_pre"])]
fn tool_post(
    tool_use: &ToolUse,
    status: ToolStatus,
    duration: Duration,
    session: &Session,
    settings: &Settings,
) {
    if tool_use.tool.is_empty() {
        return;
    }
    let millis = (duration.as_secs_f64() * 1000.0).round().to_string();
    let more = [("--tool", tool_use.tool.as_str()), ("--status", word(status)), ("--duration-ms", &millis)];
    emit("emit-activity", &more, session, settings);
}

fn word(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Ok => "success",
        ToolStatus::Error => "error",
        ToolStatus::Denied => "denied",
        ToolStatus::Timeout => "timeout",
        ToolStatus::Interrupted => "interrupted",
    }
}

fn emit(subcommand: &str, more: &[(&str, &str)], session: &Session, settings: &Settings) {
    if !settings.enabled {
        return;
    }
    let (program, args) = settings.command.parts(WATCHER);
    // A name is looked up here, so that a file of the project's is not run in the watcher's place.
    // In the root of the file system everything would be one.
    let project = session.workspace().filter(|workspace| workspace.parent().is_some());
    let path = if program.contains('/') { Some(program.into()) } else { find(program, project) };
    let Some(path) = path else {
        tracing::debug!(program, "the watcher is not installed; nothing is told to it");
        return;
    };
    let run = Program::new(path)
        .args(args)
        .args(argv(subcommand, more, session, settings))
        .deadline(DEADLINE)
        .run();
    match run {
        Ok(ended) if ended.status.success() => {
            let said = ended.stderr.text();
            if !said.is_empty() {
                tracing::debug!(program, said, "the watcher complained");
            }
        }
        Ok(ended) => {
            let (how, stdout, stderr) = (ended.words(), ended.stdout.text(), ended.stderr.text());
            tracing::warn!(program, subcommand, how, stdout, stderr, "the watcher failed");
        }
        Err(ProcessError::Start { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            tracing::debug!(program, "the watcher is not installed; nothing is told to it");
        }
        Err(error) => tracing::warn!(subcommand, %error, "the watcher was not told"),
    }
}

/// What the watcher is told, in the order that its command line documents. Values of their own words: one that begins
/// with a dash follows its option with `=`.
fn argv(subcommand: &str, more: &[(&str, &str)], session: &Session, settings: &Settings) -> Vec<String> {
    let model = session.model();
    let workspace = session.workspace().map(name).unwrap_or_default();
    let options = [
        ("--harness", settings.harness.as_str()),
        ("--session-id", session.id()),
        ("--model", &model),
        ("--workspace", &workspace),
        ("--trigger", &settings.trigger),
        ("--category", &settings.category),
        ("--server", &settings.server),
        ("--hostname", &settings.hostname),
    ];
    let mut argv = vec![subcommand.to_owned()];
    for (option, value) in options.iter().chain(more) {
        if value.starts_with('-') {
            argv.push(format!("{option}={value}"));
        } else if !value.is_empty() {
            argv.extend([(*option).to_owned(), (*value).to_owned()]);
        }
    }
    argv
}

/// The last part of a path; all of it where there is none.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use hookspec::points::{EndReason, StartReason};
    use hookspec::{Config, Hooks, Registry, fire_now};
    use tempfile::TempDir;

    use super::*;

    /// A watcher that writes each of its calls into `calls`, one argument in brackets after the other.
    fn watcher(folder: &TempDir, then: &str) -> String {
        let path = folder.path().join("watch er");
        let calls = folder.path().join("calls");
        let script =
            format!("#!/bin/sh\n{{ printf '[%s]' \"$@\"; echo; }} >> '{}'\n{then}\n", calls.display());
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        format!("command = \"'{}'\"", path.display())
    }

    fn calls(folder: &TempDir) -> Vec<String> {
        let text = fs::read_to_string(folder.path().join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn registry(settings: &str) -> Result<Registry, hookspec::registry::BuildError> {
        let mut config = Config::new();
        config.add_toml("test", &format!("[hooks.aw_watcher_agent]\n{settings}"), &[]).unwrap();
        Registry::builder().allow(["aw_watcher_agent"]).config(config).build()
    }

    fn session(settings: &str, workspace: &str) -> Session {
        let hooks = Hooks::new(registry(settings).unwrap());
        Session::builder(&hooks, "2026-conv").workspace(workspace).model("test/model").build()
    }

    fn finish(session: &Session) {
        assert_eq!(session.drain_now(Duration::from_secs(30)), []);
    }

    fn started(session: &Session) {
        let fired =
            fire_now!(session, SESSION_START { resumed: false, reason: StartReason::New, initial: &[] });
        assert!(fired.failures().is_empty() && fired.messages().is_empty());
        finish(session);
    }

    fn ended(session: &Session) {
        let _ = fire_now!(session, SESSION_END { reason: EndReason::Exit });
        finish(session);
    }

    fn called(session: &Session, tool: &str, status: ToolStatus, millis: f64) {
        let tool_use = &ToolUse::fenced(tool, [""; 0], "ls");
        let duration = Duration::from_secs_f64(millis / 1000.0);
        let _ = fire_now!(session, TOOL_POST_EXECUTE { tool_use, result: &[], status, duration });
        finish(session);
    }

    #[test]
    fn t1_t7_disabled_runs_nothing_whatever_else_is_set() {
        let folder = tempfile::tempdir().unwrap();
        for enabled in ["", "\nenabled = false\nserver = 'h'"] {
            let session = session(&(watcher(&folder, "") + enabled), "/w");
            started(&session);
            called(&session, "shell", ToolStatus::Ok, 1.0);
            ended(&session);
        }
        assert!(calls(&folder).is_empty());
    }

    #[test]
    fn t2_t3_t4_start_and_end() {
        let folder = tempfile::tempdir().unwrap();
        let session = session(&(watcher(&folder, "") + "\nenabled = true"), "/home/project");
        started(&session);
        ended(&session);
        let rest =
            "[--harness][hookspec][--session-id][2026-conv][--model][test/model][--workspace][project]";
        assert_eq!(calls(&folder), [format!("[emit-start]{rest}"), format!("[emit-end]{rest}")]);
    }

    #[test]
    fn t5_a_call_is_told_once_with_its_duration_and_its_status() {
        let folder = tempfile::tempdir().unwrap();
        let session = session(&(watcher(&folder, "") + "\nenabled = true"), "/w");
        called(&session, "shell", ToolStatus::Ok, 350.2);
        called(&session, "", ToolStatus::Ok, 1.0);
        called(&session, "shell", ToolStatus::Error, 0.0);
        called(&session, "-x", ToolStatus::Denied, 0.6);
        called(&session, "shell", ToolStatus::Timeout, 1.0);
        called(&session, "shell", ToolStatus::Interrupted, 1.0);
        let rest = |call: &String| call.split_once("[--workspace][w]").unwrap().1.to_owned();
        let told: Vec<String> = calls(&folder).iter().map(rest).collect();
        assert_eq!(
            told,
            [
                "[--tool][shell][--status][success][--duration-ms][350]",
                "[--tool][shell][--status][error][--duration-ms][0]",
                "[--tool=-x][--status][denied][--duration-ms][1]",
                "[--tool][shell][--status][timeout][--duration-ms][1]",
                "[--tool][shell][--status][interrupted][--duration-ms][1]",
            ]
        );
    }

    #[test]
    fn t6_a_blank_command_is_the_default_and_a_bad_one_an_error_before_anything_runs() {
        for blank in ["", "  "] {
            let line = CommandLine::try_from(blank.to_owned()).unwrap();
            assert_eq!(line.parts(WATCHER), ("aw-watcher-agent", &[][..]));
        }
        let error = registry("command = \"watch 'er\"").unwrap_err().to_string();
        assert!(error.contains("a quote is never closed in the command `watch 'er`"), "{error}");
        let error = registry("command = \"'' x\"").unwrap_err().to_string();
        assert!(error.contains("begins with an empty name"), "{error}");
    }

    #[test]
    fn t8_the_root_is_named_as_it_is_and_every_option_has_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let more =
            "\nenabled = true\nharness = 'h'\ntrigger = 't'\ncategory = 'c'\nserver = 's:1'\nhostname = 'n'";
        started(&session(&(watcher(&folder, "") + more), "/"));
        assert_eq!(
            calls(&folder),
            ["[emit-start][--harness][h][--session-id][2026-conv][--model][test/model][--workspace][/]\
              [--trigger][t][--category][c][--server][s:1][--hostname][n]"]
        );
    }

    #[test]
    fn t9_a_watcher_that_is_missing_or_fails_is_no_failure_of_the_hook() {
        for command in ["no-such-watcher", "/no/such/watcher", "false"] {
            let session = session(&format!("enabled = true\ncommand = '{command}'"), "/w");
            started(&session);
            ended(&session);
        }
    }

    #[test]
    fn no_tool_call_waits_for_the_watcher() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().display();
        let waits = format!(
            "i=0; while [ ! -e '{at}/go' ] && [ $i -lt 300 ]; do sleep 0.01; i=$((i+1)); done; touch '{at}/done'"
        );
        let session = session(&(watcher(&folder, &waits) + "\nenabled = true"), "/w");
        let tool_use = &ToolUse::fenced("shell", [""; 0], "ls");
        let (status, duration) = (ToolStatus::Ok, Duration::ZERO);
        let _ = fire_now!(session, TOOL_POST_EXECUTE { tool_use, result: &[], status, duration });
        assert!(!folder.path().join("done").exists());
        fs::write(folder.path().join("go"), "").unwrap();
        finish(&session);
        assert!(folder.path().join("done").exists());
    }
}
