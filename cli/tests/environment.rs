//! The environment that somebody brings along: gptme's, and anybody's.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::{Home, hook};
use serde_json::Value;

fn rows(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> Value {
    let args: Vec<&str> = ["list", "--json"].iter().chain(args).copied().collect();
    let output = home.command(&args).envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{variables:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn warnings(rows: &Value) -> String {
    rows["report"]["warnings"].to_string()
}

#[test]
fn names_that_mean_nothing_here_are_warnings_in_other_systems_variables_and_in_what_is_to_be_left_out() {
    let home = Home::new();
    let disabled = ("GPTME_HOOKS_DISABLED", "linter.lint, only_there.hook");
    let rows = rows(&home, &[], &[disabled]);
    assert_eq!(hook(&rows, "linter.lint")["on"], false);
    assert!(warnings(&rows).contains("`only_there.hook` in GPTME_HOOKS_DISABLED"), "{}", warnings(&rows));
    let output = home.command(&["list"]).env(disabled.0, disabled.1).output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("`only_there.hook` in GPTME_HOOKS_DISABLED is no hook or tool"), "{text}");

    for (ours, stops) in [("HOOKSPEC_DISABLE", false), ("HOOKSPEC_ALLOW", true)] {
        let output = home.command(&["list"]).env(ours, "only_there.hook").output().unwrap();
        assert_eq!(output.status.success(), !stops, "{ours}");
        let text = String::from_utf8_lossy(&output.stderr);
        let told = format!("`only_there.hook` in {ours} matches no hook or tool of this program");
        assert!(text.replace('\n', " ").contains(&told), "{text}");
    }
    // Strict hosts and machines that build count mistakes of ours; these are not ours.
    let output = home.command(&["list"]).env(disabled.0, disabled.1).env("CI", "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_misspelt_variable_of_ours_is_a_warning() {
    let home = Home::new();
    let output = home.command(&["list"]).env("HOOKSPEC_DISABLED", "linter").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("did you mean `HOOKSPEC_DISABLE`?"), "{text}");
    let output = home.command(&["list"]).env("HOOKSPEC_DISABLE", "linter").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("did you mean"), "{text}");
}

#[test]
fn a_setting_that_is_not_set_is_shown_as_a_comment() {
    let home = Home::new();
    let text = home.good(&["list", "--explain", "cost_awareness"]);
    assert!(text.contains("# budget_usd: not set") && !text.contains("= null"), "{text}");
}

#[test]
fn no_value_of_another_systems_variable_stops_the_program() {
    let home = Home::new();
    let rows = rows(
        &home,
        &[],
        &[
            ("GPTME_FRESH", "ture"),
            ("GPTME_INJECTION_HYGIENE", "blok"),
            ("GPTME_SESSION_BUDGET_USD", "a lot"),
            ("GPTME_HOOK_PRIORITY_NOBODY", "7"),
            ("GPTME_HOOK_PRIORITY_LINTER", "first"),
            ("GPTME_MANIFEST_DIR", "\u{0}".trim_matches('\0')),
        ],
    );
    let warnings = warnings(&rows);
    for part in ["GPTME_FRESH", "GPTME_INJECTION_HYGIENE", "GPTME_SESSION_BUDGET_USD", "NOBODY", "`first`"] {
        assert!(warnings.contains(part), "{part} in {warnings}");
    }
    assert_eq!(hook(&rows, "injection_screening.screen")["on"], true);
}

#[test]
fn generic_variables_of_anybodys_shell_are_not_read() {
    let home = Home::new();
    let before = rows(&home, &[], &[]);
    let generic = ["FRESH", "DING", "FORM_AUTO_DETECT", "CC_MODEL", "AUTO_SNAPSHOTS", "ALLOW", "DISABLE"];
    for text in ["1", "whatever", "true"] {
        let set: Vec<_> = generic.iter().map(|name| (*name, text)).collect();
        assert_eq!(rows(&home, &[], &set), before, "{text}");
    }
}

#[test]
fn an_allowlist_of_another_system_without_a_name_that_is_known_is_not_applied() {
    let home = Home::new();
    let before = rows(&home, &[], &[]);
    for variable in ["HOOK_ALLOWLIST", "GPTME_HOOK_ALLOWLIST"] {
        for list in ["nosuch", "nosuch,neither.here , no*such", ",,nosuch"] {
            let with = rows(&home, &[], &[(variable, list)]);
            assert_eq!(with["hooks"], before["hooks"], "{variable}={list}");
            let text = warnings(&with);
            assert!(text.contains(variable) && text.contains("nosuch"), "{text}");
        }
        let typo = rows(&home, &[], &[(variable, "secrets_gaurd")]);
        assert!(warnings(&typo).contains("did you mean `secrets_guard"), "{}", warnings(&typo));
    }
    // The list of the file is in force still.
    home.config("[hooks]\nallow = ['time_awareness', 'loop_guard']\n");
    let before = rows(&home, &[], &[]);
    let with = rows(&home, &[], &[("HOOK_ALLOWLIST", "nosuch")]);
    assert_eq!(with["hooks"], before["hooks"]);
    assert_eq!(hook(&with, "loop_guard.stop")["on"], true);
    let output = home.command(&["list"]).env("HOOK_ALLOWLIST", "nosuch").output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let wanted = "HOOK_ALLOWLIST (`nosuch`): no name in it is known here: the list is not applied";
    assert!(text.contains(wanted), "{text}");
    assert!(!text.contains("takes gates out"), "{text}");
}

#[test]
fn an_allowlist_of_another_system_that_takes_gates_out_says_which() {
    let home = Home::new();
    let told = |args: &[&str], list: &str| {
        let output = home.command(args).env("GPTME_HOOK_ALLOWLIST", list).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
    };
    let (_, text) = told(&["list"], "time_awareness,nosuch");
    let line = text.lines().find(|line| line.contains("takes gates out")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("GPTME_HOOK_ALLOWLIST") && line.contains("`loop_guard`"), "{line}");
    assert!(line.contains("`secrets_guard`") && !line.contains("time_awareness"), "{line}");
    // Not one that it names, nor one that is off without it.
    let (_, text) = told(&["list", "--disable", "loop_guard"], "secrets_guard,time_awareness");
    assert!(!text.contains("`loop_guard`") && !text.contains("`secrets_guard`"), "{text}");
    let all = rows(&home, &[], &[("HOOK_ALLOWLIST", "*")]);
    assert_eq!(warnings(&all), "[]");

    // A gptme environment is nothing that doctor finds fault with.
    let clean = home.run(&["doctor"]);
    let (code, text) = told(&["doctor"], "time_awareness,nosuch");
    assert_eq!(code, clean.status.code(), "{text}");
    assert!(text.contains("warn hooks\n") && text.contains("takes gates out"), "{text}");
    assert!(!text.contains("BAD  hooks\n"), "{text}");
    let output = home.command(&["doctor", "--json"]).env("HOOK_ALLOWLIST", "nosuch").output().unwrap();
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| !row["warning"].is_null()).unwrap();
    assert!(row["problem"].is_null() && row["warning"].to_string().contains("not applied"), "{row}");
    assert_eq!(output.status.code(), clean.status.code());
}

