//! The server under programs that others wrote: a browser, gptme's own client, a fuzzer of OpenAPI documents.
//!
//! Each is installed from its registry into a folder of the build, once. Slow. Where a registry or an interpreter is
//! out of reach the test says so and ends; `cargo test --workspace -- --ignored slow_` runs them.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // a test that cannot go on has failed

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec_process::{Ended, Environment, Program};

/// How long an installation, and how long a run may take.
const PATIENCE: Duration = Duration::from_secs(300);

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests").canonicalize().unwrap()
}

/// Runs a program to its end, with the environment as it is: it may say where a registry is.
fn run(program: impl AsRef<OsStr>, arguments: &[&str], cwd: &Path) -> Result<Ended, String> {
    let ended = Program::new(program)
        .args(arguments)
        .cwd(cwd)
        .environment(Environment::All)
        .env("HOOKSPEC", env!("CARGO_BIN_EXE_hookspec"))
        .deadline(PATIENCE)
        .run()
        .map_err(|error| error.to_string())?;
    if ended.status.success() {
        return Ok(ended);
    }
    Err(format!("{}\n{}", ended.stdout.text(), ended.stderr.text()))
}

/// A folder of the build where something was installed, or why it could not be.
///
/// A file in it tells what it was installed for, so that another version is installed anew, and that it is whole.
fn installed(
    name: &str,
    wanted: &str,
    install: impl Fn(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mark = folder.join("installed");
    if std::fs::read_to_string(&mark).is_ok_and(|held| held == wanted) {
        return Ok(folder);
    }
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    install(&folder)?;
    std::fs::write(mark, wanted).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// A Python of its own with some packages, each with or without those that it wants.
fn python(name: &str, packages: &[&[&str]]) -> Result<PathBuf, String> {
    let folder = installed(name, &packages.concat().join(" "), |folder| {
        run("python3", &["-m", "venv", "."], folder)?;
        let quiet: &[&str] = &["install", "--quiet", "--disable-pip-version-check"];
        for package in packages {
            run(folder.join("bin/pip"), &[quiet, package].concat(), folder)?;
        }
        Ok(())
    })?;
    Ok(folder.join("bin/python"))
}

fn or_skipped<T>(what: &str, had: Result<T, String>) -> Option<T> {
    had.map_err(|why| eprintln!("SKIPPED: {what} cannot be had here: {why}")).ok()
}

fn expect(ended: Result<Ended, String>) {
    if let Err(why) = ended {
        panic!("{why}");
    }
}

#[test]
#[ignore = "slow: installs other people's programs and runs them"]
fn slow_gptmes_own_client() {
    // Only the client's file is loaded, and it needs `requests` alone.
    let had = python("gptme-client", &[&["requests"], &["--no-deps", "gptme==0.35.1"]]);
    let Some(python) = or_skipped("gptme", had) else { return };
    expect(run(python, &["gptme_client.py"], &scripts()));
}

#[test]
#[ignore = "slow: installs other people's programs and runs them"]
fn slow_a_fuzzer_with_the_servers_own_document() {
    let Some(python) = or_skipped("schemathesis", python("schemathesis", &[&["schemathesis>=4,<5"]])) else {
        return;
    };
    expect(run(python, &["openapi_fuzz.py"], &scripts()));
}

#[test]
#[ignore = "slow: installs other people's programs and runs them"]
fn slow_the_page_in_a_browser() {
    let page = scripts().join("page");
    let wanted = std::fs::read_to_string(page.join("package.json")).unwrap();
    let had = installed("page", &wanted, |folder| {
        std::fs::write(folder.join("package.json"), &wanted).map_err(|error| error.to_string())?;
        run("npm", &["install", "--no-audit", "--no-fund"], folder).map(|_| ())
    });
    let Some(folder) = or_skipped("the browser", had) else { return };
    // Node looks for packages beside the file that wants them.
    std::fs::copy(page.join("page.mjs"), folder.join("page.mjs")).unwrap();
    expect(run("node", &["page.mjs"], &folder));
}
