//! Calls that write files, before and after, with real files.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::common::Setup;
use hookspec::points::{FILE_POST_PATCH, FILE_POST_SAVE, FILE_PRE_PATCH, FILE_PRE_SAVE, TURN_POST};
use hookspec::{Fold, Gate, Hook};
use hookspec_bridge::client::Client;
use serde_json::{Value, json};

type Notes = Arc<Mutex<Vec<String>>>;

/// Notes what is written, refuses secrets, and puts a newline at the end of each file.
fn setup() -> (Setup, Notes) {
    let notes = Notes::default();
    let note = |notes: &Notes| {
        let notes = Arc::clone(notes);
        move |text: String| notes.lock().unwrap().push(text)
    };
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let (saved, patched, post_saved, post_patched, turn) =
        (note(&notes), note(&notes), note(&notes), note(&notes), note(&notes));
    let guard = |text: &str| text.contains("SECRET").then(|| Gate::deny("no secrets in files"));
    let ended = |text: &str| (!text.ends_with('\n')).then(|| Fold(format!("{text}\n")));
    let registry = crate::common::bare()
        .register(Hook::new(FILE_PRE_SAVE, "t.save", move |event, _| {
            saved(format!("save {} {:?}", name(event.path), event.content));
            (guard(event.content), ended(event.content))
        }))
        .register(Hook::new(FILE_PRE_PATCH, "t.patch", move |event, _| {
            patched(format!("patch {} {:?} -> {:?}", name(event.path), event.before, event.after));
            let upper = event.after.replace("widget", "WIDGET");
            (guard(event.after), (upper != event.after).then_some(Fold(upper)))
        }))
        .register(Hook::new(FILE_POST_SAVE, "t.saved", move |event, _| {
            post_saved(format!("saved {} {}", name(event.path), event.created));
        }))
        .register(Hook::new(FILE_POST_PATCH, "t.patched", move |event, _| {
            assert!(event.diff.contains("@@"));
            post_patched(format!("patched {} {:?} -> {:?}", name(event.path), event.before, event.after));
        }))
        .register(Hook::new(TURN_POST, "t.turn", move |event, _| {
            turn(format!("turn {}", event.changed.len()));
        }));
    (Setup::new(registry), notes)
}

fn call(setup: &Setup, event: &str, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s", "cwd": setup.folder.path(), "hook_event_name": event, "tool_name": tool,
        "tool_input": input, "tool_use_id": "c1", "tool_response": "ok", "stop_hook_active": false
    })
}

fn taken(notes: &Notes) -> Vec<String> {
    std::mem::take(&mut *notes.lock().unwrap())
}

#[test]
fn a_write_is_a_save_and_its_content_can_be_changed_or_refused() {
    let (setup, notes) = setup();
    let path = setup.folder.path().join("new.txt");
    let input = json!({"file_path": path, "content": "one"});
    let (_, answer) = setup.send(Client::Claude, &call(&setup, "PreToolUse", "Write", &input));
    let inner = &answer.body.unwrap()["hookSpecificOutput"];
    assert_eq!(inner["updatedInput"], json!({"file_path": path, "content": "one\n"}));
    assert_eq!(inner.get("permissionDecision"), None, "the user's rules stand");
    std::fs::write(&path, "one\n").unwrap();
    setup.send(Client::Claude, &call(&setup, "PostToolUse", "Write", &input));
    assert_eq!(taken(&notes), ["save new.txt \"one\"", "saved new.txt true"]);
    // The file is there by now.
    setup.send(Client::Claude, &call(&setup, "PreToolUse", "Write", &input));
    setup.send(Client::Claude, &call(&setup, "PostToolUse", "Write", &input));
    assert_eq!(taken(&notes)[1], "saved new.txt false");
    let secret = json!({"file_path": path, "content": "a SECRET"});
    let (_, answer) = setup.send(Client::Codex, &call(&setup, "PreToolUse", "Write", &secret));
    assert_eq!(answer.refusal.as_deref(), Some("no secrets in files"));
    setup.send(Client::Claude, &call(&setup, "Stop", "", &json!({})));
    assert_eq!(taken(&notes).pop().unwrap(), "turn 1");
}

#[test]
fn an_edit_is_a_patch_of_the_whole_file() {
    let (setup, notes) = setup();
    let path = setup.folder.path().join("a.rs");
    std::fs::write(&path, "frob();\nfrob();\n").unwrap();
    let input = json!({"file_path": path, "old_string": "frob", "new_string": "widget", "replace_all": true});
    let (_, answer) = setup.send(Client::Claude, &call(&setup, "PreToolUse", "Edit", &input));
    let changed = &answer.body.unwrap()["hookSpecificOutput"]["updatedInput"];
    assert_eq!(changed["old_string"], "frob();\nfrob();\n");
    assert_eq!(changed["new_string"], "WIDGET();\nWIDGET();\n");
    assert_eq!(changed.get("replace_all"), None);
    std::fs::write(&path, "WIDGET();\nWIDGET();\n").unwrap();
    setup.send(Client::Claude, &call(&setup, "PostToolUse", "Edit", &input));
    assert_eq!(
        taken(&notes),
        [
            r#"patch a.rs "frob();\nfrob();\n" -> "widget();\nwidget();\n""#,
            r#"patched a.rs "frob();\nfrob();\n" -> "WIDGET();\nWIDGET();\n""#
        ]
    );
}