#[test]
fn gptmes_lists_are_for_hosts_that_are_agents_themselves() {
    let home = Home::new();
    for variable in
        [("GPTME_HOOK_ALLOWLIST", "time_awareness"), ("GPTME_HOOKS_DISABLED", "secrets_guard, nosuch")]
    {
        for host in ["chat", "server"] {
            let rows = rows(&home, &["--host", host], &[variable]);
            assert_eq!(hook(&rows, "secrets_guard.before_call")["on"], false, "{host} {variable:?}");
        }
        let bridge = rows(&home, &["--host", "bridge"], &[variable]);
        assert_eq!(hook(&bridge, "secrets_guard.before_call")["on"], true, "{variable:?}");
        assert_eq!(warnings(&bridge), "[]");
    }
}

#[test]
fn the_bare_allowlist_is_for_hosts_that_are_agents_themselves() {
    let home = Home::new();
    let bare = ("HOOK_ALLOWLIST", "cwd_tracking, time_awareness, never.heard");
    for host in ["chat", "server"] {
        let rows = rows(&home, &["--host", host], &[bare]);
        assert_eq!(hook(&rows, "time_awareness.time_message")["on"], true, "{host}");
        assert_eq!(hook(&rows, "secrets_guard.before_call")["on"], false, "{host}");
        assert!(warnings(&rows).contains("`never.heard` in HOOK_ALLOWLIST"), "{host}");
    }
    let bridge = rows(&home, &["--host", "bridge"], &[bare]);
    assert_eq!(hook(&bridge, "secrets_guard.before_call")["on"], true);
    assert!(!warnings(&bridge).contains("HOOK_ALLOWLIST"));

    // What the bridge really does: a command that shows credentials is asked about with the variable as without.
    let event = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"cat .env"}}"#;
    let prefixed = ("GPTME_HOOK_ALLOWLIST", bare.1);
    for variables in [&[][..], &[bare], &[prefixed]] {
        let mut fired = home.command(&["fire", "--client", "claude", "--event", event]);
        let output = fired.envs(variables.iter().copied()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.contains("holds credentials"),
            "{variables:?}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    for (name, on) in [("HOOKSPEC_ALLOW", "loop_guard"), ("GPTME_HOOK_ALLOWLIST", "loop_guard")] {
        let rows = rows(&home, &[], &[bare, (name, on)]);
        assert_eq!(hook(&rows, "loop_guard.stop")["on"], true, "{name} counts before the bare one");
        assert_eq!(hook(&rows, "time_awareness.time_message")["on"], false, "{name}");
    }
}

