//! Their handlers as hooks of a session of ours: real files, real processes.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::{Path, PathBuf};

use hookspec::ask::{Confirmation, Continue, Why};
use hookspec::points::{
    LOOP_CONTINUE, MESSAGE_PRE_PROCESS, SESSION_START, StartReason, TOOL_CONFIRM, TOOL_POST_EXECUTE,
    TOOL_PRE_EXECUTE, TOOL_RESULT_TRANSFORM, TOOL_TRANSFORM, TurnOutcome,
};
use hookspec::session::InterruptReason;
use hookspec::tool::ToolStatus;
use hookspec::{Hooks, Message, Registry, Session, ToolUse, fire_now};
use serde_json::{Value, json};

use super::*;
use crate::command::Overflow;
use crate::inbound::Inbound;
use crate::inbound::script::Place;
use crate::trust::{Grant, Store};

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work/.claude", "work/.codex", "logs"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.work().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.work().join(name)).unwrap_or_default()
    }

    fn load(&self) -> Inbound {
        let overflow = Overflow::in_folder(self.folder.path().join("long"));
        let place = Place { workspace: self.work(), logs: self.folder.path().join("logs"), overflow };
        let files: Vec<_> = places(&self.work(), false)
            .into_iter()
            .filter_map(|(dialect, path, plugin)| {
                Some(File { dialect, text: std::fs::read_to_string(&path).ok()?, path, plugin })
            })
            .collect();
        load(&files, &place, &self.store().load().unwrap(), None)
    }

    fn store(&self) -> Store {
        Store::at(self.folder.path().join("trust.json"))
    }

    fn trust_all(&self) {
        let grant = |subject: &crate::trust::Subject| Grant {
            fingerprint: subject.fingerprint().unwrap(),
            file: subject.file.clone(),
            part: subject.part.clone(),
            at: String::new(),
        };
        self.store().grant(self.load().subjects.iter().map(grant)).unwrap();
    }

    fn session(&self) -> Session {
        let loaded = self.load();
        let builder = loaded
            .hooks
            .into_iter()
            .fold(Registry::builder().linked(false), hookspec::registry::RegistryBuilder::register_json);
        let hooks = Hooks::new(builder.build().unwrap());
        Session::builder(&hooks, "s").workspace(self.work()).model("m").build()
    }

    /// A session that trusts these handlers of one event.
    fn of(&self, file: &str, event: &str, commands: &[&str]) -> Session {
        self.write(file, &config(event, "", commands));
        self.trust_all();
        self.session()
    }
}

fn config(event: &str, matcher: &str, commands: &[&str]) -> String {
    let handlers: Vec<_> =
        commands.iter().map(|line| json!({ "type": "command", "command": line })).collect();
    json!({ "hooks": { event: [{ "matcher": matcher, "hooks": handlers }] } }).to_string()
}

const CLAUDE: &str = ".claude/settings.json";
const CODEX: &str = ".codex/hooks.json";

fn inner(event: &str, more: Value) -> String {
    let Value::Object(mut inner) = more else { return String::new() };
    inner.insert("hookEventName".into(), json!(event));
    format!("echo '{}'", json!({ "hookSpecificOutput": inner }))
}

fn shell(line: &str) -> ToolUse {
    ToolUse::fenced("shell", [""; 0], line)
}

/// Both moments before a call: what it comes to, and the reason if it is refused.
fn before(session: &Session, call: ToolUse) -> (ToolUse, Option<String>) {
    let call = fire_now!(session, TOOL_TRANSFORM { tool_use: &call }).take_value().unwrap_or(call);
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
    let reason = fired.denied().map(|(reason, _)| reason.to_owned());
    (call, reason)
}

