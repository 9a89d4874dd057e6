//! Calls that fail, are changed, go on in another process, or overlap.

use super::*;

#[test]
fn wc_calls_that_fail_or_are_refused_have_both_records() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    for status in [ToolStatus::Error, ToolStatus::Denied, ToolStatus::Timeout, ToolStatus::Interrupted] {
        let _ = before(&session, &shell("x"));
        let _ = after(&session, &shell("x"), status);
        let all = lines(&journal(&state, "s"));
        assert_eq!(all.last().unwrap()["status"], json!(status));
    }
    assert_eq!(problems(&records(&state), Some(&key(&state))), []);
}

#[test]
fn wc_a_call_that_the_user_changed_has_an_end_for_what_it_was() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    for call in [native("1", "rm -rf /"), native("1", "rm -rf ./build"), native("1", "ls")] {
        let _ = before(&session, &call);
    }
    let _ = after(&session, &native("1", "ls"), ToolStatus::Ok);
    let row = |line: &Value| (line["sequence"].clone(), line["phase"].clone(), line["status"].clone());
    let rows: Vec<_> = lines(&journal(&state, "s")).iter().map(row).collect();
    let old = |sequence: u64| (json!(sequence), json!("post"), json!("superseded"));
    let pre = |sequence: u64| (json!(sequence), json!("pre"), Value::Null);
    assert_eq!(rows, [pre(1), old(1), pre(2), old(2), pre(3), (json!(3), json!("post"), json!("ok"))]);
    assert_eq!(problems(&records(&state), Some(&key(&state))), []);
}

#[test]
fn wd_a_session_goes_on_where_it_was_with_and_without_its_state() {
    let state = tempfile::tempdir().unwrap();
    let first = session(&state, "s");
    run(&first, &shell("ls"));
    let _ = before(&first, &shell("half"));
    let saved = first.save_states();
    let resumed = lent(builder("enabled = true", "s").states(saved), &state);
    let _ = after(&resumed, &shell("half"), ToolStatus::Ok);
    // Another process of which nobody saved anything.
    run(&session(&state, "s"), &shell("ps"));
    // And the first one again, which does not know of the others.
    run(&first, &shell("df"));
    let sequences: Vec<_> =
        lines(&journal(&state, "s")).iter().map(|line| line["sequence"].clone()).collect();
    assert_eq!(json!(sequences), json!([1, 1, 2, 2, 3, 3, 4, 4]));
    assert_eq!(problems(&records(&state), Some(&key(&state))), []);
}

#[test]
fn wd_a_torn_record_is_told_and_then_left_behind() {
    use std::io::Write;

    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    run(&session, &shell("ls"));
    let mut file = fs::OpenOptions::new().append(true).open(journal(&state, "s")).unwrap();
    file.write_all(b"{\"session_id\":\"s\",\"seq").unwrap();
    let report = verify(&records(&state), Some(&key(&state))).unwrap();
    assert!(matches!(report.findings[0].problem, Problem::Unreadable { .. }), "{report:?}");
    assert_eq!(report.findings[0].place, "s.manifest.jsonl, line 3");
    run(&session, &shell("ps"));
    assert_eq!(problems(&records(&state), Some(&key(&state))), []);
    assert_eq!(lines(&journal(&state, "s")).len(), 4);
}

#[test]
fn we_calls_in_parallel_and_in_one_another_keep_their_numbers() {
    let state = tempfile::tempdir().unwrap();
    let session = session(&state, "s");
    let (a, b, inner) = (native("a", "x"), native("b", "x"), shell("inner"));
    for call in [&a, &b, &inner] {
        let _ = before(&session, call);
    }
    for call in [&a, &inner, &b] {
        let _ = after(&session, call, ToolStatus::Ok);
    }
    let all = lines(&journal(&state, "s"));
    let row = |line: &Value| (line["phase"].clone(), line["sequence"].clone(), line["call_id"].clone());
    assert_eq!(row(&all[3]), (json!("post"), json!(1), json!("a")));
    assert_eq!(row(&all[4]), (json!("post"), json!(3), Value::Null));
    assert_eq!(row(&all[5]), (json!("post"), json!(2), json!("b")));
    assert_eq!(problems(&records(&state), Some(&key(&state))), []);
}

#[test]
fn calls_of_which_nobody_tells_the_end_do_not_pile_up() {
    let state = tempfile::tempdir().unwrap();
    let session = lent(builder("enabled = true\nkeyed = false", "s"), &state);
    for call in 0..1100 {
        let _ = before(&session, &native(&format!("c{call}"), "x"));
    }
    let saved = serde_json::to_string(&session.save_states()).unwrap();
    assert_eq!(saved.matches("id c").count(), 1000);
    // Read again from the file, they are as many.
    let other = lent(builder("enabled = true\nkeyed = false", "s"), &state);
    for session in [&session, &other] {
        let _ = before(session, &native("last", "x"));
        let _ = after(session, &native("last", "x"), ToolStatus::Ok);
        let saved = serde_json::to_string(&session.save_states()).unwrap();
        assert_eq!(saved.matches("id c").count(), 999);
    }
    let all = lines(&journal(&state, "s"));
    assert_eq!(all.last().unwrap()["sequence"], json!(1102));
}

#[test]
fn we_threads_that_record_at_once_make_one_chain() {
    let state = tempfile::tempdir().unwrap();
    let processes: Vec<Session> = (0..4).map(|_| session(&state, "s")).collect();
    std::thread::scope(|scope| {
        for (index, session) in processes.iter().enumerate() {
            scope.spawn(move || {
                for call in 0..10 {
                    run(session, &native(&format!("{index}-{call}"), "x"));
                }
            });
        }
    });
    let report = verify(&records(&state), Some(&key(&state))).unwrap();
    assert_eq!((report.records, report.findings), (80, vec![]));
}
