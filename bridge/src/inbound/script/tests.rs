//! The numbers are those of the rows of the specification, section 19.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::time::{Duration, Instant};

use hookspec::ask::{Confirmation, Continue, Why};
use hookspec::hooks::{Cause, Placement};
use hookspec::model::Usage;
use hookspec::points::{
    EndReason, FILE_POST_SAVE, FILE_PRE_SAVE, LOOP_CONTINUE, SESSION_END, SESSION_START, StartReason,
    TOOL_CONFIRM, TOOL_PRE_EXECUTE, TOOL_TRANSFORM, TURN_POST, TurnOutcome,
};
use hookspec::{Hooks, Registry, ToolUse, fire_now};

use super::*;

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("work")).unwrap();
        std::fs::create_dir_all(folder.path().join("logs/s")).unwrap();
        Self { folder }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn place(&self) -> Place {
        let overflow = Overflow::in_folder(self.folder.path().join("long"));
        Place { workspace: self.work(), logs: self.folder.path().join("logs"), overflow }
    }

    fn load(&self, sources: &[(&str, &str, Admission)]) -> Inbound {
        let source = |(file, text, admission): &(&str, &str, Admission)| Source {
            file: self.work().join(file),
            text: (*text).to_owned(),
            admission: admission.clone(),
        };
        load(&sources.iter().map(source).collect::<Vec<_>>(), &self.place())
    }

    fn own(&self, text: &str) -> Inbound {
        self.load(&[("hookspec.toml", text, Admission::Own)])
    }

    fn session_of(&self, inbound: &Inbound) -> Session {
        let builder = Registry::builder().linked(false);
        let builder =
            inbound.hooks.iter().cloned().fold(builder, hookspec::registry::RegistryBuilder::register_json);
        let hooks = Hooks::new(builder.build().unwrap());
        Session::builder(&hooks, "s").workspace(self.work()).model("m/1").build()
    }

    /// A session with these scripts, all of which can be used.
    fn session(&self, text: &str) -> Session {
        let inbound = self.own(text);
        assert_eq!(inbound.complaints, []);
        self.session_of(&inbound)
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.work().join(file)).unwrap_or_default()
    }
}

fn script(event: &str, command: &str, more: &str) -> String {
    let command = toml::Value::from(command);
    format!("[[hooks.scripts]]\nevent = '{event}'\ncommand = {command}\n{more}\n")
}

fn start(session: &Session) -> hookspec::point::Fired<hookspec::point::Messages> {
    fire_now!(session, SESSION_START { resumed: false, reason: StartReason::New, initial: &[] })
}

fn call(tool: &str) -> ToolUse {
    ToolUse::fenced(tool, ["-x"], "ls")
}

/// The reason of a refusal.
fn denied(session: &Session, tool: &str) -> Option<String> {
    gate(session, tool).denied().map(|(reason, _)| reason.to_owned())
}

fn gate(session: &Session, tool: &str) -> hookspec::point::Fired<Gate> {
    fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call(tool) })
}

#[test]
fn row_1_defaults() {
    let entry: toml::Table = "event = 'session.start'\ncommand = 'true'".parse().unwrap();
    let script = Script::read(&entry).unwrap_or_else(|(why, _)| panic!("{why}"));
    assert_eq!((script.priority, script.command.timeout.as_secs()), (0, 30));
    assert!(!script.background && !script.fail_open && script.matcher.is_none());
    assert_eq!(script.point.info().name, "SESSION_START");
}

#[test]
fn rows_2_and_3_priority_then_the_order_of_writing() {
    let world = World::new();
    let say = |name: &str, priority: i32| {
        script("session.start", &format!("printf {name} >> order"), &format!("priority = {priority}"))
    };
    let user = say("a", 10) + &say("b", 5) + &say("c", 5) + &say("d", -1);
    let project = say("e", 20) + &say("f", 5);
    let loaded =
        world.load(&[("user.toml", &user, Admission::Own), ("hookspec.toml", &project, Admission::Granted)]);
    let session = world.session_of(&loaded);
    assert!(start(&session).failures().is_empty());
    assert_eq!(world.read("order"), "eabcfd");
    let names: Vec<_> = session.hooks().list().iter().map(|row| row.info.name.clone()).collect();
    assert_eq!(names[0], "script.005.session.start");
}

