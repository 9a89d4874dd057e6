//! The sandbox with real programs.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use hookspec_process::Program;
use hookspec_process::sandbox::{Profile, Sandbox};

#[test]
fn a_secret_is_not_read_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "hunter2").unwrap();
    let sandbox = Sandbox::new(Profile::Workspace, folder.path());
    let script = "cat .env; echo new > file && cat file; exit 7";
    let ended = Program::new("sh").args(["-c", script]).cwd(folder.path()).sandbox(&sandbox).run().unwrap();
    assert_eq!((ended.stdout.text(), ended.words()), ("new\n".into(), "exit code 7".into()));
}
