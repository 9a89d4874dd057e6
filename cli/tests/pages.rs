//! The pages of the built-ins: each has one, its first part is what the program itself says, and the commands
//! on it print what the page shows.
//!
//! `UPDATE_PAGES=1 cargo test -p hookspec-cli --test pages` writes the first part anew; the commands and their
//! output are written by hand.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on has failed

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use common::Home;
use common::commands::{commands, run};
use serde_json::Value;

const GENERATED: &str = "<!-- generated: essay, hooks, settings -->\n";
const INDEX: &str = "<!-- generated: every built-in -->\n";
const BY_HAND: &str = "## Try it\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/builtins")
}

fn pages() -> Vec<(String, PathBuf)> {
    let mut pages: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .filter(|(name, _)| name != "README")
        .collect();
    pages.sort();
    pages
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What the program says of a group: essay, hooks, settings.
fn generated(home: &Home, group: &str) -> String {
    let said: Value = serde_json::from_str(&home.good(&["list", "--explain", group, "--json"])).unwrap();
    let mut page = format!(
        "{}\n\n## Hooks\n\n| hook | point | priority | runs in |\n|---|---|---|---|\n",
        text(&said["essay"])
    );
    for hook in said["hooks"].as_array().unwrap() {
        let modes: Vec<&str> = hook["modes"].as_array().into_iter().flatten().map(text).collect();
        let modes = if modes.is_empty() { "every host".to_owned() } else { modes.join(", ") };
        let (name, point, priority) = (text(&hook["name"]), text(&hook["point"]), &hook["priority"]);
        writeln!(page, "| `{name}` | `{point}` | {priority} | {modes} |").unwrap();
    }
    if let Some(settings) = said["settings"].as_array().filter(|settings| !settings.is_empty()) {
        write!(
            page,
            "\n## Settings\n\n`[hooks.{group}]` in `hookspec.toml`, with their defaults:\n\n```toml\n"
        )
        .unwrap();
        for setting in settings {
            let key = text(&setting["key"]);
            match toml_text(&setting["value"]) {
                Some(value) => writeln!(page, "{key} = {value}").unwrap(),
                None => writeln!(page, "# {key}: not set").unwrap(),
            }
        }
        page.push_str("```\n");
    }
    page
}

/// A JSON value as TOML would have it; `None` for what TOML cannot say.
fn toml_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Array(items) => {
            format!("[{}]", items.iter().filter_map(toml_text).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields =
                fields.iter().filter_map(|(key, value)| Some(format!("{key} = {}", toml_text(value)?)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    })
}

/// The groups of built-ins in what `list` says; or only those with a hook that is on.
fn groups(listed: &Value, on: bool) -> BTreeSet<String> {
    let hooks = listed["hooks"].as_array().unwrap();
    let built_in = hooks.iter().filter(|hook| hook["package"] == "hookspec-builtins");
    built_in
        .filter(|hook| !on || hook["on"] == true)
        .map(|hook| text(&hook["name"]).split('.').next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_group_of_built_ins_has_a_page() {
    let home = Home::new();
    let listed: Value = serde_json::from_str(&home.good(&["list", "--json"])).unwrap();
    let groups = groups(&listed, false);
    let pages: BTreeSet<String> = pages().into_iter().map(|(name, _)| name).collect();
    assert!(groups.is_subset(&pages), "without a page: {:?}", groups.difference(&pages));
}

/// One row for each group: what it is for, and in which hosts it is on.
fn index(home: &Home) -> String {
    let hosts: [(&str, &[&str]); 4] = [
        ("terminal", &["--host", "chat", "--interactive"]),
        ("`-y`", &["--host", "chat", "--yes"]),
        ("server", &["--host", "server"]),
        ("bridge", &["--host", "bridge"]),
    ];
    let on: Vec<BTreeSet<String>> = hosts
        .iter()
        .map(|(_, options)| {
            let said = home.good(&[&["list", "--json"], *options].concat());
            groups(&serde_json::from_str(&said).unwrap(), true)
        })
        .collect();
    let mut page = String::from("| built-in | what it does | ");
    for (name, _) in hosts {
        write!(page, "{name} | ").unwrap();
    }
    page.truncate(page.trim_end().len());
    page.push_str("\n|---|---|---|---|---|---|\n");
    for group in groups(&serde_json::from_str(&home.good(&["list", "--json"])).unwrap(), false) {
        let said: Value = serde_json::from_str(&home.good(&["list", "--explain", &group, "--json"])).unwrap();
        let essay = text(&said["essay"]);
        let first = essay.split("\n\n").next().unwrap();
        let first = first.split_once(": ").map_or(first, |(_, first)| first);
        write!(page, "| [`{group}`]({group}.md) | {} |", first.replace('\n', " ")).unwrap();
        for host in &on {
            page.push_str(if host.contains(&group) { " on |" } else { " |" });
        }
        page.push('\n');
    }
    page
}

#[test]
fn the_index_lists_every_page() {
    let path = folder().join("README.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, _) = page.split_once(INDEX).expect("the mark of the generated part");
    let wanted = format!("{head}{INDEX}\n{}", index(&Home::new()));
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    } else {
        assert_eq!(page, wanted, "run with UPDATE_PAGES=1");
    }
}

#[test]
fn what_a_page_says_is_what_the_program_says() {
    let home = Home::new();
    let update = std::env::var_os("UPDATE_PAGES").is_some();
    for (group, path) in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let Some((head, rest)) = page.split_once(GENERATED) else { continue };
        let (_, tail) = rest.split_once(BY_HAND).unwrap_or_else(|| panic!("{group}: no `## Try it`"));
        let wanted = format!("{head}{GENERATED}\n{}\n{BY_HAND}{tail}", generated(&home, &group));
        if update {
            std::fs::write(&path, &wanted).unwrap();
        } else {
            assert_eq!(page, wanted, "{group}: run with UPDATE_PAGES=1");
        }
    }
}

#[test]
fn the_commands_on_the_pages_print_what_the_pages_show() {
    let mut wrong = String::new();
    for (name, path) in pages() {
        let commands = commands(&std::fs::read_to_string(&path).unwrap());
        assert!(!commands.is_empty(), "{name} shows no command");
        let home = Home::new();
        let (printed, complaints) = run(&home, &commands);
        assert_eq!(printed.len(), commands.len(), "{name} ended early: {complaints}");
        for ((command, wanted), printed) in commands.iter().zip(&printed) {
            if wanted != printed {
                write!(wrong, "\n{name}: $ {command}\n--- shown\n{wanted}--- printed\n{printed}").unwrap();
                write!(wrong, "--- stderr of the page\n{complaints}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
