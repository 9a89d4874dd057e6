//! What is allowed, what is denied, and above all what is neither.

use hookspec::{Config, Hooks, Mode, Registry, Session, fire_now};

use super::*;

fn session(settings: &str, workspace: &std::path::Path) -> Session {
    let mut config = Config::new();
    config.add_toml("hookspec.toml", settings, &[]).unwrap();
    let registry = Registry::builder().config(config).mode(Mode::Cli).allow(["confirm_policy"]).build();
    Session::builder(&Hooks::new(registry.unwrap()), "s").workspace(workspace).build()
}

fn call(tool: &str, content: &str) -> ToolUse {
    ToolUse::fenced(tool, [""; 0], content)
}

fn confirmed(session: &Session, tool: &str, content: &str) -> bool {
    let call = call(tool, content);
    let fired = fire_now!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &Why::Policy });
    assert!(fired.failures().is_empty());
    fired.answer() == Some(&Confirmation::Confirm)
}

fn gate(session: &Session, tool: &str, content: &str) -> Option<Gate> {
    let call = call(tool, content);
    let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
    assert!(fired.failures().is_empty());
    fired.gate().cloned()
}

const RULES: &str = r#"
[hooks.confirm_policy]
allow = [{ tool = "save" }, { tool = "shell", command = "cargo test*" }, { tool = "shell", command = "ls *.rs" }]
deny = [{ tool = "shell", command = "git push*" }, { tool = "browser" }]
"#;

#[test]
fn without_lists_it_has_no_opinion() {
    let session = session("", std::path::Path::new("/"));
    assert!(!confirmed(&session, "shell", "ls") && !confirmed(&session, "save", "x"));
    assert_eq!(gate(&session, "shell", "git push"), None);
}

#[test]
fn a_rule_for_a_tool_is_for_all_of_its_calls() {
    let session = session(RULES, std::path::Path::new("/"));
    assert!(confirmed(&session, "save", "$(anything) at all"));
    assert!(!confirmed(&session, "append", "x"));
    assert!(matches!(gate(&session, "browser", "x"), Some(Gate::Deny(why)) if why.contains("`browser`")));
}

#[test]
fn every_simple_command_has_to_fit() {
    let session = session(RULES, std::path::Path::new("/"));
    for fits in [
        "cargo test",
        "cargo test -p 'a b' --lib",
        "cargo   test\t--all\n",
        "cargo test && cargo test --doc || cargo test; cargo test | cargo test -q",
        "\n\ncargo test &&\n  cargo test --doc;\n",
        "ls src/*.rs",
        r#"cargo test "it's; fine & quoted | > here""#,
    ] {
        assert!(confirmed(&session, "shell", fits), "{fits}");
    }
    for other in [
        "",
        "  \n ",
        "cargo build",
        "cargo test && rm -rf x",
        "cargo test; rm x",
        "cargo test | tee x",
        "cargo test\nrm x",
        "rm x || cargo test",
    ] {
        assert!(!confirmed(&session, "shell", other), "{other}");
    }
}

#[test]
fn what_could_run_or_write_something_else_is_never_allowed() {
    let session = session(RULES, std::path::Path::new("/"));
    for script in [
        "cargo test $(rm x)",
        "cargo test `rm x`",
        "cargo test \"$(rm x)\"",
        "cargo test $HOME",
        "cargo test > out",
        "cargo test >> out",
        "cargo test 2>out",
        "cargo test &> out",
        "cargo test < in",
        "cargo test <<EOF\nx\nEOF",
        "cargo test <(rm x)",
        "cargo test &",
        "cargo test & rm x",
        "cargo test |& rm x",
        "(cargo test)",
        "{ cargo test; }",
        "cargo test {a,b}",
        "! cargo test",
        "cargo test # rm",
        "cargo test \\\n rm",
        "cargo test 'open",
        "cargo test \"open",
        "cargo test &&",
        "cargo test ||\n",
        "; cargo test",
        "cargo test ;; cargo test",
        "&& cargo test",
        "PATH=. cargo test",
        "time cargo test",
        "exec cargo test",
        "if cargo test",
        "cargo test *",
        "cargo test ~",
        "cargo test\u{1b}[2K",
        "cargo test\r",
        "'cargo test'",
        "'' cargo test",
        "c*rgo test",
    ] {
        assert!(!confirmed(&session, "shell", script), "{script:?}");
    }
    let everything = r#"hooks.confirm_policy.allow = [{ tool = "shell", command = "*" }]"#;
    let everything = self::session(everything, std::path::Path::new("/"));
    assert!(confirmed(&everything, "shell", "rm x") && !confirmed(&everything, "shell", "rm $(x)"));
}

