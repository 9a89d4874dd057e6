//! The rows of the specification, and the weaknesses that it names.

use hookspec::points::{CACHE_INVALIDATED, InvalidationReason};
use hookspec::{Message, Role, Session, fire_now};

use crate::instructions::tests::{Stage, cd, log, start, told};

fn from(hook: &str, text: String) -> Message {
    let mut message = Message::system(text);
    message.hook = Some(hook.to_owned());
    message
}

#[test]
fn rows_1_2_6_a_new_directory_is_told_once_hidden_and_tagged() {
    let stage = Stage::new();
    let path = stage.put("work/a/AGENTS.md", "Use tabs.\n");
    let session = stage.session();
    let said = cd(&session, &stage.path("work/a"));
    let [message] = said.as_slice() else { panic!("{said:?}") };
    let source = path.display();
    assert_eq!(
        message.content,
        format!(
            "<agent-instructions source=\"{source}\">\n# Instructions from {source}\n\nUse tabs.\n</agent-instructions>"
        )
    );
    assert!(message.hide && message.role == Role::System && message.files == [path]);
    assert!(cd(&session, &stage.path("work/a")).is_empty());
}

#[test]
fn rows_3_4_5_11_all_seven_names_in_order() {
    let stage = Stage::new();
    let names = [
        "AGENTS.md",
        "CLAUDE.md",
        "COPILOT.md",
        "GEMINI.md",
        ".github/copilot-instructions.md",
        ".cursorrules",
        ".windsurfrules",
    ];
    for name in names {
        stage.put(&format!("work/all/{name}"), name);
    }
    stage.put("work/one/CLAUDE.md", "one");
    stage.put("work/none/README.md", "none");
    let session = stage.session();
    let said = cd(&session, &stage.path("work/all"));
    assert_eq!(said.len(), 7);
    for (message, name) in said.iter().zip(names) {
        assert!(message.content.ends_with(&format!("\n\n{name}\n</agent-instructions>")), "{message:?}");
    }
    assert_eq!(told(&cd(&session, &stage.path("work/one"))), ["one/CLAUDE.md"]);
    assert!(cd(&session, &stage.path("work/none")).is_empty());
}

#[test]
fn rows_7_8_copies_are_told_once_and_other_texts_each() {
    let stage = Stage::new();
    stage.put("work/a/AGENTS.md", "same\n\n  text");
    let copy = stage.put("work/b/AGENTS.md", "same text\n");
    stage.put("work/c/AGENTS.md", "other text");
    stage.put("work/d/CLAUDE.md", "linked");
    stage.link("work/d/CLAUDE.md", "work/d/AGENTS.md");
    let session = stage.session();
    assert_eq!(cd(&session, &stage.path("work/a")).len(), 1);
    assert!(cd(&session, &stage.path("work/b")).is_empty());
    assert_eq!(cd(&session, &stage.path("work/c")).len(), 1);
    assert_eq!(told(&cd(&session, &stage.path("work/d"))), ["d/CLAUDE.md"]);
    // The copy's path was taken down, so that its first edit is one.
    std::fs::write(copy, "edited").unwrap();
    assert!(cd(&session, &stage.path("work/b"))[0].content.contains("(changed;"));
}

#[test]
fn rows_9_13_and_w_a_w_b_the_log_shows_what_was_told() {
    let stage = Stage::new();
    stage.put("work/AGENTS.md", "root");
    stage.put("work/a/AGENTS.md", "inner");
    stage.put("work/copy/AGENTS.md", "inner\n");
    stage.put("work/cut/AGENTS.md", "cut");
    let first = stage.session();
    assert_eq!(told(&start(&first)), ["work/AGENTS.md"]);
    assert_eq!(cd(&first, &stage.path("work/a")).len(), 1);
    let mut kept = log(&first);
    let cut = stage.path("work/cut/AGENTS.md");
    kept.push(from(
        "agents_md_inject.on_cwd_change",
        format!("<agent-instructions source=\"{}\">\n# Instr", cut.display()),
    ));
    let resumed = stage.resumed(kept);
    assert!(start(&resumed).is_empty(), "the workspace's own, on resume");
    for name in ["work/a", "work/copy", "work/cut"] {
        assert!(cd(&resumed, &stage.path(name)).is_empty(), "{name}");
    }
}