#[test]
fn row_4_what_a_script_is_told() {
    let world = World::new();
    let log = world.folder.path().join("logs/s").canonicalize().unwrap();
    let session = world.session(&script(
        "on_session_start",
        "cat > input; pwd -P > cwd; echo \"$GPTME_HOOK_EVENT|$GPTME_WORKSPACE|$GPTME_MODEL|$HOOKSPEC_EVENT|$HOOKSPEC_SESSION|$HOOKSPEC_WORKSPACE\" > env; cd \"$GPTME_LOGDIR\" && pwd -P > \"$HOOKSPEC_WORKSPACE/logdir\"",
        "",
    ));
    assert!(start(&session).failures().is_empty());
    let work = world.work();
    let (shown, real) = (work.display(), work.canonicalize().unwrap());
    assert_eq!(world.read("env"), format!("session.start|{shown}|m/1|session.start|s|{shown}\n"));
    assert_eq!(world.read("cwd").trim(), real.display().to_string());
    assert_eq!(world.read("logdir").trim(), log.display().to_string());
    let input: Value = serde_json::from_str(&world.read("input")).unwrap();
    assert_eq!(
        (&input["point"], &input["session"], &input["model"], &input["event"]["reason"]),
        (&json!("session.start"), &json!("s"), &json!("m/1"), &json!("new"))
    );
    assert!(input["time"].as_str().unwrap().ends_with('Z') && input["cwd"] == input["workspace"]);
}

#[test]
fn row_5_the_model_is_the_one_of_the_moment() {
    let world = World::new();
    let session = world.session(&script("session.end", "echo $GPTME_MODEL > model", ""));
    session.set_model("n/2");
    let _ = fire_now!(session, SESSION_END { reason: EndReason::Exit });
    assert_eq!(world.read("model"), "n/2\n");
}

#[test]
fn row_6_a_failure_is_told_with_the_end_of_what_it_wrote() {
    let world = World::new();
    let command = "head -c 10000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 1";
    let session =
        world.session(&(script("session.start", command, "") + &script("session.start", "touch after", "")));
    let text = start(&session).failures()[0].to_string();
    assert!(text.contains("exit code 1") && text.ends_with("the end"), "{text}");
    assert!(world.work().join("after").exists(), "the next script runs");
}

#[test]
fn row_7_one_that_takes_too_long_is_ended_and_its_output_told() {
    let world = World::new();
    let command = "echo so far; sleep 60 & setsid sleep 60 & wait";
    let session = world.session(&script("session.start", command, "timeout = 1"));
    let began = Instant::now();
    let cause = start(&session).failures()[0].cause.clone();
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    let words = "so far".to_owned();
    assert_eq!(
        cause,
        Cause::Timeout { limit: Duration::from_secs(1), words },
        "its kind, and its last words"
    );
}

#[test]
fn row_8_a_megabyte_of_output_blocks_nothing_and_is_no_answer() {
    let world = World::new();
    let session = world.session(&script("session.start", "head -c 1000000 /dev/zero | tr '\\0' x", ""));
    let fired = start(&session);
    assert!(fired.failures().is_empty() && fired.messages().is_empty());
}

#[test]
fn row_9_entries_that_cannot_be_used_take_no_other_with_them() {
    let world = World::new();
    let bad = [
        ("event = 'turn.pee'\ncommand = 'x'", "`event = \"turn.pee\"` is no hook point"),
        ("event = 'turn.pre'\ncommand = '  '", "`command` is blank"),
        ("event = 'turn.pre'\ncommand = []", "`command` is blank"),
        ("event = 'turn.pre'\ncommand = 'x'\ntimeout = 0", "from 1 to 300"),
        ("event = 'turn.pre'\ncommand = 'x'\ntimeout = 301", "from 1 to 300"),
        ("event = 'turn.pre'\ncommand = 'x'\ntimeout = 'slow'", "invalid type: string \"slow\""),
        ("event = 'turn.pre'\ncommand = 'x'\npriority = true", "invalid type: boolean"),
        ("event = 'turn.pre'\ncommand = 'x'\nmatcher = 'save'", "TURN_PRE has no tool"),
        ("event = 'tool.execute.pre'\ncommand = 'x'\nmatcher = 'a||b'", "`matcher` is blank"),
        ("event = 'turn.pre'\ncommand = 'x'\ncomand = 'y'", "unknown field `comand`"),
        ("event = 'turn.pre'", "missing field `command`"),
    ];
    let mut text = script("session.start", "touch ran", "");
    for (entry, _) in bad {
        text.push_str(&format!("[[hooks.scripts]]\n{entry}\n"));
    }
    let inbound = world.own(&text);
    assert_eq!(inbound.complaints.len(), bad.len());
    for (complaint, (entry, wanted)) in inbound.complaints.iter().zip(bad) {
        assert!(complaint.why.contains(wanted), "{entry}: {complaint}");
        let line = text.lines().nth(complaint.line as usize).unwrap();
        assert_eq!(line, entry.lines().next().unwrap(), "the line after the heading: {complaint}");
    }
    let session = world.session_of(&inbound);
    let _ = start(&session);
    assert!(world.work().join("ran").exists());
    let rows = session.hooks().list();
    assert_eq!(rows.iter().filter(|row| !row.on).count(), bad.len() - 1, "but for the one without a point");
    let row = rows.iter().find(|row| row.info.name == "script.005.turn.pre").unwrap();
    assert!(row.why.contains("from 1 to 300") && row.info.file.ends_with("hookspec.toml"), "{row:?}");
}