#[test]
fn one_denied_command_denies_the_call_and_doubt_is_asked() {
    let session = session(RULES, std::path::Path::new("/"));
    for denied in ["git push", "ls && git   push origin", "git 'push' -f"] {
        let said = gate(&session, "shell", denied);
        assert!(matches!(&said, Some(Gate::Deny(why)) if why.contains("`git push")), "{denied}: {said:?}");
    }
    assert_eq!(gate(&session, "shell", "git status && ls"), None);
    assert!(matches!(gate(&session, "shell", "g=git; $g push"), Some(Gate::Ask(_))));
    assert_eq!(gate(&session, "save", "git push"), None);
}

#[test]
fn a_gate_that_wants_a_person_to_look_is_not_answered() {
    let session = session(RULES, std::path::Path::new("/"));
    let call = call("shell", "cargo test");
    let why = Why::Gate("looks odd".into());
    let fired = fire_now!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why });
    assert!(fired.answer().is_none());
}

#[test]
fn read_only_shows_the_workspace_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(folder.path().join("a.txt"), "a").unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
    let settings = "hooks.confirm_policy.read_only = true";
    let session = session(settings, folder.path());
    for shows in [
        "ls -la",
        "cat a.txt | head -n 3",
        "grep -rn 'two words' .",
        "pwd; echo done",
        "wc -l a.txt",
        "grep --files-with-matches -r x .",
        "ls --directory .",
        "tail -n 3 a.txt",
        "echo -f",
    ] {
        assert!(confirmed(&session, "shell", shows), "{shows}");
    }
    let outside = format!("cat {}", outside.path().display());
    for other in [
        outside.as_str(),
        "cat link",
        "cat ../x",
        "cat /etc/passwd",
        "cat *",
        "cat src/*",
        "grep -R x .",
        "grep --dereference-recursive x .",
        "grep -f/etc/passwd x",
        "grep -vflink a.txt",
        "grep --file=link a.txt",
        "wc --files0-from=link",
        "wc --files0=link",
        "du --files0-from=link",
        "du -aL .",
        "ls -RL",
        "ls --dereference .",
        "stat -L a.txt",
        "tail -f a.txt",
        "tail --follow a.txt",
        "find . -delete",
        "sort -o a.txt a.txt",
        "uniq a.txt b.txt",
        "git status",
        "./ls",
        "cd /etc && cat passwd",
        "ls > a.txt",
        "ls; rm a.txt",
        "printf -v PATH . ; ls",
    ] {
        assert!(!confirmed(&session, "shell", other), "{other}");
    }
    assert!(!confirmed(&session, "python", "ls"), "only the shell");
    session.set_cwd("/");
    assert!(!confirmed(&session, "shell", "cat a.txt"), "only in the workspace");
}

#[test]
fn rules_are_checked_when_they_are_read() {
    for (bad, why) in [
        (r#"allow = [{ tool = "" }]"#, "empty"),
        (r#"allow = [{ command = "ls" }]"#, "missing field `tool`"),
        (r#"deny = [{ tool = "shell", comand = "ls" }]"#, "unknown field `comand`"),
        (r#"allow = ["shell"]"#, "invalid type"),
    ] {
        let mut config = Config::new();
        config.add_toml("hookspec.toml", &format!("[hooks.confirm_policy]\n{bad}"), &[]).unwrap();
        let error = Registry::builder().config(config).build().unwrap_err().to_string();
        assert!(error.contains(why), "{bad}: {error}");
    }
}
