//! The sandbox under `hookspec chat` and `hookspec serve`: what is asked, what a yes opens and for how long, what is held where
//! no text shows it, and what ends with whom. The program is real, and so are the files, git and the processes; the model is a script.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on has failed

mod common;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::Home;
use common::server::{Server, TOKEN, ask, place, start};
use hookspec_process::sandbox::support;
use rexpect::session::{PtySession, spawn_command};
use serde_json::{Value, json};

/// What no result may hold.
const SECRET: &str = "winter-apple-9417";
/// Longer than any of this takes, so that a failure is one and not a hang.
const AT_MOST: Duration = Duration::from_secs(60);

/// Calls of tools that need no person's yes by themselves, so that what is refused is refused for what it needs.
const UNASKED: &str =
    "[hooks.confirm_policy]\nallow = [{ tool = 'shell' }, { tool = 'save' }, { tool = 'append' }]\n";

fn shell(command: &str) -> Value {
    json!({ "text": "So.", "tool_calls": [{ "tool": "shell", "kwargs": { "command": command } }] })
}

fn opening(command: &str, opens: &[&str]) -> Value {
    json!({ "text": "So.", "tool_calls": [{ "tool": "shell", "kwargs": { "command": command, "opens": opens } }] })
}

fn tool(name: &str, arguments: Value) -> Value {
    json!({ "text": "So.", "tool_calls": [{ "tool": name, "kwargs": arguments }] })
}

/// A home whose workspace is a repository with a secret in it.
fn home(settings: &str) -> Home {
    let home = Home::new();
    let workspace = home.workspace();
    let git = |args: &[&str]| {
        let git = Command::new("git").args(args).current_dir(&workspace).stdout(Stdio::null()).status();
        assert!(git.unwrap().success(), "{args:?}");
    };
    git(&["init", "-q"]);
    std::fs::write(workspace.join(".env"), format!("NOTE={SECRET}\n")).unwrap();
    std::fs::write(workspace.join(".gitignore"), ".env\n").unwrap();
    std::os::unix::fs::symlink(".env", workspace.join("harmless.txt")).unwrap();
    std::fs::hard_link(workspace.join(".env"), workspace.join("linked.txt")).unwrap();
    user_says(&home, settings);
    home
}

/// The user's own configuration.
fn user_says(home: &Home, settings: &str) {
    let folder = home.path().join("home/config");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("hookspec.toml"), settings).unwrap();
}

fn log(home: &Home, session: &str) -> String {
    std::fs::read_to_string(home.path().join(format!("home/logs/{session}/conversation.jsonl"))).unwrap()
}