// Row 10: whatever a point adds to its event reaches the script, and none is bothered by it.
#[test]
fn row_10_scripts_run_at_every_point_and_see_its_fields() {
    let world = World::new();
    let mut text = String::new();
    for point in hookspec::point::all_points() {
        text.push_str(&script(point.info().wire, "true", ""));
        text.push_str(&script(point.info().name, "true", ""));
    }
    let inbound = world.own(&text);
    assert_eq!((inbound.complaints.len(), inbound.hooks.len()), (0, 2 * hookspec::point::all_points().len()));
    let session = world.session(&script("post_file_edit", "cat > input", ""));
    let path = Path::new("/a b/c");
    let _ = fire_now!(session, FILE_POST_SAVE { path, content: "x'\"$(touch no)", created: true });
    let input: Value = serde_json::from_str(&world.read("input")).unwrap();
    assert_eq!(input["event"], json!({ "path": "/a b/c", "content": "x'\"$(touch no)", "created": true }));
}

#[test]
fn row_11_a_missing_directory_is_this_scripts_failure_only() {
    let world = World::new();
    let inbound = world.own(&(script("session.start", "true", "") + &script("session.start", "true", "")));
    let hooks = world.session_of(&inbound).hooks().clone();
    let session = Session::builder(&hooks, "s").workspace(world.work().join("gone")).build();
    let fired = start(&session);
    assert_eq!(fired.failures().len(), 2, "both were tried");
    assert!(fired.failures()[0].to_string().contains("does not exist"), "{:?}", fired.failures());
}