#[test]
fn a_call_is_refused_rewritten_and_commented_by_handlers_that_run_once() {
    let world = World::new();
    for (file, name) in [(CLAUDE, "claude"), (CODEX, "codex")] {
        let world = World::new();
        let count = "cat >> seen; echo >> seen; ";
        let deny = count.to_owned()
            + &inner("PreToolUse", json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" }));
        let session = world.of(file, "PreToolUse", &[&deny]);
        let (_, reason) = before(&session, shell("rm x"));
        assert_eq!(reason.as_deref(), Some("no"), "{name}");
        let seen = world.read("seen");
        assert_eq!(seen.lines().count(), 1, "once a call: {seen}");
        let told: Value = serde_json::from_str(seen.trim()).unwrap();
        assert_eq!(
            (&told["tool_name"], &told["tool_input"]),
            (&json!("Bash"), &json!({ "command": "rm x" }))
        );
        assert_eq!((&told["hook_event_name"], &told["session_id"]), (&json!("PreToolUse"), &json!("s")));
        assert_eq!(told["turn_id"].is_string(), file == CODEX);

        let rewrite = inner(
            "PreToolUse",
            json!({ "permissionDecision": "allow", "updatedInput": { "command": "ls" } }),
        );
        let session = world.of(file, "PreToolUse", &[&rewrite]);
        assert_eq!(before(&session, shell("rm x")), (shell("ls"), None), "{name}");
    }
    let session = world.of(
        CLAUDE,
        "PreToolUse",
        &[&inner("PreToolUse", json!({ "additionalContext": "mind the gap" }))],
    );
    let call = shell("ls");
    let _ = fire_now!(session, TOOL_TRANSFORM { tool_use: &call });
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
    assert_eq!((fired.messages()[0].content.as_str(), fired.messages()[0].hide), ("mind the gap", true));
}

#[test]
fn a_call_that_was_changed_after_it_was_judged_is_judged_again() {
    let world = World::new();
    let session = world.of(CLAUDE, "PreToolUse", &["grep -q 'rm x' && echo no rm >&2 && exit 2; exit 0"]);
    let call = shell("ls");
    let _ = fire_now!(session, TOOL_TRANSFORM { tool_use: &call });
    let call = shell("rm x");
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
    assert_eq!(fired.denied().map(|(reason, _)| reason), Some("no rm"));
}

#[test]
fn what_claude_code_would_not_ask_for_is_not_asked_here() {
    let world = World::new();
    let allow = inner("PreToolUse", json!({ "permissionDecision": "allow" }));
    let session = world.of(CLAUDE, "PreToolUse", &[&allow]);
    let confirm = |why: Why| {
        before(&session, shell("ls"));
        let call = shell("ls");
        let mut fired = fire_now!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why });
        fired.take_answer().map(|(answer, _)| answer)
    };
    assert_eq!(confirm(Why::Policy), Some(Confirmation::Confirm));
    assert_eq!(confirm(Why::Gate("another hook wants to know".into())), None);
    let other = shell("rm");
    assert!(
        fire_now!(session, TOOL_CONFIRM { tool_use: &other, preview: None, why: &Why::Policy })
            .answer()
            .is_none()
    );
}

#[test]
fn handlers_run_at_once_and_count_in_their_order() {
    let world = World::new();
    // Each waits for the other: one after the other they would never end. The files have names that the commands
    // do not spell out, since a command whose file has changed is not run.
    let meet = |mine: &str, other: &str, reason: &str| {
        format!(
            "n=here; touch {mine}-$n; for i in $(seq 500); do [ -e {other}-$n ] && break; sleep 0.02; done; [ -e {other}-$n ] && echo {reason} >&2; exit 2"
        )
    };
    let session = world.of(
        CLAUDE,
        "PreToolUse",
        &[&format!("sleep 0.3; {}", meet("a", "b", "first")), &meet("b", "a", "second")],
    );
    assert_eq!(before(&session, shell("ls")).1.as_deref(), Some("first"));
    let context = |text: &str, wait: &str| {
        format!("sleep {wait}; {}", inner("SessionStart", json!({ "additionalContext": text })))
    };
    let session = world.of(CODEX, "SessionStart", &[&context("one", "0.3"), &context("two", "0")]);
    let fired = fire_now!(session, SESSION_START { resumed: false, reason: StartReason::New, initial: &[] });
    let texts: Vec<_> = fired.messages().iter().map(|message| message.content.as_str()).collect();
    assert_eq!(texts, ["one", "two"]);
}

#[test]
fn a_result_is_replaced_or_commented_as_the_client_does() {
    let after = |world: &World, file: &str, command: &str| {
        let session = world.of(file, "PostToolUse", &[command]);
        let (call, result) = (shell("ls"), [Message::system("secret")]);
        let duration = std::time::Duration::ZERO;
        let fired = fire_now!(
            session,
            TOOL_POST_EXECUTE { tool_use: &call, result: &result, status: ToolStatus::Ok, duration }
        );
        let said: Vec<_> = fired.messages().iter().map(|message| message.content.clone()).collect();
        let mut fired = fire_now!(session, TOOL_RESULT_TRANSFORM { tool_use: &call, result: &result });
        let left =
            fired.take_value().map(|all| all.into_iter().map(|message| message.content).collect::<Vec<_>>());
        (said, left)
    };
    let block = r#"grep -q '"tool_response":"secret"' && echo '{"decision": "block", "reason": "hidden"}'"#;
    assert_eq!(after(&World::new(), CODEX, block), (vec![], Some(vec!["hidden".to_owned()])));
    assert_eq!(after(&World::new(), CLAUDE, block), (vec!["hidden".to_owned()], None));
    let output = inner("PostToolUse", json!({ "updatedToolOutput": "***" }));
    assert_eq!(after(&World::new(), CLAUDE, &output), (vec![], Some(vec!["***".to_owned()])));
}

