//! `precommit`: runs the repository's pre-commit checks on what the agent changed.
//!
//! **Watches** the end of each turn, or with `when = "save"` each file that a tool writes. **Speaks** when the checks fail,
//! in one visible message with the end of their output, so that the model can repair what it did; and once a session if
//! pre-commit cannot be run. **Keeps** whether it said that. **Costs** nothing unless `enabled`; then one run of
//! `pre-commit run --files …`, with the changed files and no others, on a thread that may block, for at most `timeout`
//! seconds.
//!
//! The checks are programs that the repository's `.pre-commit-config.yaml` names. Whoever switches this on trusts the
//! repositories that the agent works in; without that file nothing runs. The checks get the environment without variables
//! whose names speak of secrets. They run before `autocommit` commits, and what they repair is committed with the rest.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec::points::{FILE_POST_PATCH, FILE_POST_SAVE, TURN_POST};
use hookspec::{Message, Session, hook};
use hookspec_process::{Ended, Environment, ProcessError, Program};
use serde::{Deserialize, Serialize};

use crate::command_line::CommandLine;
use crate::text::tail_block;

const PRE_COMMIT: &str = "pre-commit";
/// The file that names the checks.
const CONFIG: &str = ".pre-commit-config.yaml";
/// How many files one run is given: a command line has an end.
const FILES: usize = 500;

/// `[hooks.precommit]` in `hookspec.toml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether the checks of the repositories that the agent works in are run.
    pub enabled: bool,
    /// When they run.
    pub when: When,
    /// Pre-commit, as one would type it; `pre-commit` where blank.
    pub command: CommandLine,
    /// How long they may take, in seconds.
    pub timeout: u64,
    /// How many lines of their output the model gets.
    pub lines: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            when: When::Turn,
            command: CommandLine::of(PRE_COMMIT),
            timeout: 300,
            lines: 60,
        }
    }
}

/// When the checks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// At the end of a turn, on all files that it changed.
    Turn,
    /// On each file that a tool writes, at once.
    Save,
}

/// Whether this session knows that pre-commit is missing.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Told(bool);

/// Checks what the turn changed.
#[hook(TURN_POST, priority = 10, blocking, timeout = "never", aliases = ["precommit.precommit_check", "precommit_full"])]
fn on_turn(changed: &[PathBuf], session: &Session, settings: &Settings, state: &mut Told) -> Option<Message> {
    (settings.when == When::Turn).then(|| check(changed, session, settings, state))?
}

/// Checks a file that was written.
#[hook(FILE_POST_SAVE, blocking, timeout = "never", aliases = ["precommit.precommit_check", "precommit_file"])]
fn on_save(path: &Path, session: &Session, settings: &Settings, state: &mut Told) -> Option<Message> {
    (settings.when == When::Save).then(|| check(&[path.to_owned()], session, settings, state))?
}

/// Checks a file that was changed.
#[hook(FILE_POST_PATCH, blocking, timeout = "never", aliases = ["precommit.precommit_check", "precommit_file"])]
fn on_patch(path: &Path, session: &Session, settings: &Settings, state: &mut Told) -> Option<Message> {
    (settings.when == When::Save).then(|| check(&[path.to_owned()], session, settings, state))?
}

fn check(changed: &[PathBuf], session: &Session, settings: &Settings, state: &mut Told) -> Option<Message> {
    let root = root_with_checks(session.workspace().filter(|_| settings.enabled)?)?;
    let files: Vec<&PathBuf> =
        changed.iter().filter(|file| is_inside(file, &root) && file.is_file()).collect();
    let (program, args) = settings.command.parts(PRE_COMMIT);
    let mut output = String::new();
    for files in files.chunks(FILES) {
        let run = Program::new(program)
            .args(args)
            .args(["run", "--color", "never", "--files"])
            .args(files)
            .cwd(&root)
            .environment(Environment::WithoutSecrets)
            .deadline(Duration::from_secs(settings.timeout))
            .run();
        match failure(run) {
            Ok(None) => {}
            Ok(Some(text)) => output.push_str(&text),
            Err(error) => {
                let text = format!("The pre-commit checks do not run: {error}");
                return (!std::mem::replace(&mut state.0, true)).then(|| Message::system(text));
            }
        }
    }
    if output.is_empty() {
        return None;
    }
    let block = tail_block(&output, settings.lines.max(1));
    Some(Message::system(format!("The pre-commit checks of the changed files failed:\n{block}")))
}

