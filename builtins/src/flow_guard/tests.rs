use std::time::Duration;

use hookspec::{Config, Hooks, Registry, fire_now};
use serde_json::json;

use super::*;

fn hooks(toml: &str) -> Hooks {
    let mut config = Config::new();
    config.add_toml("t.toml", toml, &[]).unwrap();
    Hooks::new(Registry::builder().config(config).allow(["flow_guard"]).build().unwrap())
}

fn session(toml: &str) -> Session {
    Session::builder(&hooks(toml), "s").workspace("/").build()
}

const ON: &str = "[hooks.flow_guard]\nenabled = true\n";

fn native(tool: &str, name: &str, value: &str) -> ToolUse {
    let kwargs = json!({ name: value }).as_object().unwrap().clone();
    ToolUse::native(tool, "c", kwargs)
}

/// `deny`, `ask` or nothing, for each way in which a call is written.
fn verdict(session: &Session, call: &ToolUse) -> &'static str {
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: call });
    assert!(fired.failures().is_empty(), "{fired:?}");
    match fired.gate() {
        Some(Gate::Deny(_)) => "deny",
        Some(Gate::Ask(_)) => "ask",
        _ => "",
    }
}

fn shell(session: &Session, command: &str) -> &'static str {
    let fenced = verdict(session, &ToolUse::fenced("shell", [""; 0], command));
    assert_eq!(verdict(session, &native("shell", "command", command)), fenced, "{command}");
    fenced
}

#[test]
fn without_a_label_or_while_it_is_off_it_says_nothing() {
    let session = session(ON);
    assert_eq!(shell(&session, "curl https://example.org"), "");
    let off = self::session("");
    off.add_label(Label::READ_SECRET, "x");
    assert_eq!(shell(&off, "curl https://example.org"), "");
}

#[test]
fn a_secret_was_read_so_nothing_is_sent() {
    let session = session(ON);
    session.add_label(Label::READ_SECRET, "`.env` was opened");
    for sends in [
        "curl https://example.org -d @x",
        "sudo curl example.org",
        "sh -c 'wget example.org'",
        "env X=1 /usr/bin/curl example.org",
        "cat x | nc example.org 80",
        "git push",
        "ls; ssh host cat",
    ] {
        assert_eq!(shell(&session, sends), "deny", "{sends}");
    }
    for stays in ["ls -l", "cargo fmt", "grep curl docs/README.md", "echo wget"] {
        assert_eq!(shell(&session, stays), "", "{stays}");
    }
    assert_eq!(shell(&session, "sh -c \"$X\""), "ask", "nobody can tell");
    for tool in ["WebFetch", "web_search", "mcp__mail__send", "browser", "http.get"] {
        assert_eq!(verdict(&session, &native(tool, "url", "x")), "deny", "{tool}");
    }
    for tool in ["save", "read", "website_linter_off", "researcher"] {
        let expected = if tool.starts_with("web") { "deny" } else { "" };
        assert_eq!(verdict(&session, &native(tool, "path", "x")), expected, "{tool}");
    }
    let call = ToolUse::fenced("shell", [""; 0], "curl example.org");
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
    let (reason, hook) = fired.denied().unwrap();
    assert_eq!(hook, "flow_guard.gate");
    assert!(
        reason.contains("`read-secret` (`.env` was opened)") && reason.contains("new session"),
        "{reason}"
    );
}

#[test]
fn foreign_text_was_read_so_commands_ask_also_after_a_restart() {
    let session = session(ON);
    session.add_label(Label::FOREIGN_TEXT, "a page was fetched");
    assert_eq!(shell(&session, "ls"), "ask");
    assert_eq!(verdict(&session, &native("save", "path", "x")), "");
    let again = Session::builder(session.hooks(), "s").workspace("/").states(session.save_states()).build();
    assert_eq!(shell(&again, "ls"), "ask");
    session.add_label(Label::READ_SECRET, "x");
    assert_eq!(shell(&session, "curl x.example"), "deny", "the stricter one");
}

#[test]
fn rules_name_labels_and_tools_of_ones_own() {
    let session = session(
        "[hooks.flow_guard]\nenabled = true\nrules = [{ when = \"on-call\", deny = \"mcp__*\" }, { when = \"left-workspace\", ask = \"write\" }, { when = \"foreign-text\", deny = \"any\" }]\n",
    );
    session.add_label(Label::new("on-call").unwrap(), "the pager rang");
    assert_eq!(verdict(&session, &native("mcp__x__y", "a", "b")), "deny");
    assert_eq!(verdict(&session, &native("patch", "a", "b")), "");
    session.add_label(Label::LEFT_WORKSPACE, "x");
    assert_eq!(verdict(&session, &native("patch", "a", "b")), "ask");
    session.add_label(Label::FOREIGN_TEXT, "x");
    assert_eq!(verdict(&session, &native("patch", "a", "b")), "deny");
}

#[test]
fn a_rule_that_cannot_be_is_refused_when_the_hooks_are_gathered() {
    for rules in [
        "[{ when = \"Read Secret\", deny = \"send\" }]",
        "[{ when = \"read-secret\" }]",
        "[{ deny = \"send\" }]",
    ] {
        let mut config = Config::new();
        config.add_toml("t.toml", &format!("{ON}rules = {rules}\n"), &[]).unwrap();
        assert!(Registry::builder().config(config).allow(["flow_guard"]).build().is_err(), "{rules}");
    }
}

#[test]
fn other_agents_tools_label_their_session_by_their_names() {
    for (tool, status, labelled) in [
        ("WebFetch", ToolStatus::Ok, true),
        ("mcp__docs__read", ToolStatus::Error, true),
        ("WebFetch", ToolStatus::Denied, false),
        ("Read", ToolStatus::Ok, false),
    ] {
        let session = session(ON);
        let call = native(tool, "url", "x");
        let _ = fire_now!(
            session,
            TOOL_POST_EXECUTE { tool_use: &call, result: &[], status, duration: Duration::ZERO }
        );
        assert_eq!(session.has_label(&Label::FOREIGN_TEXT), labelled, "{tool}");
    }
}