/// The results of the tool calls of a session, in order.
fn results(home: &Home, session: &str) -> Vec<String> {
    let log = log(home, session);
    let messages = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let results = messages.filter(|message| message["role"] == "system" && message["call_id"].is_string());
    results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// Runs a script of a model with nobody there, and gives the results of its calls.
fn chat(home: &Home, args: &[&str], script: &[Value]) -> Vec<String> {
    let mut script = script.to_vec();
    script.push(json!({ "text": "Done.", "repeat": true }));
    let model = home.script(&script);
    let all = [&["chat", "-n", "--name", "trial", "--model", &model], args, &["go"]].concat();
    let output = home.run(&all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    results(home, "trial")
}

/// Whether this system holds all of the sandbox; where it does not, it says so, and there is nothing to try.
fn is_held() -> bool {
    let whole = support().is_complete();
    let home = Home::new();
    let said = home.good(&["doctor"]);
    assert_eq!(said.contains("ok   sandbox workspace"), whole, "{said}");
    whole
}

fn exists(path: impl AsRef<Path>) -> bool {
    path.as_ref().symlink_metadata().is_ok()
}

#[test]
fn what_a_call_says_that_it_needs_is_asked_and_nobody_there_is_a_refusal() {
    for (call, opens) in [
        (shell("cat .env"), "read `"),
        (shell("cat .e*"), "read `"),
        (shell("cat<.env"), "read `"),
        (shell("cp .env copy; cat copy"), "read `"),
        (shell("cat harmless.txt"), "read `"),
        (shell("ln -s .env other; cat ./other"), "read `"),
        (shell("git config core.hooksPath /tmp/x"), "write `"),
        (shell("echo '#!/bin/sh' > .git/hooks/pre-commit"), "write `"),
        (opening("true", &["read .env"]), "read `"),
        (opening("true", &["everything"]), "run outside the sandbox"),
        (tool("read", json!({ "path": ".env" })), "read `"),
        (tool("read", json!({ "path": "harmless.txt" })), "read `"),
        (tool("save", json!({ "path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n" })), "write `"),
        (tool("save", json!({ "path": ".claude/settings.json", "content": "{}" })), "write `"),
        (tool("append", json!({ "path": ".git/config", "content": "[core]\n" })), "write `"),
        (tool("append", json!({ "path": "harmless.txt", "content": "X=1\n" })), "write `"),
    ] {
        let home = home(UNASKED);
        let before = std::fs::read_to_string(home.workspace().join(".git/config")).unwrap();
        let said = chat(&home, &[], std::slice::from_ref(&call));
        assert!(said[0].starts_with("Denied: "), "{call}: {}", said[0]);
        assert!(said[0].contains(opens) || said[0].contains("secret"), "{call}: {}", said[0]);
        assert!(!log(&home, "trial").contains(SECRET), "{call}");
        let at = |name: &str| home.workspace().join(name);
        assert!(
            !exists(at("copy")) && !exists(at(".git/hooks/pre-commit")) && !exists(at(".claude")),
            "{call}"
        );
        assert_eq!(std::fs::read_to_string(at(".git/config")).unwrap(), before, "{call}");
        assert_eq!(std::fs::read_to_string(at(".env")).unwrap(), format!("NOTE={SECRET}\n"), "{call}");
    }
}

#[test]
fn what_no_text_shows_is_held_and_the_result_says_what_to_ask_for() {
    if !is_held() {
        return;
    }
    let python = |code: &str| shell(&format!("python3 -c \"{code}\""));
    for (call, wish) in [
        (python("print(open('.'+'env').read())"), "read "),
        (shell("p=$(printf '.e%s' nv); cat \"$p\""), "read "),
        (shell("python3 -c \"import os; os.symlink('.env', 'other')\"; cat ./other"), "read "),
        (python("import os; os.link('.env', 'hard'); print(open('hard').read())"), ""),
        (shell("cat linked.txt"), ""),
        (tool("read", json!({ "path": "linked.txt" })), ""),
        (shell("tar cf - . 2>&1 | base64 -w0"), ""),
        (python("open('.git/hooks/'+'pre-commit','w')"), "write "),
        (python("import subprocess as s; s.run(['git','config','core.pager','sh'])"), ""),
    ] {
        let home = home(UNASKED);
        let before = std::fs::read_to_string(home.workspace().join(".git/config")).unwrap();
        let said = chat(&home, &[], std::slice::from_ref(&call));
        assert!(wish.is_empty() || !said[0].starts_with("Denied"), "it was run: {call}: {}", said[0]);
        assert!(!log(&home, "trial").contains(SECRET), "{call}: {}", said[0]);
        use base64_free::encoded;
        assert!(!encoded(SECRET).iter().any(|text| said[0].contains(text)), "{call}");
        assert!(!exists(home.workspace().join(".git/hooks/pre-commit")), "{call}");
        assert_eq!(std::fs::read_to_string(home.workspace().join(".git/config")).unwrap(), before, "{call}");
        assert!(
            said[0].contains(&format!("`opens` set to [\"{wish}")) || wish.is_empty(),
            "{call}: {}",
            said[0]
        );
    }
}

/// The three ways in which a text may stand in base64, without a crate for it.
mod base64_free {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pub(crate) fn encoded(text: &str) -> Vec<String> {
        (0..3)
            .map(|skip| {
                let bytes = &text.as_bytes()[skip..];
                let whole = bytes.chunks_exact(3);
                let letters = whole.flat_map(|three| {
                    let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
                    [18, 12, 6, 0].map(|shift| char::from(LETTERS[(bits >> shift & 63) as usize]))
                });
                letters.collect()
            })
            .collect()
    }

    #[test]
    fn known() {
        assert_eq!(encoded("hello!")[0], "aGVsbG8h");
    }
}

/// A chat with a person at a terminal.
fn person(home: &Home, args: &[&str]) -> PtySession {
    let mut command = home.command(args);
    command.stdin(Stdio::inherit()).env("TERM", "xterm").env("NO_COLOR", "1");
    spawn_command(command, Some(AT_MOST.as_millis() as u64)).unwrap()
}

const QUESTION: &str = "Run shell? [y]es [s]ession [N]o";

#[test]
fn a_yes_opens_what_was_named_for_one_call_and_an_s_for_the_session_and_no_longer() {
    let home = home("[hooks]\ndisable = ['secrets_guard']\n");
    let count = || shell("wc -c .env");
    let model = home.script(&[
        count(),
        count(),
        count(),
        count(),
        count(),
        json!({ "text": "Done.", "repeat": true }),
    ]);
    let mut terminal = person(&home, &["chat", "--name", "trial", "--model", &model, "go"]);
    for answer in ["y", "s"] {
        terminal.exp_string("a yes opens: read `").unwrap();
        terminal.exp_string(QUESTION).unwrap();
        terminal.send_line(answer).unwrap();
    }
    // What is left is the tool's own question.
    for _ in 0..2 {
        terminal.exp_string("Run shell? [").unwrap();
        terminal.send_line("y").unwrap();
    }
    terminal.exp_string("Run shell? [").unwrap();
    terminal.send_line("n").unwrap();
    let rest = terminal.exp_eof().unwrap();
    assert!(!rest.contains("a yes opens"), "{rest}");
    let said = results(&home, "trial");
    assert_eq!(said.len(), 5, "{said:?}");
    for result in &said[..4] {
        assert!(result.starts_with("23 .env"), "{said:?}");
    }
    // The session goes on in another process, with nothing opened. The script goes on where it was: after five answers.
    let mut script = vec![json!({ "text": "said before" }); 5];
    script.extend([count(), json!({ "text": "Done.", "repeat": true })]);
    let model = home.script(&script);
    let mut terminal = person(&home, &["chat", "--model", &model, "and now?", "--resume", "trial"]);
    terminal.exp_string("a yes opens: read `").unwrap();
    terminal.exp_string(QUESTION).unwrap();
    terminal.send_line("n").unwrap();
    terminal.exp_eof().unwrap();
}

#[test]
fn scripts_are_confined_as_commands_are_unless_the_user_or_what_was_trusted_says_otherwise() {
    if !is_held() {
        return;
    }
    let entry = "[[hooks.scripts]]\nevent = 'turn.post'\ncommand = 'cat .env > seen 2> refused; touch ran'\n";
    for (users, projects, free) in [
        ("", "", false),
        ("[sandbox]\nscripts = 'full'\n", "", true),
        ("", "sandbox = 'full'\n", true),
        ("[sandbox]\nprofile = 'full'\n", "", true),
        // A stricter word about the profile is none about what was freed by name.
        ("[sandbox]\nprofile = 'read-only'\nscripts = 'full'\n", "", true),
    ] {
        let home = home(users);
        home.config(&format!("{entry}{projects}"));
        chat(&home, &[], &[]);
        let read = |name: &str| std::fs::read_to_string(home.workspace().join(name)).unwrap_or_default();
        assert!(exists(home.workspace().join("ran")), "{users}{projects}");
        assert_eq!(read("seen").contains(SECRET), free, "{users}{projects}: {}", read("refused"));
    }
    let home = home("");
    home.config(&format!("{entry}sandbox = 'none'\n"));
    assert!(
        String::from_utf8(home.run(&["list"]).stderr).unwrap().contains("full"),
        "it is told what it takes"
    );
}

#[test]
fn with_y_what_is_closed_stays_closed() {
    let home = home("");
    let script = [shell("wc -c .env"), shell("echo x > .git/hooks/pre-commit"), shell("echo fine > made")];
    let said = chat(&home, &["-y"], &script);
    assert!(said[0].starts_with("Denied: ") && said[1].starts_with("Denied: "), "{said:?}");
    assert!(exists(home.workspace().join("made")) && !exists(home.workspace().join(".git/hooks/pre-commit")));
}

/// Whether a process with this word on its command line runs.
fn runs(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).split('\0').any(|word| word == mark))
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < AT_MOST, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A number of seconds that nobody else sleeps.
fn mark(number: u32) -> String {
    format!("{}.{number}", 100_000 + std::process::id())
}

#[test]
fn what_a_call_left_running_outlives_the_call_and_not_the_session() {
    if !is_held() {
        return;
    }
    let home = home(UNASKED);
    let (plain, daemon) = (mark(1), mark(2));
    let left = shell(&format!("sleep {plain} & setsid sleep {daemon} >/dev/null 2>&1 & echo left"));
    let said = chat(
        &home,
        &[],
        &[left, shell(&format!("pgrep -fx 'sleep {plain}' && pgrep -fx 'sleep {daemon}' && echo both"))],
    );
    assert!(said[0].contains("left") && said[1].contains("both"), "{said:?}");
    until("the session's end ends them", || !runs(&plain) && !runs(&daemon));
}

#[test]
fn what_runs_dies_with_a_host_that_is_killed() {
    if !is_held() {
        return;
    }
    let home = home(UNASKED);
    let (plain, daemon) = (mark(3), mark(4));
    let model = home.script(&[shell(&format!("setsid sleep {daemon} >/dev/null 2>&1 & sleep {plain}"))]);
    let mut host =
        home.command(&["chat", "-n", "--model", &model, "go"]).stderr(Stdio::null()).spawn().unwrap();
    until("both run", || runs(&plain) && runs(&daemon));
    host.kill().unwrap(); // SIGKILL
    host.wait().unwrap();
    until("both are gone", || !runs(&plain) && !runs(&daemon));
}

#[test]
fn the_environment_is_what_programs_need_and_what_the_user_names() {
    let env = |settings: &str| {
        let home = home(&format!("[hooks]\ndisable = ['secrets_guard']\n{UNASKED}{settings}"));
        let model =
            home.script(&[shell("env; echo \"[$TRIAL_PLAIN]\""), json!({ "text": "Done.", "repeat": true })]);
        let output = home
            .command(&["chat", "-n", "--name", "trial", "--model", &model, "go"])
            .envs([
                ("OPENAI_API_KEY", "sk-not-for-commands"),
                ("TRIAL_PLAIN", "seen"),
                ("CARGO_TERM_COLOR", "never"),
            ])
            .output()
            .unwrap();
        assert!(output.status.success());
        results(&home, "trial").remove(0)
    };
    let said = env("");
    assert!(said.contains("PATH=") && said.contains("CARGO_TERM_COLOR=never"), "{said}");
    assert!(!said.contains("sk-not-for") && said.contains("[]"), "{said}");
    assert!(said.contains("`opens` set to [\"variable TRIAL_PLAIN\"]"), "{said}");
    assert!(env("[sandbox]\nenvironment = ['TRIAL_PLAIN']\n").contains("[seen]"));
    assert!(env("[sandbox]\nprofile = 'full'\n").contains("[seen]"));
}

#[test]
fn a_project_closes_what_the_user_left_open_and_opens_nothing() {
    let home = home(UNASKED);
    home.config("[sandbox]\nprofile = 'full'\nshow = ['.env']\n");
    let warned = home.run(&["list"]);
    let warned = String::from_utf8(warned.stderr).unwrap();
    for key in ["profile", "show"] {
        assert!(warned.contains(&format!("`{key}` under `[sandbox]`")), "{warned}");
    }
    assert!(chat(&home, &[], &[shell("wc -c .env")])[0].starts_with("Denied: "));
    home.config("[sandbox]\nprofile = 'read-only'\n");
    let model = home.script(&[shell("echo x > made"), json!({ "text": "Done.", "repeat": true })]);
    let output = home.run(&["chat", "-n", "--name", "closed", "--model", &model, "go"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("sandbox read-only"), "{told}");
    // The command line is the user's last word.
    let output = home.run(&["chat", "-n", "--name", "open", "--sandbox", "full", "--model", &model, "go"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("no sandbox (profile full)") && exists(home.workspace().join("made")), "{told}");
    assert!(home.bad(&["chat", "--sandbox", "open", "x"]).contains("read-only, workspace and full"));
    home.config("[sandbox]\nprofil = 'full'\n");
    assert!(home.bad(&["list"]).contains("`[sandbox]`: unknown field `profil`"));
}

#[test]
fn the_programs_own_files_are_its_own_also_where_they_lie_in_the_workspace() {
    if !is_held() {
        return;
    }
    let home = home(UNASKED);
    let trust = home.path().join("home/data/trust.json");
    std::fs::create_dir_all(trust.parent().unwrap()).unwrap();
    std::fs::write(&trust, "{}").unwrap();
    let place = home.path().to_str().unwrap().to_owned();
    let script = [
        shell("echo forged > home/data/trust.json"),
        shell("python3 -c \"open('home/data/tr'+'ust.json','w').write('forged')\""),
        shell("python3 -c \"open('home/con'+'fig/hookspec.toml','w').write('forged')\""),
        tool("save", json!({ "path": "home/data/trust.json", "content": "forged" })),
    ];
    chat(&home, &["--workspace", &place], &script);
    assert_eq!(std::fs::read_to_string(&trust).unwrap(), "{}");
    assert!(
        !std::fs::read_to_string(home.path().join("home/config/hookspec.toml")).unwrap().contains("forged")
    );
}

/// What happens in a conversation, as it happens.
struct Stream(std::io::BufReader<std::net::TcpStream>);

impl Stream {
    fn open(server: &Server, id: &str) -> Self {
        let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(AT_MOST)).unwrap();
        let (address, path) = (server.address(), format!("/api/v2/conversations/{id}/events"));
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n")
            .unwrap();
        Self(std::io::BufReader::new(stream))
    }

    /// The next event of that kind.
    fn expect(&mut self, kind: &str) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended before {kind}");
            let event = line.strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data).ok());
            if let Some(event) = event.filter(|event| event["type"] == kind) {
                return event;
            }
        }
    }
}

