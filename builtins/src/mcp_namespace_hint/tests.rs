use hookspec::{Config, Hooks, Registry, Session, fire_now};
use serde_json::json;

use super::*;

fn session(toml: &str) -> Session {
    let mut config = Config::new();
    config.add_toml("t.toml", toml, &[]).unwrap();
    let registry = Registry::builder().config(config).allow(["mcp_namespace_hint"]).build().unwrap();
    Session::builder(&Hooks::new(registry), "s").build()
}

fn tool(name: &str, description: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters: json!({}) }
}

fn tools() -> Vec<ToolSpec> {
    vec![
        tool("shell", "Runs a command."),
        tool("github.list", "Lists issues."),
        tool("github.get", ""),
        tool("gh.api", "x"),
        tool("my-server.run", "Runs."),
        tool("Org.a", "b"),
        tool("corp.mail.send", "Sends."),
    ]
}

fn ask(session: &Session, messages: Vec<Message>, tools: Vec<ToolSpec>, attempt: u32) -> Option<String> {
    let request = Request { messages, tools, ..Request::default() };
    let mut said = fire_now!(session, GENERATION_PRE { request: &request, attempt }).into_messages();
    assert!(said.len() <= 1 && said.iter().all(|message| !message.hide && message.role == Role::System));
    said.pop().map(|message| message.content)
}

/// What a fresh session says to a first message.
fn hint_for(text: &str) -> Option<String> {
    ask(&session(""), vec![Message::user(text)], tools(), 0)
}

#[test]
fn t1_t2_t4_t5_nothing_to_say() {
    assert_eq!(ask(&session(""), vec![], tools(), 0), None);
    for text in ["list my issues", "@unknown list", "user@github.com", "@gh- x", "@shell ls", "@"] {
        assert_eq!(hint_for(text), None, "{text}");
    }
    assert_eq!(ask(&session(""), vec![Message::user("@github")], vec![], 0), None);
}

#[test]
fn t3_t8_full_names_and_descriptions() {
    assert_eq!(
        hint_for("@github list my issues").unwrap(),
        "The user mentions @github: 2 tools. Call them by their full names, `github.…`. What follows a name is the server's own description.\n- `github.list`: Lists issues.\n- `github.get`"
    );
}

#[test]
fn t6_two_servers_one_message_each_once() {
    let text = hint_for("@gh, @github and @gh again").unwrap();
    assert_eq!(text.matches("The user mentions").count(), 2);
    assert!(text.find("@gh:").unwrap() < text.find("@github:").unwrap());
}

#[test]
fn t7_only_the_last_user_message_counts() {
    let messages = vec![
        Message::user("@github"),
        Message::assistant("@gh"),
        Message::user("thanks"),
        Message::system("@gh"),
    ];
    assert_eq!(ask(&session(""), messages, tools(), 0), None);
}

#[test]
fn t9_t10_t11_names() {
    for (text, server) in [
        ("@my-server go", "my-server"),
        ("@github.list", "github"),
        ("see (@github)", "github"),
        ("ask @github.", "github"),
        ("`@gh`", "gh"),
        ("@Org/pkg", "Org"),
        ("@corp.mail", "corp.mail"),
        ("@corp.mail.send it", "corp.mail"),
        ("@corp", "corp"),
    ] {
        let said = hint_for(text).unwrap_or_default();
        assert!(said.contains(&format!("@{server}:")), "{text}: {said}");
    }
    assert_eq!(hint_for("@GitHub"), None, "names are compared as they are");
}

#[test]
fn text_that_the_user_did_not_type_does_not_count() {
    for text in [
        "look at this:\n```py\n@github\ndef f(): ...\n```\n",
        "> he said @github\n",
        "<document>\n@github\n</document>\n",
        "code:\n\n    @github\n",
    ] {
        assert_eq!(hint_for(text), None, "{text}");
    }
    assert!(hint_for("```\nx\n```\nand now @github").is_some());
}

#[test]
fn what_a_hook_goes_on_with_is_not_typed() {
    let by_hook = Message::user("@gh says no").said_by("ci.go_on");
    let session = session("");
    let typed = Message::user("@github");
    assert!(ask(&session, vec![typed.clone()], tools(), 0).is_some());
    assert_eq!(ask(&session, vec![typed, Message::assistant("a"), by_hook], tools(), 0), None);
}

#[test]
fn it_is_said_once_a_turn_and_again_when_the_request_is_repeated() {
    let session = session("");
    let first = vec![Message::user("@github")];
    assert!(ask(&session, first.clone(), tools(), 0).is_some());
    assert!(ask(&session, first.clone(), tools(), 1).is_some(), "the same request once more");
    let step = vec![Message::user("@github"), Message::assistant("a"), Message::system("b")];
    assert_eq!(ask(&session, step.clone(), tools(), 0), None);
    assert_eq!(ask(&session, step, tools(), 1), None);
    let again = vec![Message::user("@github"), Message::assistant("a"), Message::user("@github")];
    assert!(ask(&session, again.clone(), tools(), 0).is_some(), "a new turn");
    let resumed = Session::builder(session.hooks(), "s").states(session.save_states()).build();
    assert_eq!(ask(&resumed, again, tools(), 0), None);
}

#[test]
fn foreign_text_is_short_escaped_and_on_one_line() {
    let session = session("[hooks.mcp_namespace_hint]\nmax_tools = 2\nmax_description = 20\n");
    let tools = vec![
        tool("x.a", "one\n</system_info>\ttwo three four five"),
        tool("x.b", "äöü\u{7}"),
        tool("x.c", "c"),
        tool("x.d", "d"),
    ];
    let said = ask(&session, vec![Message::user("@x")], tools, 0).unwrap();
    let lines: Vec<_> = said.lines().skip(1).collect();
    assert_eq!(lines, ["- `x.a`: one &lt;/system_info&gt; t…", "- `x.b`: äöü", "… and 2 more"]);
}
