//! The sandbox with real programs: what it holds, what it lets work, and how it ends.
//!
//! Whoever runs the tests is the user of the sandbox; as root, some are run once more as `nobody`, in a process of its own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod ends;
mod holds;
mod less;
mod secrets;
mod users;
mod work;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hookspec_process::sandbox::{Grant, Leash, Part, Profile, Sandbox, support};

/// What is in every secret file of these tests.
const SECRET: &str = "hunter2-from-the-secret-file";

/// A workspace that lies where nothing else is writable, and a sandbox over it.
struct World {
    folder: tempfile::TempDir,
    sandbox: Sandbox,
}

/// A folder outside the temporary ones, so that it is the profile that lets it be written.
fn outside() -> tempfile::TempDir {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let within_temporary = target.canonicalize().is_ok_and(|path| path.starts_with("/tmp"));
    let folder = match std::env::home_dir() {
        Some(home) if within_temporary => home,
        _ => target,
    };
    let made = tempfile::Builder::new().prefix("hookspec-sandbox-").tempdir_in(folder).unwrap();
    assert!(!made.path().starts_with("/tmp"), "{:?}", made.path());
    made
}

impl World {
    fn new() -> Self {
        Self::with(Profile::Workspace)
    }

    fn with(profile: Profile) -> Self {
        let folder = outside();
        let sandbox = Sandbox::new(profile, folder.path());
        Self { folder, sandbox }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A repository with a commit and a secret that git ignores.
    fn with_repository() -> Self {
        let world = Self::new();
        world.write(".gitignore", ".env\n");
        world.write(".env", &format!("TOKEN={SECRET}\n"));
        world.write("a.txt", "a\n");
        let script = "git init -q -b main . && git config user.name N && git config user.email n@example.org && git add -A && git commit -qm one";
        let status = Command::new("sh").args(["-c", script]).current_dir(world.path("")).status().unwrap();
        assert!(status.success());
        world
    }

    fn sh(&self, script: &str) -> Ran {
        self.sh_with(&self.sandbox, script)
    }

    fn granted(&self, grants: &[Grant], script: &str) -> Ran {
        self.sh_with(&self.sandbox.granted(grants), script)
    }

    fn sh_with(&self, sandbox: &Sandbox, script: &str) -> Ran {
        let mut command = bash(&self.path(""), script);
        let mut leash = sandbox.confine(&mut command).unwrap();
        let output = command.output();
        let output = output.unwrap_or_else(|error| panic!("{error}: {:?}", leash.failure()));
        let findings = leash.findings();
        Ran { output, findings, leash }
    }
}

fn bash(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg("-c").arg(script).current_dir(folder).stdin(Stdio::null());
    command
}

/// A command that ran, with its leash still held.
struct Ran {
    output: Output,
    findings: Vec<String>,
    #[allow(dead_code)]
    leash: Leash,
}

impl Ran {
    fn text(&self) -> String {
        format!(
            "{}{}",
            String::from_utf8_lossy(&self.output.stdout),
            String::from_utf8_lossy(&self.output.stderr)
        )
    }

    #[track_caller]
    fn succeeds(self) -> Self {
        assert!(self.output.status.success(), "{:?}\n{}", self.output.status, self.text());
        self
    }

    #[track_caller]
    fn fails(self) -> Self {
        assert!(!self.output.status.success(), "it was let: {}", self.text());
        self
    }
}

/// Whether this system has all that these tests are about; where it has not, they say so and hold nothing.
#[track_caller]
fn is_whole() -> bool {
    let has_all = [Part::Namespaces, Part::Landlock, Part::Seccomp].iter().all(|part| support().has(*part));
    assert!(has_all || std::env::var_os("CI_WITHOUT_SANDBOX").is_some(), "{:?}", support().missing());
    has_all
}

fn has(program: &str) -> bool {
    hookspec_process::find(program, None).is_some()
}

/// Whether a process is there and not just waiting to be reaped.
fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

/// The processes of this system whose command line has this in it.
fn running(mark: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter(|entry| entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|entry| alive(&entry.file_name().to_string_lossy()))
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| String::from_utf8_lossy(line).replace('\0', " ").starts_with(mark))
        .count()
}

/// A sleep that is nobody else's: its length is its name.
fn sleep() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let own = u64::from(std::process::id()) * 1000 + NEXT.fetch_add(1, Ordering::Relaxed);
    format!("sleep {}", 1_000_000_000 + own)
}