/// A server's folder with a secret and a model that counts its bytes again and again.
fn served() -> (tempfile::TempDir, PathBuf) {
    let folder = place();
    std::fs::write(folder.path().join(".env"), format!("NOTE={SECRET}\n")).unwrap();
    let line = |value: Value| format!("{value}\n");
    let count = shell("wc -c .env");
    let text = [
        line(count.clone()),
        line(count.clone()),
        line(json!({"text": "Done."})),
        line(count),
        line(json!({"text": "Done.", "repeat": true})),
    ];
    std::fs::write(folder.path().join("script.jsonl"), text.concat()).unwrap();
    let config = folder.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    let settings = format!("[hooks]\ndisable = ['secrets_guard']\n{UNASKED}");
    std::fs::write(config.join("hookspec.toml"), settings).unwrap();
    let tokens = folder.path().join("tokens");
    (folder, tokens)
}

#[test]
fn over_http_what_a_yes_opens_is_named_and_the_session_is_asked_again_after_a_kill() {
    let (folder, tokens) = served();
    let tokens = tokens.to_str().unwrap();
    let server = start(folder.path(), &["--token-file", tokens]);
    let hello = json!({ "messages": [{ "role": "user", "content": "count" }] });
    server.good("PUT", "/conversations/a", &hello);
    let mut stream = Stream::open(&server, "a");
    server.good("POST", "/conversations/a/step", &json!({}));
    let question = stream.expect("tool_pending");
    assert!(question["opens"][0].as_str().unwrap().starts_with("read `"), "{question}");
    let answer = |action: &str| json!({ "tool_id": question["tool_id"], "action": action });
    server.good("POST", "/conversations/a/tool/confirm", &answer("session"));
    let whole = server.rested("a");
    let counted = whole.to_string().matches("23 .env").count();
    assert_eq!(counted, 2, "the second was not asked: {whole}");
    drop(server); // SIGKILL
    let server = start(folder.path(), &["--token-file", tokens]);
    server.good("POST", "/conversations/a", &json!({ "role": "user", "content": "again" }));
    let mut stream = Stream::open(&server, "a");
    server.good("POST", "/conversations/a/step", &json!({}));
    let question = stream.expect("tool_pending");
    assert!(question["opens"][0].as_str().unwrap().starts_with("read `"), "{question}");
    let skip = json!({ "tool_id": question["tool_id"], "action": "skip" });
    server.good("POST", "/conversations/a/tool/confirm", &skip);
    server.rested("a");
    let (status, _) =
        ask(server.address(), TOKEN, "POST", "/conversations/a/tool/confirm", &skip.to_string()).unwrap();
    assert_eq!(status, 409);
}
