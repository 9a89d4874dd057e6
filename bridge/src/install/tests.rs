use super::*;
use hookspec::points as p;
use hookspec::{Gate, Hook, Message};

fn registry() -> Registry {
    Registry::builder()
        .linked(false)
        .register(Hook::new(p::TOOL_PRE_EXECUTE, "t.gate", |_, _| Gate::Allow))
        .register(Hook::new(p::TURN_POST, "t.turn", |_, _| Message::system("x")))
        .build()
        .unwrap()
}

fn entries(client: Client) -> Entries {
    Entries {
        resident: false,
        client,
        program: "hookspec".into(),
        allow: vec!["t".into()],
        events: events(client, &registry()),
    }
}

fn places() -> Places {
    Places {
        home: "/home/ada".into(),
        project: "/srv/orbit".into(),
        codex_home: None,
        claude_config_dir: None,
        hermes_home: Some("/etc/hermes".into()),
    }
}

#[test]
fn only_events_that_a_hook_listens_to_are_written_and_what_prepares_them() {
    assert_eq!(
        events(Client::Codex, &registry()),
        ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
        "the prompt begins the turn's counts, and the tool's end notes which files changed"
    );
    let gate_only = Registry::builder()
        .linked(false)
        .register(Hook::new(p::TOOL_CONFIRM, "t.confirm", |_, _| ()))
        .build()
        .unwrap();
    assert!(events(Client::Codex, &gate_only).contains(&"PermissionRequest"));
    let none = Registry::builder().linked(false).build().unwrap();
    for client in Client::ALL {
        assert!(events(client, &none).is_empty(), "{client}");
    }
    // Speaking where nothing reaches the model brings in an event that does.
    let stop = Registry::builder()
        .linked(false)
        .register(Hook::new(p::CACHE_INVALIDATED, "t.cache", |_, _| Message::system("x")))
        .build()
        .unwrap();
    assert_eq!(events(Client::Codex, &stop), ["SessionStart", "PostCompact"]);
}

#[test]
fn installing_twice_changes_nothing_and_uninstalling_gives_the_file_back() {
    let theirs = [
        "",
        "{}\n",
        "{\n  \"theme\": \"dark\"\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"guard.sh\"}]}\n    ]\n  }\n}\n",
    ];
    for client in Client::ALL.into_iter().filter(|client| *client != Client::Hermes) {
        let entries = entries(client);
        for text in theirs {
            let path = Path::new("hooks.json");
            let first = installed(&entries, path, text).unwrap();
            assert_eq!(installed(&entries, path, &first).unwrap(), first, "{client}");
            let found: Vec<_> = found(client, path, &first).unwrap();
            let events: Vec<_> = found.iter().map(|(event, _)| event.as_str()).collect();
            assert_eq!(
                events.iter().filter(|event| entries.events.contains(event)).count(),
                entries.events.len()
            );
            for (event, command) in &found {
                assert_eq!(event_of(client, command), Some(event.as_str()));
                assert!(command.ends_with("--allow t"), "{command}");
            }
            let back = uninstalled(client, path, &first).unwrap();
            let mut wanted = jsonc::value(text).unwrap();
            if matches!(client, Client::Cursor | Client::Copilot) {
                wanted["version"] = json!(1);
            }
            assert_eq!(jsonc::value(&back).unwrap(), wanted, "{client}: {back}");
            assert_eq!(back.contains("guard.sh"), text.contains("guard.sh"));
        }
    }
}

#[test]
fn another_selection_replaces_the_entries_in_place() {
    let path = Path::new("hooks.json");
    let mut entries = entries(Client::Codex);
    let text = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}]}}";
    let first = installed(&entries, path, text).unwrap();
    entries.allow.clear();
    entries.events = vec!["Stop", "SessionEnd"];
    let second = installed(&entries, path, &first).unwrap();
    let found = found(Client::Codex, path, &second).unwrap();
    assert_eq!(found.len(), 2);
    assert!(
        found.iter().any(|(_, command)| command == "hookspec bridge codex --event SessionEnd --deadline 2")
    );
    assert!(second.contains("bell") && !second.contains("PreToolUse"), "{second}");
}

#[test]
fn gates_fail_closed_where_the_client_can_be_told_so() {
    let of = |client, event| entries(client).entry(event).to_string();
    assert!(of(Client::Claude, "PreToolUse").contains("\"onFailure\":\"block\""));
    assert!(!of(Client::Claude, "PostToolUse").contains("onFailure"));
    assert!(of(Client::Cursor, "preToolUse").contains("\"failClosed\":true"));
    assert!(of(Client::Goose, "PreToolUse").contains("\"on_failure\":\"block\""));
    assert!(of(Client::Hermes, "pre_tool_call").contains("\"fail_closed\":true"));
    // Codex drops a whole file for a field of the wrong type, so only what it knows is written.
    assert_eq!(
        entries(Client::Codex).entry("PreToolUse"),
        json!({"hooks": [{"type": "command", "command": "hookspec bridge codex --event PreToolUse --allow t", "timeout": 30}]})
    );
    assert!(of(Client::Gemini, "BeforeTool").contains("\"timeout\":30000"), "milliseconds");
}

#[test]
fn hermes_gets_a_block_of_its_own_and_hooks_of_others_are_not_touched() {
    let path = Path::new("config.yaml");
    let theirs = "model: x # mine\n";
    let text = installed(&entries(Client::Hermes), path, theirs).unwrap();
    assert!(
        text.starts_with(theirs) && text.contains("\nhooks:\n  pre_llm_call:\n    - command: \""),
        "{text}"
    );
    assert!(text.contains("      fail_closed: true\n"), "{text}");
    assert_eq!(installed(&entries(Client::Hermes), path, &text).unwrap(), text);
    assert_eq!(found(Client::Hermes, path, &text).unwrap().len(), entries(Client::Hermes).events.len());
    assert_eq!(uninstalled(Client::Hermes, path, &text).unwrap(), theirs);
    let error =
        installed(&entries(Client::Hermes), path, "hooks:\n  pre_tool_call: []\n").unwrap_err().to_string();
    assert!(error.contains("add these lines") && error.contains("pre_tool_call:"), "{error}");
}

#[test]
fn files_are_where_the_clients_look_and_words_are_quoted() {
    let at = |client, scope| file(client, scope, &places()).map(|path| path.display().to_string());
    assert_eq!(at(Client::Codex, Scope::User).unwrap(), "/home/ada/.codex/hooks.json");
    assert_eq!(at(Client::Claude, Scope::Project).unwrap(), "/srv/orbit/.claude/settings.json");
    assert_eq!(at(Client::Hermes, Scope::User).unwrap(), "/etc/hermes/config.yaml");
    assert!(at(Client::Goose, Scope::Project).unwrap_err().to_string().contains("--scope user"));
    assert!(at(Client::Copilot, Scope::User).unwrap_err().to_string().contains("--scope project"));
    assert_eq!(quoted("/opt/my tools/hook's"), r"'/opt/my tools/hook'\''s'");
    assert_eq!(quoted("a,b.*"), "'a,b.*'");
}
