//! A program of one's own: the command line with the built-in hooks, and a few that show what a hook can do.
//!
//! `cargo run -p hookspec-cli --example demo_host -- list --explain demo`

use std::process::ExitCode;
use std::time::Duration;

use hookspec::points::{FILE_PRE_SAVE, STEP_POST, STEP_PRE};
use hookspec::{Flow, Fold, Gate, Message, hook, hook_point};
use serde::{Deserialize, Serialize};

hookspec::plugin!();

hook_point! {
    /// Before the dough goes into the oven. Nothing in this program fires it.
    pub BAKE_PRE("bake.pre") -> Gate {
        /// Oven temperature in °C.
        degrees: u32,
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Steps(u32);

/// Counts the steps of a session, across resumes.
#[hook(STEP_PRE, name = "demo.count")]
fn count(state: &mut Steps) -> Message {
    state.0 += 1;
    Message::system(format!("step number {}", state.0)).hidden()
}

/// Waits on the runtime's timer, as an async hook may.
#[hook(STEP_POST, priority = 2, name = "demo.wait", timeout = "30s")]
async fn wait() -> Message {
    tokio::time::sleep(Duration::from_millis(1)).await;
    Message::system("waited")
}

/// Fails.
#[hook(STEP_POST, priority = 1, name = "demo.fails")]
fn fails() -> Result<(), &'static str> {
    Err("no luck today")
}

/// Reports beside the chain.
#[hook(STEP_POST, name = "demo.report", background)]
fn report(step: u32) -> Message {
    Message::system(format!("step {step} is over"))
}

/// Says everything at once: rewrites what will be written, asks for a look at it, and ends the session.
#[hook(FILE_PRE_SAVE, name = "demo.tidy")]
fn tidy(content: &str) -> ((Gate, Fold<String>), Flow) {
    ((Gate::ask("look at it once more"), Fold(content.trim().to_owned())), Flow::end_session("enough"))
}

/// Listens where nobody fires.
#[hook(BAKE_PRE, name = "demo.oven")]
fn oven(degrees: u32) -> Option<Gate> {
    (degrees > 300).then(|| Gate::deny("too hot"))
}

fn main() -> ExitCode {
    hookspec_cli::main(hookspec::plugins![hookspec_builtins, crate])
}