/// The first column of the tables of variables.
fn documented() -> BTreeSet<String> {
    let page = std::fs::read_to_string(root().join("docs/configuration.md")).unwrap();
    let tables = page
        .split("| variable |")
        .skip(1)
        .flat_map(|table| table.lines().take_while(|line| line.starts_with('|') || line.contains("read by")));
    let cells = tables.filter_map(|line| line.strip_prefix("| ")?.split(" | ").next().map(str::to_owned));
    cells.flat_map(|cell| variables_in(&cell, '`')).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What stands between quotes and looks like the name of a variable, or like its beginning.
fn variables_in(text: &str, quote: char) -> Vec<String> {
    let name = |part: &str| {
        let name = part.trim_end_matches('…').split('=').next().unwrap_or_default();
        let good = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let capital = name.starts_with(|c: char| c.is_ascii_uppercase());
        (name.len() > 1 && capital && name.chars().all(good)).then(|| name.to_owned())
    };
    text.split(quote).skip(1).step_by(2).filter_map(name).collect()
}

/// Every variable that a line of the program's sources may read: what stands in a call that looks one up, and what
/// carries a prefix of ours or of gptme's.
fn read_by_the_code() -> BTreeSet<String> {
    let mut folders: Vec<PathBuf> = ["hooks-core", "process", "builtins", "agent", "bridge", "server", "cli"]
        .map(|package| root().join(package).join("src"))
        .into();
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.starts_with("tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            // A call may go on in the next line.
            let looked_up = |line: &str| {
                ["var(", "var_os(", "lookup(", "set(", "own(", "base(", "folder(", "from_env(", "env = "]
                    .iter()
                    .any(|call| line.contains(call))
            };
            let lines: Vec<&str> = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//") && !line.contains(".env("))
                .collect();
            for (index, line) in lines.iter().enumerate() {
                let asked = looked_up(line) || index > 0 && looked_up(lines[index - 1]);
                let ours = |name: &String| {
                    ["HOOKSPEC_", "GPTME_", "HOOK_", "XDG_"].iter().any(|prefix| name.starts_with(prefix))
                        || name.ends_with("_API_KEY")
                        || name.ends_with("_BASE_URL")
                        || name.ends_with("_HOST")
                };
                found.extend(variables_in(line, '"').into_iter().filter(|name| asked || ours(name)));
            }
        }
    }
    found
}

