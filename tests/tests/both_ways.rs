//! A model writes a call as a fenced block or through its native interface. Nothing that guards, changes or counts
//! calls may be walked around by the other way: the examples that users copy, and the built-ins.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use hookspec::points::{TOOL_PRE_EXECUTE, TOOL_TRANSFORM};
use hookspec::{Config, Gate, Hooks, Mode, Registry, Session, ToolUse, fire_now};
use serde_json::{Map, Value, json};

fn named(arguments: &Value) -> Map<String, Value> {
    arguments.as_object().unwrap().clone()
}

/// A command: through the native interface, as a block, as an event that somebody wrote by hand, and as a block with
/// an argument that only a native call would have.
fn shell(command: &str) -> [ToolUse; 4] {
    let native = ToolUse::native("shell", "c1", named(&json!({ "command": command })));
    let fenced = ToolUse::fenced("shell", [""; 0], command);
    let by_hand =
        serde_json::from_value(json!({ "tool": "shell", "kwargs": { "command": command } })).unwrap();
    let mixed = ToolUse { kwargs: named(&json!({ "timeout": 5 })), ..fenced.clone() };
    [native, fenced, by_hand, mixed]
}

fn session(config: &str, allow: &[&str]) -> Session {
    let mut settings = Config::new();
    settings.add_toml("test.toml", config, &[]).unwrap();
    let plugins = hookspec::plugins![hookspec_agent, hookspec_builtins, guard];
    let builder = Registry::builder().plugins(plugins).config(settings).mode(Mode::Bridge);
    Session::builder(&Hooks::new(builder.allow(allow.iter().copied()).build().unwrap()), "s").build()
}

fn refused(session: &Session, tool_use: &ToolUse) -> bool {
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use });
    matches!(fired.gate(), Some(Gate::Deny(_) | Gate::Ask(_)))
}

#[test]
fn the_example_guard_refuses_and_changes_both() {
    let session = session("", &["guard"]);
    for call in shell("rm -rf precious") {
        assert!(refused(&session, &call), "{call:?}");
    }
    for call in shell("ls precious") {
        assert!(!refused(&session, &call), "{call:?}");
    }
    for call in shell("git push --force origin main") {
        let fired = fire_now!(session, TOOL_TRANSFORM { tool_use: &call });
        let changed = fired.value().unwrap();
        let tool = session.hooks().load().tools().get("shell").unwrap();
        let runs = &tool.arguments(changed)["command"];
        assert_eq!(
            runs, "git push --force-with-lease origin main",
            "the tool runs what was changed: {changed:?}"
        );
        assert_eq!((changed.format, &changed.call_id), (call.format, &call.call_id));
    }
}

#[test]
fn a_callback_in_hermess_words_sees_both() {
    let callbacks = hookspec_hermes::Callbacks::new().on("pre_tool_call", "no_push", |told, _| {
        let pushes = told["args"]["command"].as_str().is_some_and(|command| command.contains("git push"));
        Ok(if pushes { json!({ "action": "block", "message": "I push myself." }) } else { Value::Null })
    });
    let plugins = hookspec::plugins![hookspec_agent, hookspec_hermes];
    let builder = callbacks.unwrap().register(Registry::builder().plugins(plugins));
    let session = Session::builder(&Hooks::new(builder.build().unwrap()), "s").build();
    for call in shell("git push") {
        assert!(refused(&session, &call), "{call:?}");
    }
}

#[test]
fn the_built_in_gates_look_at_both() {
    let rules = "[hooks.confirm_policy]\ndeny = [{ tool = 'shell', command = 'git push*' }]";
    // With the tool offered, and in a host that leaves it out: another agent has it all the same.
    for allow in [&["confirm_policy", "secrets_guard"][..], &["confirm_policy", "secrets_guard", "tool.read"]]
    {
        let session = session(rules, allow);
        for command in ["git push origin main", "cat .env", "env"] {
            for call in shell(command) {
                assert!(refused(&session, &call), "{call:?} with {allow:?}");
            }
        }
        for call in shell("ls") {
            assert!(!refused(&session, &call), "{call:?} with {allow:?}");
        }
    }
}

#[test]
fn arguments_are_what_the_tool_calls_them() {
    let session = session("", &["guard"]);
    let tools = session.hooks().load();
    for (call, path) in [
        (ToolUse::fenced("save", ["my", "file.txt"], "text"), "my file.txt"),
        (ToolUse::fenced("save", ["file.txt"], "text"), "file.txt"),
        (ToolUse::native("save", "c", named(&json!({ "path": "file.txt", "content": "text" }))), "file.txt"),
    ] {
        assert_eq!(call.text("path").as_deref(), Some(path), "{call:?}");
        assert_eq!(call.text("content").as_deref(), Some("text"), "{call:?}");
        assert_eq!(call.text("command"), None, "`save` has no such argument: {call:?}");
        let moved = call.with_text("path", "else where.txt").with_text("content", "new");
        let arguments = tools.tools().get("save").unwrap().arguments(&moved);
        assert_eq!(arguments["path"], "else where.txt", "{moved:?}");
        assert_eq!(arguments["content"], "new", "{moved:?}");
    }
    // What one says first is what the other says, for every tool and argument of ours.
    for tool in tools.tools().iter() {
        for name in tool.names.words.iter().chain(&tool.names.content) {
            let native = ToolUse::native(tool.name, "c", named(&json!({ (*name): "a b" })));
            let words = tool.names.words.contains(name).then_some("a b");
            let fenced = ToolUse::fenced(tool.name, words, words.map_or("a b", |_| ""));
            assert_eq!(native.text(name), fenced.text(name), "{}: {name}", tool.name);
        }
    }
}