#[test]
fn prompts_sessions_and_rests() {
    let world = World::new();
    let session = world.of(
        CLAUDE,
        "UserPromptSubmit",
        &[r#"grep -q '"prompt":"bad"' && echo not that >&2 && exit 2; echo noted"#],
    );
    let prompt = |text: &str| {
        let message = Message::user(text);
        let fired = fire_now!(session, MESSAGE_PRE_PROCESS { message: &message });
        let said: Vec<_> = fired.messages().iter().map(|message| message.content.clone()).collect();
        (fired.denied().map(|(reason, _)| reason.to_owned()), said)
    };
    assert_eq!(prompt("good"), (None, vec!["noted".to_owned()]));
    assert_eq!(prompt("bad"), (Some("not that".to_owned()), vec![]));

    let session = world.of(CODEX, "SessionStart", &[r#"echo '{"continue": false, "stopReason": "closed"}'"#]);
    let fired = fire_now!(session, SESSION_START { resumed: false, reason: StartReason::New, initial: &[] });
    assert_eq!(fired.session_end(), Some("closed"));

    let session = world.of(CLAUDE, "Stop", &[r#"echo '{"decision": "block", "reason": "test it"}'"#]);
    let rest = |continued: u32| {
        let outcome = TurnOutcome::Complete;
        let mut fired = fire_now!(session, LOOP_CONTINUE { outcome, queue: &[], continued });
        fired.take_answer().map(|(answer, _)| answer)
    };
    assert!(matches!(rest(0), Some(Continue::With(prompt)) if prompt.content == "test it"));
    assert!(rest(8).is_none(), "it does not go on for ever");
    let session = world.of(CLAUDE, "PreToolUse", &[r#"echo '{"continue": false, "stopReason": "enough"}'"#]);
    assert_eq!(before(&session, shell("ls")).1.as_deref(), Some("enough"));
    assert_eq!(session.interrupted(), Some(InterruptReason::Hook));
}

#[test]
fn one_bad_handler_among_ten_takes_no_other_with_it() {
    let world = World::new();
    let good = json!({ "type": "command", "command": "echo no >&2; exit 2" });
    let group = |handler: Value| json!({ "matcher": "Bash", "hooks": [handler] });
    let bad = [
        json!({ "type": "http", "url": "http://127.0.0.1" }), // Codex has none
        json!({ "type": "command" }),
        json!({ "type": "command", "command": " " }),
        json!({ "type": "command", "command": "x", "timeout": 1.5 }),
        json!({ "command": "x" }),
        json!("x"),
    ];
    let mut groups: Vec<_> = bad.iter().cloned().map(group).collect();
    groups.push(json!({ "matcher": "(", "hooks": [good] }));
    groups.push(json!({ "type": "command", "command": "x" }));
    groups.push(json!({ "matcher": "Bash, Edit", "hooks": [good] }));
    groups.push(group(good));
    let text = json!({ "unknown": 1, "hooks": { "PreToolUse": groups, "Notification": [group(json!({}))], "Stop": {} } });
    world.write(CODEX, &text.to_string());
    world.trust_all();
    let loaded = world.load();
    let places: Vec<_> = loaded.complaints.iter().map(|complaint| complaint.entry.as_str()).collect();
    assert_eq!(places.len(), 10, "{:#?}", loaded.complaints);
    for wanted in [
        "hooks.PreToolUse[0].hooks[0]",
        "hooks.PreToolUse[6]",
        "hooks.PreToolUse[7]",
        "hooks.PreToolUse[8]",
        "hooks.Stop",
    ] {
        assert!(places.contains(&wanted), "{wanted} in {places:?}");
    }
    assert_eq!(loaded.idle.len(), 1);
    assert_eq!(before(&world.session(), shell("ls")).1.as_deref(), Some("no"));
    // Claude Code reads the two that Codex does not.
    let timeout = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash, Edit", "hooks": [{ "type": "command", "command": "exit 2", "timeout": 1.5 }] }] } });
    world.write(CLAUDE, &timeout.to_string());
    world.write(CODEX, "{}");
    world.trust_all();
    assert_eq!(world.load().complaints, []);
    assert!(before(&world.session(), shell("ls")).1.is_some());
    let toml = "model = 'x'\n[[hooks.PreToolUse]]\nmatcher = 'Bash'\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = 'exit 2'\n[hooks.state.x]\ntrusted_hash = 'y'\n";
    world.write(CLAUDE, "{}");
    world.write(".codex/config.toml", toml);
    world.trust_all();
    assert_eq!((world.load().complaints, world.load().idle), (vec![], vec![]));
    assert!(before(&world.session(), shell("ls")).1.is_some());
    world.write(".codex/config.toml", &format!("{toml}[features]\nhooks = false\n"));
    assert!(world.load().hooks.is_empty());
    for text in ["{", "[]", r#"{"hooks": []}"#] {
        world.write(CLAUDE, text);
        assert_eq!(world.load().complaints.len(), 1, "{text}");
    }
    world.write(CLAUDE, &json!({ "disableAllHooks": true, "hooks": { "Stop": [] } }).to_string());
    assert!(world.load().hooks.is_empty());
}

#[test]
fn the_bridge_to_this_program_does_not_run_inside_it() {
    let world = World::new();
    world.write(
        CODEX,
        &config("PreToolUse", "", &["/usr/bin/hookspec bridge codex --event PreToolUse", "exit 2"]),
    );
    world.trust_all();
    let loaded = world.load();
    assert_eq!((loaded.subjects.len(), loaded.idle.len()), (1, 1));
    assert_eq!(loaded.idle[0].entry, "hooks.PreToolUse[0].hooks[0]");
}

#[test]
fn what_is_not_trusted_is_listed_and_does_not_run() {
    let world = World::new();
    world.write("guard.sh", "echo guarded >&2; exit 2");
    world.write(CLAUDE, &config("PreToolUse", "", &["sh ./guard.sh"]));
    let session = world.session();
    assert_eq!(before(&session, shell("ls")).1, None);
    let rows = session.hooks().list();
    assert_eq!((rows.len(), rows[0].on, rows[0].info.name.as_str()), (1, false, "claude.PreToolUse.001"));
    assert!(rows[0].why.contains("you have not trusted it yet"));
    world.trust_all();
    let session = world.session();
    assert_eq!(before(&session, shell("ls")).1.as_deref(), Some("guarded"));
    // Another handler before it changes nothing about this one.
    let both = json!({ "hooks": { "PreToolUse": [
        { "hooks": [{ "type": "command", "command": "touch new" }] },
        { "matcher": "", "hooks": [{ "type": "command", "command": "sh ./guard.sh" }] },
    ] } });
    world.write(CLAUDE, &both.to_string());
    assert_eq!(before(&world.session(), shell("ls")).1.as_deref(), Some("guarded"));
    assert!(!world.work().join("new").exists());
    // The guard's script changes under a session: the guard keeps shut, and the new script does not run.
    world.write("guard.sh", "touch ran; exit 0");
    assert!(before(&session, shell("ls")).1.unwrap().contains("was not run"));
    assert!(!world.work().join("ran").exists());
    assert_eq!(before(&world.session(), shell("ls")).1, None, "a new session lists it as changed");
}

#[test]
fn options_of_claude_code_count() {
    let world = World::new();
    let guard = |more: Value| {
        let Value::Object(mut handler) = more else { panic!() };
        handler.insert("type".into(), json!("command"));
        world.write(CLAUDE, &json!({ "hooks": { "PreToolUse": [{ "hooks": [handler] }] } }).to_string());
        world.trust_all();
        let session = world.session();
        let reason = before(&session, shell("git push")).1;
        assert_eq!(session.drain_now(std::time::Duration::from_secs(30)), []);
        reason
    };
    assert!(guard(json!({ "command": "exit 2", "if": "Bash(git *)" })).is_some());
    assert_eq!(guard(json!({ "command": "exit 2", "if": "Bash(rm:*)" })), None);
    assert_eq!(guard(json!({ "command": "exit 2", "if": "Write" })), None);
    assert_eq!(guard(json!({ "command": "exit 1" })), None, "a failure lets things pass there");
    assert!(guard(json!({ "command": "exit 1", "onFailure": "block" })).unwrap().contains("exit code 1"));
    assert!(
        guard(json!({ "command": "sleep 30", "timeout": 1, "onFailure": "block" }))
            .unwrap()
            .contains("time limit")
    );
    assert_eq!(guard(json!({ "command": "touch here; exit 2", "async": true })), None);
    assert!(world.work().join("here").exists());
    assert_eq!(
        guard(json!({ "command": "sh", "args": ["-c", "echo \"$0\" >&2; exit 2", "$(id)"] })).as_deref(),
        Some("$(id)")
    );
    let here = world.work().display().to_string();
    assert_eq!(
        guard(json!({ "command": "echo $CLAUDE_PROJECT_DIR >&2; exit 2" })).as_deref(),
        Some(here.as_str())
    );
}

#[test]
fn a_plugins_folder_is_read_and_known_to_its_handlers() {
    let world = World::new();
    let plugin = world.work().join(".claude/plugins/p");
    std::fs::create_dir_all(plugin.join("hooks")).unwrap();
    std::fs::write(plugin.join("guard.sh"), "echo from the plugin >&2; exit 2").unwrap();
    let text = config("PreToolUse", "Bash", &["sh \"${CLAUDE_PLUGIN_ROOT}/guard.sh\""]);
    std::fs::write(plugin.join("hooks/hooks.json"), text).unwrap();
    world.trust_all();
    assert_eq!(before(&world.session(), shell("ls")).1.as_deref(), Some("from the plugin"));
    std::fs::write(plugin.join("guard.sh"), "exit 0").unwrap();
    let rows = world.session().hooks().list();
    assert!(rows.iter().all(|row| !row.on), "its script is part of what was trusted");
}

#[test]
fn paths_of_a_folder_are_in_the_order_of_precedence() {
    let all: Vec<_> = places(Path::new("/w"), false).into_iter().map(|(_, path, _)| path).collect();
    assert_eq!(all[0], Path::new("/w/.claude/settings.json"));
    assert_eq!(all.last().unwrap(), Path::new("/w/.codex/config.toml"));
}

#[test]
fn hermes_hooks_run_too() {
    let world = World::new();
    let path = world.work().join("config.yaml");
    let text = r#"
model: x
hooks_auto_accept: true
hooks:
  output_spill: { enabled: true }
  pre_tool_call:
    - matcher: "terminal"
      command: sh -c 'cat > seen; echo "{\"action\":\"block\",\"message\":\"not here\"}"'
    - matcher: "write_.*"
      command: sh -c 'exit 1'
      fail_closed: true
    - matcher: "read_file"
      command: sh -c 'echo nonsense >&2; exit 1'
    - command: ""
  pre_llm_call:
    - { command: "echo '{\"context\": \"mind\"}'" }
  transform_tool_result: []
"#;
    std::fs::write(&path, text).unwrap();
    let overflow = Overflow::in_folder(world.folder.path().join("long"));
    let place = Place { workspace: world.work(), logs: world.folder.path().join("logs"), overflow };
    let files = [File { dialect: Dialect::Hermes, path, text: text.to_owned(), plugin: None }];
    let grants = || world.store().load().unwrap();
    let first = load(&files, &place, &grants(), None);
    assert_eq!(
        (first.subjects.len(), first.complaints.len(), first.idle.len()),
        (4, 1, 1),
        "{:?}",
        first.complaints
    );
    let grant = |subject: &crate::trust::Subject| Grant {
        fingerprint: subject.fingerprint().unwrap(),
        file: subject.file.clone(),
        part: subject.part.clone(),
        at: String::new(),
    };
    world.store().grant(first.subjects.iter().map(grant)).unwrap();
    let loaded = load(&files, &place, &grants(), None);
    let builder = loaded
        .hooks
        .into_iter()
        .fold(Registry::builder().linked(false), hookspec::registry::RegistryBuilder::register_json);
    let hooks = Hooks::new(builder.build().unwrap());
    let session = Session::builder(&hooks, "s").workspace(world.work()).build();
    assert_eq!(before(&session, shell("ls")).1.as_deref(), Some("not here"));
    let told: Value = serde_json::from_str(&world.read("seen")).unwrap();
    assert_eq!((&told["hook_event_name"], &told["tool_name"]), (&json!("pre_tool_call"), &json!("terminal")));
    assert_eq!(told["tool_input"], json!({ "command": "ls" }));
    let reason = before(&session, ToolUse::fenced("save", ["a"], "x")).1.unwrap();
    assert!(reason.contains("exit code 1"), "{reason}");
    assert_eq!(before(&session, ToolUse::fenced("read", ["a"], "")).1, None, "it fails open");
    let message = Message::user("hi");
    let fired = fire_now!(session, MESSAGE_PRE_PROCESS { message: &message });
    assert_eq!(fired.messages()[0].content, "mind");
}