/// What the program sets for what it starts; what is written in capitals and is no variable, or a prefix of those that
/// others are given.
const GIVEN: [&str; 14] = [
    "HOOKSPEC_",
    "PWD",
    "HOOKSPEC_RUN",
    "DIR",
    "XDG_",
    "HOOKSPEC_EVENT",
    "HOOKSPEC_WORKSPACE",
    "HOOKSPEC_LOGDIR",
    "HOOKSPEC_MODEL",
    "GPTME_HOOK_EVENT",
    "GPTME_WORKSPACE",
    "GPTME_LOGDIR",
    "HOOKSPEC_CWD_NOTE",
    "HOOKSPEC_SESSION",
];

#[test]
fn the_tables_of_variables_are_what_the_code_reads() {
    let (said, read) = (documented(), read_by_the_code());
    let missing: Vec<_> =
        read.iter().filter(|name| !GIVEN.contains(&name.as_str()) && !said.contains(*name)).collect();
    assert!(missing.is_empty(), "docs/configuration.md does not say that these are read: {missing:?}");
    let gone: Vec<_> = said.iter().filter(|name| !read.contains(*name)).collect();
    assert!(gone.is_empty(), "nothing reads these any more: {gone:?}");
    assert!(said.len() > 30, "{said:?}");
}

