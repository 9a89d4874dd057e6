//! The table is what happens: its names are Hermes's, each has a moment that somebody fires, a payload that callbacks
//! really get, and a row in the README.
//!
//! With `HOOKSPEC_HERMES_BLESS` in the environment the payloads and the README's table are written anew.
//!
//! A program of its own: it reads which points this program fires.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookspec::point::{find_point, fire_sites};
use hookspec::session::Clock;
use hookspec::{Hooks, Message, Registry, Session};
use hookspec_agent as _;
use hookspec_hermes::{COMMON, Callbacks, Category, ELSEWHERE, Row, TABLE, markdown};
use serde_json::{Map, Value, json};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn bless() -> bool {
    std::env::var_os("HOOKSPEC_HERMES_BLESS").is_some()
}

fn fixture(name: &str) -> Value {
    let path = here("tests/fixtures").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_name_has_one_row_and_none_is_forgotten() {
    let names: BTreeSet<_> = TABLE.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), TABLE.len(), "a name stands there twice");
    let elsewhere: BTreeSet<_> = ELSEWHERE.iter().copied().collect();
    assert!(names.is_disjoint(&elsewhere));
    // Hermes knows 41 names, and one more that only its documents have.
    assert_eq!(names.len() + elsewhere.len(), 42);
}

#[test]
fn every_name_is_a_points_alias_and_only_that_points() {
    for Row { name, point, .. } in &TABLE {
        let info = find_point(name).unwrap_or_else(|| panic!("`{name}` is no point's name")).info();
        assert_eq!(info.name, *point, "{name}");
        let called = hookspec::point::all_points().into_iter().filter(|point| point.info().is_called(name));
        assert_eq!(called.count(), 1, "`{name}` means two points");
    }
}

#[test]
fn every_point_is_fired_and_every_point_of_this_crate_has_a_name_of_hermess() {
    let sites = |package: &str| -> BTreeSet<&str> {
        let sites = fire_sites().iter().filter(|site| site.package == package);
        sites.map(|site| site.point.name).collect()
    };
    let (engine, mut ours) = (sites("hookspec-agent"), sites("hookspec-hermes"));
    // Fired for hooks that fail at a point of this crate.
    assert!(ours.remove("ERROR"));
    for Row { name, point, .. } in &TABLE {
        let fired = if find_point(name).unwrap().info().package == "hookspec" { &engine } else { &ours };
        assert!(fired.contains(point), "nobody fires {point} for `{name}`");
    }
    let declared: BTreeSet<&str> = hookspec::point::all_points()
        .iter()
        .map(|point| point.info())
        .filter(|info| info.package == "hookspec-hermes")
        .map(|info| info.name)
        .collect();
    let named: BTreeSet<&str> =
        TABLE.iter().map(|row| row.point).filter(|point| declared.contains(point)).collect();
    assert_eq!((&named, &ours), (&declared, &declared));
}

#[test]
fn every_name_has_a_payload_and_every_payload_a_name() {
    let files: BTreeSet<String> = std::fs::read_dir(here("tests/fixtures"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let names: BTreeSet<String> = TABLE.iter().map(|row| row.name.to_owned()).collect();
    assert_eq!(files, names);
}

/// What a callback of this hook gets when the fixture's events have happened.
fn played(row: &Row, fixture: &Value) -> Vec<Map<String, Value>> {
    let got: Arc<Mutex<Vec<Map<String, Value>>>> = Arc::default();
    let keep = Arc::clone(&got);
    let callbacks = Callbacks::new()
        .platform("cli")
        .on(row.name, "keep", move |told, _| {
            keep.lock().unwrap().push(told.clone());
            Ok(Value::Null)
        })
        .unwrap();
    let builder = Registry::builder().plugins(hookspec::plugins![hookspec_hermes, hookspec_agent]);
    let hooks = Hooks::new(callbacks.register(builder).build().unwrap());
    let parent = Session::builder(&hooks, "parent").build();
    let told_at = "2026-01-02T03:04:05Z".parse::<jiff::Timestamp>().unwrap();
    let said = |role, content: &str, id: &str| {
        let mut message = Message::new(role, content);
        message.id = Some(id.into());
        message
    };
    let log = [
        said(hookspec::Role::System, "You help.", "m1"),
        said(hookspec::Role::User, "fix the tests", "m2"),
        said(hookspec::Role::Assistant, "They pass now.", "m3"),
    ];
    let session = Session::builder(&hooks, "s1")
        .parent(&parent)
        .workspace("/there")
        .model("local/small")
        .clock(Clock::manual(told_at))
        .log(log, None)
        .build();
    for step in fixture["before"].as_array().unwrap() {
        let point = find_point(step["point"].as_str().unwrap()).unwrap();
        point.fire_json(&session, step["event"].clone()).unwrap();
    }
    got.lock().unwrap().clear();
    let fired = find_point(row.point).unwrap().fire_json(&session, fixture["event"].clone()).unwrap();
    assert!(fired.failures.is_empty(), "{}: {:?}", row.name, fired.failures);
    assert_eq!(session.drain_now(Duration::from_secs(60)), []);
    let got = got.lock().unwrap();
    got.clone()
}

#[test]
fn what_a_callback_is_told_is_what_the_table_says_and_the_fixture_holds() {
    for row in &TABLE {
        let mut fixture = fixture(row.name);
        let told = played(row, &fixture);
        assert_eq!(told.len(), 1, "`{}` was told {} times", row.name, told.len());
        let told = &told[0];
        if bless() {
            fixture["kwargs"] = Value::Object(told.clone());
            let text = serde_json::to_string_pretty(&fixture).unwrap() + "\n";
            std::fs::write(here("tests/fixtures").join(format!("{}.json", row.name)), text).unwrap();
        }
        assert_eq!(Value::Object(told.clone()), fixture["kwargs"], "{}", row.name);
        let keys: BTreeSet<&str> = told.keys().map(String::as_str).collect();
        let table: BTreeSet<&str> = COMMON.iter().chain(row.passed).copied().collect();
        assert_eq!(keys, table, "{}", row.name);
        assert_eq!(told["telemetry_schema_version"], json!("hermes.observer.v1"));
    }
}

#[test]
fn the_readme_has_the_table() {
    let path = here("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once("<!-- generated: table -->\n").unwrap();
    let (kept, after) = rest.split_once("<!-- end -->").unwrap();
    if bless() {
        let table = markdown();
        let text = format!("{before}<!-- generated: table -->\n{table}<!-- end -->{after}");
        std::fs::write(&path, text).unwrap();
        return;
    }
    assert_eq!(kept, markdown(), "the README's table is out of date; write it anew as tests/table.rs says");
}

#[test]
fn a_name_that_nothing_fires_is_refused() {
    let on = |name: &str| Callbacks::new().on(name, "c", |_, _| Ok(Value::Null)).map(drop);
    let error = on("pre_gateway_dispatch").unwrap_err().to_string();
    assert!(error.contains("nothing fires it here"), "{error}");
    let error = on("pre_tool_cal").unwrap_err().to_string();
    assert!(error.contains("no hook `pre_tool_cal`") && error.contains("pre_tool_call"), "{error}");
}

#[test]
fn decisions_and_transforms_say_what_their_return_does_and_observers_say_nothing() {
    for row in &TABLE {
        assert_eq!(row.returned == "nothing", row.category == Category::Observer, "{}", row.name);
    }
}