#[test]
fn row_10_and_w_c_a_tag_that_is_not_ours_hides_nothing() {
    let stage = Stage::new();
    let path = stage.put("work/a/AGENTS.md", "real");
    let tag =
        format!("<agent-instructions source=\"{}\">\n# x\n\nreal\n</agent-instructions>", path.display());
    let spoofs = [
        Message::user(tag.clone()),
        Message::system(tag.clone()),
        from("injection_screening.on_tool_result", tag),
    ];
    let session = stage.resumed(spoofs.into());
    assert_eq!(cd(&session, &stage.path("work/a")).len(), 1);
}

#[test]
fn row_12_general_before_special_and_home_counts() {
    let stage = Stage::new();
    stage.put("home/AGENTS.md", "home");
    stage.put("home/p/CLAUDE.md", "parent c");
    stage.put("home/p/AGENTS.md", "parent");
    stage.put("home/p/c/AGENTS.md", "child");
    let said = cd(&stage.session(), &stage.path("home/p/c"));
    assert_eq!(told(&said), ["~/AGENTS.md", "p/AGENTS.md", "p/CLAUDE.md", "c/AGENTS.md"]);
    assert!(said[3].content.starts_with("<agent-instructions source=\"~/p/c/AGENTS.md\">"), "{said:?}");
}