/// Whether a file lies in a folder; the workspace or the file may be named by a link.
fn is_inside(file: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    file.starts_with(root)
        || file.parent().and_then(real).zip(real(root)).is_some_and(|(folder, root)| folder.starts_with(root))
}

/// What failed checks wrote; `None` where all passed.
fn failure(run: Result<Ended, ProcessError>) -> Result<Option<String>, ProcessError> {
    match run {
        Ok(ended) if ended.status.success() => Ok(None),
        Ok(ended) => {
            let said = format!("{}{}", ended.stdout.text(), ended.stderr.text());
            Ok(Some(if said.trim().is_empty() {
                format!("({} and no output)\n", ended.words())
            } else {
                said
            }))
        }
        Err(ProcessError::Deadline { after, stdout, stderr, .. }) => {
            let after = after.as_secs();
            Ok(Some(format!("{}{}\n(ended after {after} s, the time limit)\n", stdout.text(), stderr.text())))
        }
        Err(error) => Err(error),
    }
}

/// The workspace, or the folder around it in the same repository, that has checks.
fn root_with_checks(workspace: &Path) -> Option<PathBuf> {
    for folder in workspace.ancestors() {
        if folder.join(CONFIG).is_file() {
            return Some(folder.to_owned());
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use hookspec::model::Usage;
    use hookspec::points::TurnOutcome;
    use hookspec::{Config, Hooks, Registry, fire_now};
    use tempfile::TempDir;

    use super::*;

    struct Place {
        tools: TempDir,
        workspace: TempDir,
    }

    impl Place {
        /// With a `pre-commit` that notes its arguments and fails for files that hold tabs.
        fn new() -> Self {
            let place = Self { tools: tempfile::tempdir().unwrap(), workspace: tempfile::tempdir().unwrap() };
            let script = "#!/bin/sh\necho \"$PWD: $*\" >> \"$(dirname \"$0\")/runs\"\nshift 4\n\
                          for file in \"$@\"; do grep -H '\t' \"$file\" && bad=1; done\nexit ${bad:-0}\n";
            let path = place.tools.path().join("fake");
            fs::write(&path, script).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            place.write(CONFIG, "repos: []\n");
            place
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.workspace.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        }

        fn runs(&self) -> Vec<String> {
            let text = fs::read_to_string(self.tools.path().join("runs")).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        }

        fn session(&self, settings: &str) -> Session {
            let fake = self.tools.path().join("fake");
            self.session_at(self.workspace.path(), &format!("command = {fake:?}\n{settings}"))
        }

        fn session_at(&self, workspace: &Path, settings: &str) -> Session {
            let mut config = Config::new();
            config.add_toml("test", &format!("[hooks.precommit]\n{settings}"), &[]).unwrap();
            let registry = Registry::builder().allow(["precommit"]).config(config).build().unwrap();
            Session::builder(&Hooks::new(registry), "s").workspace(workspace).build()
        }
    }

    fn rest(session: &Session, changed: &[PathBuf]) -> Vec<Message> {
        let usage = Usage::default();
        let outcome = TurnOutcome::Complete;
        let fired = fire_now!(session, TURN_POST { steps: 1, changed, usage: &usage, outcome });
        assert!(fired.failures().is_empty(), "{fired:?}");
        fired.into_messages()
    }

    fn saved(session: &Session, path: &Path) -> Vec<Message> {
        fire_now!(session, FILE_POST_SAVE { path, content: "", created: true }).into_messages()
    }

    #[test]
    fn nothing_runs_unless_it_is_on_and_the_repository_has_checks() {
        let place = Place::new();
        let bad = place.write("bad", "a\tb\n");
        assert!(rest(&place.session(""), std::slice::from_ref(&bad)).is_empty());
        fs::remove_file(place.workspace.path().join(CONFIG)).unwrap();
        let session = place.session("enabled = true");
        assert!(rest(&session, &[bad]).is_empty());
        assert!(place.runs().is_empty());
    }

    #[test]
    fn the_turns_files_are_checked_and_no_others() {
        let place = Place::new();
        let (good, bad) = (place.write("good", "fine\n"), place.write("-bad`", "a\tb\n"));
        place.write("other", "c\td\n");
        let session = place.session("enabled = true");
        assert!(rest(&session, &[]).is_empty() && place.runs().is_empty());
        assert!(rest(&session, std::slice::from_ref(&good)).is_empty());
        assert!(saved(&session, &bad).is_empty(), "not before the turn's end");
        let gone = place.workspace.path().join("gone");
        let said = rest(&session, &[good.clone(), bad.clone(), gone, "/etc/hostname".into()]);
        assert_eq!(
            said[0].content,
            format!("The pre-commit checks of the changed files failed:\n```\n{}:a\tb\n```", bad.display())
        );
        let root = place.workspace.path().canonicalize().unwrap();
        let (root, good, bad) = (root.display(), good.display(), bad.display());
        assert_eq!(
            place.runs(),
            [
                format!("{root}: run --color never --files {good}"),
                format!("{root}: run --color never --files {good} {bad}")
            ]
        );
    }

    #[test]
    fn a_workspace_that_is_named_by_a_link_has_its_files_checked() {
        let place = Place::new();
        let bad = place.write("sub/bad", "a\tb\n");
        let link = place.tools.path().join("link");
        std::os::unix::fs::symlink(place.workspace.path(), &link).unwrap();
        let fake = place.tools.path().join("fake");
        let session = place.session_at(&link, &format!("enabled = true\ncommand = {fake:?}"));
        assert_eq!(rest(&session, &[bad]).len(), 1);
        assert!(rest(&session, &["/etc/hostname".into()]).is_empty());
    }

    #[test]
    fn with_save_each_file_is_checked_at_once() {
        let place = Place::new();
        let bad = place.write("bad", "a\tb\n");
        let session = place.session("enabled = true\nwhen = 'save'");
        assert!(saved(&session, &bad)[0].content.contains("a\tb"));
        let (before, after, diff) = ("", "a\tb\n", "");
        let fired = fire_now!(session, FILE_POST_PATCH { path: &bad, before, after, diff });
        assert_eq!(fired.messages().len(), 1);
        assert!(rest(&session, &[bad]).is_empty());
        assert_eq!(place.runs().len(), 2);
    }

    #[test]
    fn a_folder_of_a_repository_has_the_repositorys_checks_but_not_those_of_another() {
        let place = Place::new();
        let bad = place.write("sub/bad", "a\tb\n");
        let fake = place.tools.path().join("fake");
        let settings = format!("enabled = true\ncommand = {fake:?}");
        let session = place.session_at(&place.workspace.path().join("sub"), &settings);
        assert_eq!(rest(&session, std::slice::from_ref(&bad)).len(), 1);
        fs::create_dir(place.workspace.path().join("sub/.git")).unwrap();
        assert!(rest(&session, &[bad]).is_empty());
    }

    #[test]
    fn what_is_missing_is_told_once_and_what_hangs_is_ended() {
        let place = Place::new();
        let file = place.write("a", "x");
        let session =
            place.session_at(place.workspace.path(), "enabled = true\ncommand = '/no/such/pre-commit'");
        let said = rest(&session, std::slice::from_ref(&file));
        let start = "The pre-commit checks do not run: `/no/such/pre-commit` could not be started";
        assert!(said[0].content.starts_with(start), "{said:?}");
        assert!(rest(&session, std::slice::from_ref(&file)).is_empty());
        let hangs = "enabled = true\ncommand = \"sh -c 'echo begun; sleep 60'\"\ntimeout = 1";
        let said = rest(&place.session_at(place.workspace.path(), hangs), std::slice::from_ref(&file));
        assert!(said[0].content.contains("begun\n\n(ended after 1 s, the time limit)"), "{said:?}");
        let silent = "enabled = true\ncommand = \"sh -c 'exit 3'\"";
        let said = rest(&place.session_at(place.workspace.path(), silent), &[file]);
        assert!(said[0].content.contains("(exit code 3 and no output)"), "{said:?}");
    }
}