#[test]
fn a_patch_is_one_event_a_file_in_order_and_is_written_anew_where_hooks_change_it() {
    let (setup, notes) = setup();
    std::fs::write(setup.folder.path().join("a.rs"), "one\nfrob\nthree\n").unwrap();
    std::fs::write(setup.folder.path().join("b.rs"), "keep\n").unwrap();
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-frob\n+widget\n*** Add File: c.rs\n+new\n*** Update File: b.rs\n@@\n-keep\n+kept\n*** End Patch\n";
    let input = json!({"command": patch});
    let (_, answer) = setup.send(Client::Codex, &call(&setup, "PreToolUse", "apply_patch", &input));
    let inner = answer.body.unwrap()["hookSpecificOutput"].take();
    assert_eq!(inner["permissionDecision"], "allow");
    assert_eq!(
        inner["updatedInput"]["command"],
        "*** Begin Patch\n*** Update File: a.rs\n@@\n one\n-frob\n+WIDGET\n three\n*** Add File: c.rs\n+new\n*** Update File: b.rs\n@@\n-keep\n+kept\n*** End Patch\n"
    );
    std::fs::write(setup.folder.path().join("a.rs"), "one\nWIDGET\nthree\n").unwrap();
    std::fs::write(setup.folder.path().join("b.rs"), "kept\n").unwrap();
    setup.send(Client::Codex, &call(&setup, "PostToolUse", "apply_patch", &input));
    assert_eq!(
        taken(&notes),
        [
            r#"patch a.rs "one\nfrob\nthree\n" -> "one\nwidget\nthree\n""#,
            r#"save c.rs "new\n""#,
            r#"patch b.rs "keep\n" -> "kept\n""#,
            r#"patched a.rs "one\nfrob\nthree\n" -> "one\nWIDGET\nthree\n""#,
            "saved c.rs true",
            r#"patched b.rs "keep\n" -> "kept\n""#
        ]
    );
    // One file of many is enough for a refusal, in a shell command too.
    let secret =
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: b.rs\n@@\n-kept\n+SECRET\n*** End Patch\nEOF";
    for (tool, input) in [("Bash", json!({"command": secret})), ("apply_patch", json!(secret))] {
        let (_, answer) = setup.send(Client::Codex, &call(&setup, "PreToolUse", tool, &input));
        assert_eq!(answer.refusal.as_deref(), Some("no secrets in files"), "{tool}");
    }
    // What cannot be read as a patch cannot be judged.
    let (_, answer) = setup
        .send(Client::Codex, &call(&setup, "PreToolUse", "apply_patch", &json!({"command": "*** Begin"})));
    assert!(answer.refusal.unwrap().contains("cannot be judged"));
}

#[test]
fn new_text_is_judged_even_where_its_place_is_not_found() {
    let (setup, _) = setup();
    std::fs::write(setup.folder.path().join("a.rs"), "one\n").unwrap();
    let edit = json!({"file_path": "a.rs", "old_string": "not there", "new_string": "SECRET"});
    let (_, answer) = setup.send(Client::Gemini, &call(&setup, "BeforeTool", "replace", &edit));
    assert_eq!(answer.refusal.as_deref(), Some("no secrets in files"));
    let patch = json!("*** Begin Patch\n*** Update File: a.rs\n@@\n-not there\n+SECRET\n*** End Patch\n");
    let (_, answer) = setup.send(Client::Codex, &call(&setup, "PreToolUse", "apply_patch", &patch));
    assert_eq!(answer.refusal.as_deref(), Some("no secrets in files"));
    let cell = json!({"notebook_path": "a.ipynb", "cell_id": "c", "new_source": "SECRET"});
    let (_, answer) = setup.send(Client::Claude, &call(&setup, "PreToolUse", "NotebookEdit", &cell));
    assert_eq!(answer.refusal.as_deref(), Some("no secrets in files"));
    // Nor does a call pass that hides what it writes.
    let (_, answer) = setup.send(Client::Claude, &call(&setup, "PreToolUse", "Write", &json!({"path": 1})));
    assert!(answer.refusal.unwrap().contains("cannot be judged"));
}

#[test]
fn cursor_tells_of_edits_by_an_event_of_their_own() {
    let (setup, notes) = setup();
    let path = setup.folder.path().join("a.rs");
    std::fs::write(&path, "widget\n").unwrap();
    let event = json!({
        "conversation_id": "s", "hook_event_name": "afterFileEdit", "workspace_roots": [setup.folder.path()],
        "file_path": path, "edits": [{"old_string": "frob", "new_string": "widget"}]
    });
    let (_, answer) = setup.send(Client::Cursor, &event);
    assert_eq!(answer.stdout(), "{}");
    assert_eq!(taken(&notes), [r#"patched a.rs "frob\n" -> "widget\n""#]);
}