#[test]
fn w_d_w_e_what_cannot_be_read_costs_only_itself() {
    let stage = Stage::new();
    stage.put("work/a/AGENTS.md", b"\xff\xfe");
    stage.put("work/a/CLAUDE.md/inner", "a directory of that name");
    let pipe = stage.path("work/a/COPILOT.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    stage.put("work/a/GEMINI.md", "text");
    stage.put("work/a/.cursorrules", "  \n");
    let session = stage.session();
    assert_eq!(told(&cd(&session, &stage.path("work/a"))), ["a/GEMINI.md"]);
    stage.put("work/a/AGENTS.md", "text now");
    assert_eq!(told(&cd(&session, &stage.path("work/a"))), ["a/AGENTS.md"], "it became text");
}

#[test]
fn w_h_an_edited_file_is_told_again_also_when_it_is_as_before() {
    let stage = Stage::new();
    let path = stage.put("work/AGENTS.md", "one");
    let session = stage.session();
    let first = start(&session);
    assert!(first[0].content.contains("one") && !first[0].content.contains("(changed;"));
    for text in ["two", "one"] {
        std::fs::write(&path, text).unwrap();
        let said = cd(&session, &stage.path("work"));
        assert!(said[0].content.contains("(changed;") && said[0].content.contains(text), "{said:?}");
        assert!(cd(&session, &stage.path("work")).is_empty());
    }
    let resumed = stage.resumed(log(&session));
    assert!(start(&resumed).is_empty());
    std::fs::write(&path, "while nobody looked").unwrap();
    assert_eq!(start(&stage.resumed(log(&session))).len(), 1);
}

#[test]
fn an_edit_is_told_also_where_another_file_has_that_text() {
    let stage = Stage::new();
    let a = stage.put("work/a/AGENTS.md", "one");
    let b = stage.put("work/b/AGENTS.md", "two");
    stage.put("work/copy/AGENTS.md", "one");
    let session = stage.session();
    let go = |session: &Session, name: &str| cd(session, &stage.path(name));
    assert_eq!((go(&session, "work/a").len(), go(&session, "work/b").len()), (1, 1));
    assert!(go(&session, "work/copy").is_empty());
    // Otherwise the model would hold on to the text that it was told for this file.
    std::fs::write(&b, "one").unwrap();
    let said = go(&session, "work/b");
    assert!(said.len() == 1 && said[0].content.contains("(changed;"), "{said:?}");
    for text in ["three", "one"] {
        std::fs::write(&a, text).unwrap();
        assert_eq!(told(&go(&session, "work/a")), ["a/AGENTS.md"], "{text}");
    }
    assert!(go(&session, "work/copy").is_empty());
    for (file, name) in [(&a, "work/a"), (&b, "work/b")] {
        std::fs::write(file, "four").unwrap();
        assert_eq!(go(&session, name).len(), 1);
    }
    assert_eq!(told(&go(&session, "work/copy")), ["copy/AGENTS.md"], "nobody else says it any more");
    assert!(
        go(&session, "work/copy").is_empty() && go(&stage.resumed(log(&session)), "work/copy").is_empty()
    );
}

#[test]
fn w_i_limits_keep_the_most_special_and_notes_come_once() {
    let stage = Stage::with("[hooks.agents_md_inject]\nmax_files = 2\nmax_bytes = 10\n");
    stage.put("work/AGENTS.md", "root");
    stage.put("work/a/AGENTS.md", "0123456789+");
    stage.put("work/a/b/AGENTS.md", "b");
    stage.put("work/a/b/c/AGENTS.md", "c");
    let session = stage.session();
    let said = cd(&session, &stage.path("work/a/b/c"));
    assert_eq!(told(&said), ["!work/AGENTS.md", "!a/AGENTS.md", "b/AGENTS.md", "c/AGENTS.md"]);
    assert!(said[0].content.contains("more than 2 files") && !said[0].hide);
    assert!(said[1].content.contains("more than 2 files"));
    let said = cd(&session, &stage.path("work/a"));
    assert_eq!(told(&said), ["work/AGENTS.md"], "there is room now; the other one's note was said");
    assert!(cd(&session, &stage.path("work/a")).is_empty());
    assert!(cd(&stage.resumed(log(&session)), &stage.path("work/a")).is_empty(), "nor on resume");
}

#[test]
fn a_huge_file_is_not_read() {
    let stage = Stage::new();
    stage.put("work/AGENTS.md", "x".repeat(2_000_000));
    let session = stage.session();
    let said = start(&session);
    assert_eq!(told(&said), ["!work/AGENTS.md"]);
    assert!(said[0].content.contains("over 100000 bytes"));
    let stage = Stage::with("[hooks.agents_md_inject]\nmax_bytes = 9000000\n");
    stage.put("work/AGENTS.md", "x".repeat(2_000_000));
    assert!(start(&stage.session())[0].content.contains("over 1048576 bytes"), "no file may be so long");
}

#[test]
fn what_holds_everywhere_comes_first() {
    let stage = Stage::new();
    stage.put("home/.config/hookspec/AGENTS.md", "mine");
    stage.put("home/AGENTS.md", "home");
    stage.put("work/AGENTS.md", "work");
    assert_eq!(told(&start(&stage.session())), ["hookspec/AGENTS.md", "work/AGENTS.md"]);
    let stage = Stage::with("[hooks.agents_md_inject]\nalso = []\n");
    stage.put("home/.config/hookspec/AGENTS.md", "mine");
    assert!(start(&stage.session()).is_empty());
}

#[test]
fn what_an_undo_took_away_is_told_again() {
    fn cut(session: &Session, reason: InvalidationReason) -> Vec<Message> {
        let fired = fire_now!(session, CACHE_INVALIDATED { reason, tokens_before: None, tokens_after: None });
        fired.into_messages()
    }
    let stage = Stage::new();
    stage.put("work/AGENTS.md", "root");
    stage.put("work/a/AGENTS.md", "inner");
    let session = stage.session();
    let _ = (start(&session), cd(&session, &stage.path("work/a")));
    let all = log(&session);
    session.replace_log(all[..1].iter().cloned().collect());
    assert!(cut(&session, InvalidationReason::Model).is_empty());
    assert!(cd(&session, &stage.path("work/a")).is_empty(), "another model reads the same log");
    let said = cut(&session, InvalidationReason::Undo);
    assert_eq!(told(&said), ["a/AGENTS.md"], "where it stands; the first message is still there");
    assert!(cd(&session, &stage.path("work/a")).is_empty());
    session.replace_log(Default::default());
    let said = cut(&session, InvalidationReason::Compact);
    assert_eq!(told(&said), ["work/AGENTS.md", "a/AGENTS.md"]);
}

#[test]
fn two_sessions_in_one_workspace_are_told_each() {
    let stage = Stage::new();
    stage.put("work/AGENTS.md", "root");
    let (a, b) = (stage.session(), stage.session());
    assert_eq!((start(&a).len(), start(&b).len(), start(&a).len()), (1, 1, 0));
}