#[test]
fn every_place_of_configuration_is_told_with_what_was_found_there() {
    let home = Home::new();
    let (own, stray) =
        (home.path().join("home/config/hookspec.toml"), home.path().join("home/hookspec.toml"));
    let project = home.workspace().join("hookspec.toml");
    let lines = |home: &Home| {
        let text = home.good(&["list"]);
        let (_, places) = text.split_once("CONFIGURATION\n").unwrap_or_else(|| panic!("{text}"));
        places.to_owned()
    };
    let said = |text: &str, word: &str, file: &Path| {
        let line = text
            .lines()
            .find(|line| line.ends_with(file.to_str().unwrap()) && line.trim_start().starts_with(word));
        assert!(line.is_some(), "{word} {} in {text}", file.display());
    };
    let text = lines(&home);
    said(&text, "not there", &own);
    said(&text, "not there", &project);
    said(&text, "not there", &home.workspace().join("gptme.toml"));

    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(&own, "").unwrap();
    std::fs::write(&stray, "[hooks]\ndisable = ['time_awareness']").unwrap();
    std::fs::write(&project, "").unwrap();
    let text = lines(&home);
    said(&text, "read", &own);
    said(&text, "not trusted", &project);
    said(&text, "ignored", &stray);
    said(&text, "it belongs in", &own);
    let named = home.path().join("more.toml");
    std::fs::write(&named, "").unwrap();
    let text = home.good(&["list", "--config", "../more.toml"]);
    assert!(text.contains("more.toml"), "{text}");

    let output = home.run(&["doctor"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        format!("ok   configuration, yours: {}: read", own.display()),
        format!(
            "BAD  configuration, nobody's: {}\n       ignored: it belongs in {}",
            stray.display(),
            own.display()
        ),
        format!("{} does not count: it comes with the folder", "./hookspec.toml"),
    ] {
        assert!(text.contains(&part), "{part} in {text}");
    }

    // A workspace that is that very folder brings its own file, which is no mistake.
    let text = home.good(&["list", "--workspace", home.path().join("home").to_str().unwrap()]);
    assert!(!text.contains("ignored"), "{text}");
}

/// The hooks of gptme at the commit that the built-ins were written beside: the groups that its allowlist takes, and the
/// full names that its lists of hooks show. Those that come from tools of its own (`shell.allowlist`) are not there.
const GPTMES: &str = "cwd_changed cwd_awareness cwd_tracking markdown_validation time_awareness token_awareness
    active_context form_autodetect cost_awareness cache_awareness injection_screening workspace_agents agents_md_inject
    tool_target_instructions mcp_namespace_hint server_confirm server_elicit cli_confirm auto_confirm cli_elicit
    elicitation auto_snapshots aw_watcher_agent manifest precommit autocommit test test_session_start test_step_pre
    test_turn_pre test_turn_post workspace_agents.session_start token_awareness.token_budget cost_awareness.session_start
    aw_watcher_agent.start cost_awareness.turn_start workspace_agents.step_pre cost_awareness.cache_cold_warning
    cost_awareness.inject_warning cache_awareness.generation_post cwd_changed.store auto_snapshots.pre manifest.pre
    aw_watcher_agent.tool_pre cwd_changed.detect auto_snapshots.post tool_target_instructions.on_tool_post
    token_awareness.token_usage time_awareness.time_message manifest.post aw_watcher_agent.tool_post
    cwd_awareness.notification agents_md_inject.on_cwd_change cache_awareness.invalidated cost_awareness.cost_warning
    cache_awareness.turn_tracking aw_watcher_agent.end cost_awareness.session_end linter.lint
    precommit.precommit_check precommit_file precommit_full";

#[test]
fn every_name_of_gptmes_hooks_is_known() {
    let home = Home::new();
    let names: Vec<&str> = GPTMES.split_whitespace().collect();
    for variable in ["GPTME_HOOKS_DISABLED", "GPTME_HOOK_ALLOWLIST", "HOOK_ALLOWLIST", "HOOKSPEC_DISABLE"] {
        let rows = rows(&home, &[], &[(variable, &names.join(","))]);
        let warnings = rows["report"]["warnings"].as_array().unwrap();
        let unknown = warnings.iter().filter(|warning| warning["problem"] != "foreign_gates");
        assert_eq!(unknown.count(), 0, "{variable}: {warnings:?}");
    }
    for name in
        ["cwd_tracking", "cwd_awareness", "cwd_changed", "cwd_changed.detect", "cwd_awareness.notification"]
    {
        let text = home.good(&["list", "--explain", name]);
        assert!(text.contains("cwd_tracking.notification") && text.contains("aliases"), "{text}");
        let on = rows(&home, &["--disable", name], &[]);
        assert_eq!(hook(&on, "cwd_tracking.notification")["on"], false, "{name}");
        home.config(&format!("[hooks]\nallow = ['{name}']\npriority = {{ '{name}' = 7 }}\n"));
        let on = rows(&home, &[], &[]);
        let row = hook(&on, "cwd_tracking.notification");
        assert_eq!((&row["on"], &row["priority"]), (&Value::from(true), &Value::from(7)), "{name}");
        home.config("");
    }
}

#[test]
fn of_gptmes_file_the_scripts_count_and_plugins_in_python_do_not() {
    let home = Home::new();
    let before = rows(&home, &[], &[]);
    let file = home.workspace().join("gptme.toml");
    let plugins = "[plugins]\npaths = ['plugins']\nenabled = ['mine']\n";
    std::fs::create_dir_all(home.workspace().join("plugins/mine/hooks")).unwrap();
    std::fs::write(home.workspace().join("plugins/mine/hooks/note.py"), "raise SystemExit(1)\n").unwrap();
    std::fs::write(&file, plugins).unwrap();
    let with_plugins = rows(&home, &[], &[]);
    assert_eq!(with_plugins["hooks"], before["hooks"]);
    assert!(with_plugins["places"].to_string().contains("empty"), "{}", with_plugins["places"]);

    std::fs::write(&file, format!("{plugins}[[hooks.scripts]]\nevent = 'session.end'\ncommand = 'true'\n"))
        .unwrap();
    home.good(&["trust", "grant", "--all"]);
    let rows = rows(&home, &[], &[]);
    let hooks = rows["hooks"].as_array().unwrap();
    assert!(
        hooks.iter().any(|row| row["name"].as_str().unwrap().starts_with("script.") && row["on"] == true)
    );
}
