//! Hooks that do what hooks must not do, by the command that they see: for the tests of this package.

use std::io::Write;
use std::process::exit;
use std::time::Duration;

use hookspec::points::{TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::{Gate, Hook, Hooks, Message, Registry};
use hookspec_bridge::bridge::Bridge;
use hookspec_bridge::client::Client;
use hookspec_bridge::serve::serve;

#[allow(clippy::print_stdout)] // that is the misbehaviour
fn misbehave(command: &str) -> Result<Option<Gate>, String> {
    match command {
        "print" => println!("a log line on standard output"),
        "flood" => {
            let line = [b'x'; 64 * 1024];
            let mut out = std::io::stdout().lock();
            // To standard error by now; a gigabyte of it.
            for _ in 0..16 * 1024 {
                if out.write_all(&line).is_err() {
                    break;
                }
            }
        }
        "panic" => panic!("oops"),
        "fail" => return Err("it did not work".into()),
        "sleep" => std::thread::sleep(Duration::from_secs(600)),
        "close" => return Ok(Some(Gate::deny("no"))),
        "child" => {
            let child = std::process::Command::new("sh").args(["-c", "echo from a child"]).status();
            child.map_err(|error| error.to_string())?;
        }
        _ => {}
    }
    Ok((command == "deny").then(|| Gate::deny("not that")))
}

fn main() {
    let client = std::env::args().nth(1).and_then(|name| name.parse::<Client>().ok());
    let Some(client) = client else { exit(64) };
    let event = std::env::args().nth(2);
    let code = serve(client, event.as_deref(), |_| {
        let registry = Registry::builder()
            .linked(false)
            .register(Hook::new(TOOL_PRE_EXECUTE, "bad.gate", |event, _| {
                misbehave(&event.tool_use.text("command").unwrap_or_default())
            }))
            .register(Hook::new(TOOL_POST_EXECUTE, "bad.observer", |event, _| {
                misbehave(&event.tool_use.text("command").unwrap_or_default())
                    .map(|_| Message::system("seen"))
            }))
            .build()?;
        let mut bridge = Bridge::new(Hooks::new(registry));
        bridge.deadline = Duration::from_secs(2);
        Ok::<_, hookspec::registry::BuildError>(bridge)
    });
    exit(code.into());
}
