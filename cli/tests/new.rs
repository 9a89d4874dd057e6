//! `hookspec new`: what it makes builds at once, wherever it is made; what it cannot make it refuses with words.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::Home;

const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Cargo in a folder, without network, beside this test's own build, so that what both need is built once.
fn cargo(home: &Home, folder: &Path, args: &[&str]) -> Output {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    Command::new(env!("CARGO"))
        .args(args)
        .current_dir(folder)
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_TARGET_DIR", target)
        // As this checkout's own profile says, or nothing that is in the target folder already would do.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("HOOKSPEC_HOME", home.path().join("home"))
        .output()
        .unwrap()
}

fn good(home: &Home, folder: &Path, args: &[&str]) -> String {
    let output = cargo(home, folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The packages that `cargo` would build there, by name.
fn packages(home: &Home, folder: &Path, args: &[&str]) -> Vec<String> {
    let tree = good(home, folder, &[&["tree", "--prefix", "none", "-e", "normal,build,dev"], args].concat());
    let mut names: Vec<String> =
        tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn its_tests_pass_and_need_core_only_also_in_a_folder_with_spaces_inside_another_workspace() {
    let home = Home::new();
    let outer = home.workspace().join("it's a \"place\"");
    put(&outer.join("Cargo.toml"), "[workspace]\nmembers = [\"crates/*\"]\n");
    let into = outer.join("crates");
    let made = home.run(&["new", "my-hooks", "--hookspec", CHECKOUT, "--into", into.to_str().unwrap()]);
    let told = String::from_utf8(made.stdout).unwrap();
    assert!(made.status.success(), "{told}");
    assert!(told.contains(r#"it'\''s a "place"/crates/my-hooks'"#), "what is to be typed is quoted: {told}");
    let warned = String::from_utf8(made.stderr).unwrap();
    assert!(warned.contains("exclude = ["), "{warned}");

    let folder = into.join("my-hooks");
    assert!(good(&home, &folder, &["test"]).contains("2 passed"));
    let library = packages(&home, &folder, &[]);
    assert!(library.len() < 50 && library.contains(&"hookspec".to_owned()), "{library:?}");
    assert!(!library.iter().any(|name| name == "hookspec-cli" || name == "tokio"), "{library:?}");
    let program = packages(&home, &folder, &["-p", "my-hooks-program"]);
    assert!(program.contains(&"hookspec-cli".to_owned()) && program.len() > library.len(), "{program:?}");
    let metadata = good(&home, &folder, &["metadata", "--format-version=1", "--no-deps"]);
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    assert_eq!(metadata["workspace_default_members"].as_array().unwrap().len(), 1, "{metadata}");
    assert_eq!(metadata["workspace_members"].as_array().unwrap().len(), 2, "{metadata}");
    let formatted =
        cargo(&home, &folder, &["fmt", "--package", "my-hooks", "--package", "my-hooks-program", "--check"]);
    assert!(formatted.status.success(), "{}", String::from_utf8_lossy(&formatted.stdout));
}

#[test]
#[ignore = "slow: builds all of hookspec once more"]
fn slow_its_program_lists_its_hooks() {
    let home = Home::new();
    home.good(&["new", "my-hooks", "--hookspec", CHECKOUT]);
    let folder = home.workspace().join("my-hooks");
    let listed = good(&home, &folder, &["run", "-p", "my-hooks-program", "--", "list"]);
    assert!(listed.contains("my_hooks.keep_from_saves"), "{listed}");
    let doctor = good(&home, &folder, &["run", "-p", "my-hooks-program", "--", "doctor"]);
    assert!(!doctor.contains("BAD"), "{doctor}");
}

#[test]
fn what_is_there_stays_as_it_is() {
    let home = Home::new();
    let there = home.workspace().join("my-hooks");
    let refused = || {
        let error = home.bad(&["new", "my-hooks", "--hookspec", CHECKOUT]);
        assert!(error.contains("my-hooks exists already; choose another name"), "{error}");
    };
    std::fs::create_dir(&there).unwrap();
    refused();
    assert_eq!(std::fs::read_dir(&there).unwrap().count(), 0);
    std::fs::remove_dir(&there).unwrap();
    std::fs::write(&there, "mine").unwrap();
    refused();
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");
    std::fs::remove_file(&there).unwrap();
    std::os::unix::fs::symlink("nowhere", &there).unwrap();
    refused();
    std::fs::remove_file(&there).unwrap();
    home.good(&["new", "my-hooks", "--hookspec", CHECKOUT]);
    refused();
    let left: Vec<PathBuf> =
        std::fs::read_dir(home.workspace()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [there], "nothing is left of what was not made");
}

#[test]
fn a_place_that_will_not_do_is_named() {
    let home = Home::new();
    let error = home.bad(&["new", "my-hooks", "--hookspec", "."]);
    assert!(error.contains(". is no checkout of hookspec: there is no hooks-core/Cargo.toml"), "{error}");
    put(&home.workspace().join("file"), "");
    let error = home.bad(&["new", "my-hooks", "--hookspec", CHECKOUT, "--into", "file/x"]);
    assert!(error.contains("file/x: "), "{error}");
    for (name, why) in [
        ("fn", "a word of the language"),
        ("core", "a crate of Rust itself"),
        ("test", "a crate of Rust itself"),
        ("hookspec", "packages of hookspec"),
        ("loop_guard", "hooks of the group `loop_guard`"),
        ("secrets-guard", "hooks of the group `secrets_guard`"),
        ("hookspec-example-linter", "packages of hookspec"),
        ("linter", "hooks of the group `linter`"),
        ("-x", "begin with a small letter"),
    ] {
        let error = home.bad(&["new", name]);
        assert!(error.contains(why), "{name}: {error}");
    }
    assert!(!home.workspace().join("fn").exists());
}

#[test]
fn the_checkout_around_is_used_and_its_versions_come_along() {
    let home = Home::new();
    let copy = home.workspace().join("check out");
    for part in ["hooks-core/Cargo.toml", "cli/Cargo.toml"] {
        put(&copy.join(part), "");
    }
    put(&copy.join("Cargo.lock"), "version = 4\n");
    home.good(&["new", "my-hooks", "--into", "check out/deep/er"]);
    let manifest = std::fs::read_to_string(copy.join("deep/er/my-hooks/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let path = manifest["dependencies"]["hookspec"]["path"].as_str().unwrap();
    assert_eq!(Path::new(path), copy.canonicalize().unwrap().join("hooks-core"));
    assert_eq!(std::fs::read_to_string(copy.join("deep/er/my-hooks/Cargo.lock")).unwrap(), "version = 4\n");
}