#[test]
fn a_gate_is_answered_by_json_or_by_exit_code_2() {
    let world = World::new();
    for (command, wanted) in [
        ("true", None),
        ("echo just text", None),
        (r#"echo '{"decision": "allow"}'"#, None),
        (r#"echo '{"decision": "deny", "reason": "not here"}'"#, Some("not here")),
        // The deny is not lost behind what else the script prints, or its exit code.
        (r#"echo checking; printf '{\n "decision": "deny",\n "reason": "not here"}'"#, Some("not here")),
        (r#"echo '{"decision": "deny", "reason": "not here"}'; exit 1"#, Some("not here")),
        ("echo not here >&2; exit 2", Some("not here")),
        (r#"echo '{"decision": "allow", "reason": "not here"}'; exit 2"#, Some("not here")),
        ("exit 2", Some("gave no reason")),
        (r#"echo '{"decision": "deny"}'"#, Some("gave no reason")),
        // What cannot be understood refuses.
        (r#"echo '{"decision": "maybe"}'"#, Some("unknown variant `maybe`")),
        (r#"echo '{"decison": "deny"}'"#, Some("unknown field `decison`")),
        ("echo '{oops'", Some("begins like an answer and is none")),
        (r#"echo '{}{"decision": "deny"}'"#, Some("trailing characters")),
        ("echo broken >&2; exit 1", Some("exit code 1; its last words: broken")),
        ("kill -9 $$", Some("signal: 9")),
        ("no-such-program", Some("exit code 127")),
        (r#"echo '{"rewrite": 1}'"#, Some("replacement, which TOOL_PRE_EXECUTE (Gate) does not take")),
    ] {
        let denied = denied(&world.session(&script("pre_tool_call", command, "")), "shell");
        let fits = match (&denied, wanted) {
            (None, None) => true,
            (Some(reason), Some(part)) => reason.contains(part),
            _ => false,
        };
        assert!(fits, "{command}: {denied:?}, not {wanted:?}");
    }
    let asked = gate(
        &world.session(&script("pre_tool_call", r#"echo '{"decision": "ask", "reason": "sure?"}'"#, "")),
        "x",
    );
    assert!(matches!(asked.gate(), Some(Gate::Ask(reason)) if reason == "sure?"), "{asked:?}");
}

#[test]
fn fail_open_lets_a_failure_pass_and_a_refusal_not() {
    let world = World::new();
    for (command, refused) in
        [("exit 1", false), ("exit 2", true), (r#"echo '{"decision":"deny"}'; exit 1"#, true)]
    {
        let session = world.session(&script("tool.execute.pre", command, "fail_open = true"));
        assert_eq!(denied(&session, "shell").is_some(), refused, "{command}");
    }
}

#[test]
fn a_matcher_is_for_tools_names() {
    let world = World::new();
    let session = world.session(&script("tool.execute.pre", "exit 2", "matcher = 'shell | save*'"));
    for (tool, refused) in
        [("shell", true), ("save", true), ("save_all", true), ("shell2", false), ("Shell", false)]
    {
        assert_eq!(denied(&session, tool).is_some(), refused, "{tool}");
    }
}

#[test]
fn messages_rewrites_and_answers_arrive() {
    let world = World::new();
    let session = world.session(&script(
        "file.save.pre",
        r#"echo '{"message": ["one", "two"], "context": "for the model", "rewrite": "better"}'"#,
        "",
    ));
    let fired = fire_now!(session, FILE_PRE_SAVE { path: Path::new("/f"), content: "x" });
    let said: Vec<_> =
        fired.messages().iter().map(|message| (message.content.as_str(), message.hide)).collect();
    assert_eq!(said, [("one", false), ("two", false), ("for the model", true)]);
    assert_eq!(fired.value().map(String::as_str), Some("better"));

    // The rewritten call, made with what the script was given; each script sees what the one before made of it.
    let rewrite = |from: &str, to: &str| {
        let command = format!(
            "sed 's/.*\"content\":\"{from}\".*/{{\"rewrite\": {{\"tool\": \"shell\", \"content\": \"{to}\"}}}}/'"
        );
        script("updatedInput", &command, "")
    };
    let session = world.session(&(rewrite("ls", "ls -l") + &rewrite("ls -l", "ls -la")));
    let fired = fire_now!(session, TOOL_TRANSFORM { tool_use: &call("shell") });
    assert_eq!(fired.value().map(|call| call.content.as_str()), Some("ls -la"), "{fired:?}");

    let confirm = |command: &str| {
        let session = world.session(&script("PermissionRequest", command, ""));
        fire_now!(session, TOOL_CONFIRM { tool_use: &call("shell"), preview: None, why: &Why::Policy })
            .answer()
            .cloned()
    };
    assert_eq!(confirm(r#"echo '{"decision": "allow"}'"#), Some(Confirmation::Confirm));
    assert_eq!(confirm("echo no >&2; exit 2"), Some(Confirmation::Skip { reason: "no".into() }));
    assert_eq!(confirm(r#"echo '{"decision": "ask"}'"#), None);
    let edit = r#"echo '{"answer": {"action": "edit", "content": "y"}}'"#;
    assert_eq!(confirm(edit), Some(Confirmation::Edit { content: "y".into() }));

    let session = world.session(&script("Stop", r#"echo '{"continue": "run the tests"}'"#, ""));
    let fired =
        fire_now!(session, LOOP_CONTINUE { outcome: TurnOutcome::Complete, queue: &[], continued: 0 });
    assert!(
        matches!(fired.answer().cloned(), Some(Continue::With(prompt)) if prompt.content == "run the tests"),
        "the agent goes on"
    );
}

#[test]
fn a_script_ends_the_chain_or_the_session() {
    let world = World::new();
    let stop = script("session.start", r#"echo '{"stop": true, "message": "kept"}'"#, "");
    let session = world.session(&(stop + &script("session.start", "touch after", "")));
    assert_eq!(start(&session).messages().len(), 1);
    assert!(!world.work().join("after").exists());
    let session = world.session(&script("session.start", r#"echo '{"end_session": "no licence"}'"#, ""));
    assert_eq!(start(&session).session_end(), Some("no licence"));
}

#[test]
fn a_decision_where_none_is_taken_is_a_failure_and_messages_stand() {
    let world = World::new();
    let session =
        world.session(&script("session.start", r#"echo '{"decision": "deny", "message": "m"}'"#, ""));
    let fired = start(&session);
    assert_eq!(fired.messages().len(), 1);
    assert!(fired.failures()[0].to_string().contains("SESSION_START (Messages) does not take"));
}

#[test]
fn an_async_script_is_not_waited_for_and_decides_nothing() {
    let world = World::new();
    let command = "until [ -e go ]; do sleep 0.02; done; touch done; exit 2";
    let session = world.session(&script("tool.execute.pre", command, "async = true"));
    assert!(denied(&session, "shell").is_none());
    assert_eq!(session.hooks().list()[0].info.placement, Placement::Background);
    std::fs::write(world.work().join("go"), "").unwrap();
    assert_eq!(session.drain_now(std::time::Duration::from_secs(30)), []);
    assert!(world.work().join("done").exists());
}

#[test]
fn a_long_text_goes_on_as_its_beginning() {
    let world = World::new();
    let long = r#"printf '{"decision":"deny","reason":"'; head -c 20000 /dev/zero | tr '\0' r; printf '"}'"#;
    let reason = denied(&world.session(&script("tool.execute.pre", long, "")), "shell").unwrap();
    assert!(reason.len() < 3000 && reason.contains("all 20000 characters are in"), "{reason}");
}

#[test]
fn a_program_and_its_arguments_run_without_a_shell() {
    let world = World::new();
    let text = "[[hooks.scripts]]\nevent = 'turn.post'\ncommand = ['sh', '-c', 'echo \"$1\" > out', 'sh', '$(id)']\n";
    let session = world.session(text);
    let usage = Usage::default();
    let _ = fire_now!(
        session,
        TURN_POST { steps: 1, changed: &[], usage: &usage, outcome: TurnOutcome::Complete }
    );
    assert_eq!(world.read("out"), "$(id)\n");
}

#[test]
fn what_the_project_brings_runs_only_as_it_was_trusted() {
    let world = World::new();
    let check = world.work().join("check.sh");
    std::fs::write(&check, "echo fine >&2; exit 2").unwrap();
    let text = script("tool.execute.pre", "sh ./check.sh", "");
    let barred = Admission::Barred("not trusted".into());
    let session = world.session_of(&world.load(&[("hookspec.toml", &text, barred)]));
    assert!(denied(&session, "shell").is_none());
    let rows = session.hooks().list();
    assert_eq!((rows[0].on, rows[0].why.as_str()), (false, "not trusted"));

    let session = world.session_of(&world.load(&[("hookspec.toml", &text, Admission::Granted)]));
    assert_eq!(denied(&session, "shell").unwrap(), "fine");
    // An agent that edits the script in the middle of the session does not get it run, and the gate stays shut.
    std::fs::write(&check, "exit 0").unwrap();
    let reason = denied(&session, "shell").unwrap();
    assert!(reason.contains("`sh ./check.sh` was not run") && reason.contains("/check.sh)"), "{reason}");
    // Nor does a session that works in another folder run a script of that name there.
    std::fs::write(&check, "echo fine >&2; exit 2").unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("check.sh"), "exit 0").unwrap();
    let other = Session::builder(session.hooks(), "t").workspace(elsewhere.path()).build();
    assert!(denied(&other, "shell").unwrap().contains("was not run"));
}

#[test]
fn the_subject_of_a_file_is_its_text_and_what_its_commands_name() {
    let world = World::new();
    std::fs::write(world.work().join("a.sh"), "1").unwrap();
    let print =
        |text: &str| subject(&world.work().join("hookspec.toml"), text, &world.work()).fingerprint().unwrap();
    // An entry that cannot be used yet could be, once something else allows it: its files count as well.
    let text = script("no.such.event", "./a.sh", "");
    let first = print(&text);
    assert_ne!(first, print(&(text.clone() + "# a comment")));
    std::fs::write(world.work().join("a.sh"), "2").unwrap();
    assert_ne!(first, print(&text));
    print("[hooks");
}
