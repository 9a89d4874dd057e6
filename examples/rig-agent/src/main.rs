//! Rig's loop over a model that answers from a script, with four hooks: one counts, one refuses, two try again.

use hookspec::points::{TOOL_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::tool::{ToolResult, ToolUse};
use hookspec::{Around, Gate, Hooks, Message, Registry, Session, hook};
use hookspec_example_rig_agent::{Answer, MODEL_CALL, agent, tool};
use rig_agent::core::completion::CompletionRequest;
use rig_agent::core::message::ToolName;
use rig_agent::core::test_utils::{MockCompletionModel, MockTurn};
use rig_agent::core::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use serde_json::json;

/// Deleting is not for agents.
#[hook(TOOL_PRE_EXECUTE)]
fn no_deleting(tool_use: &ToolUse) -> Option<Gate> {
    tool_use.text("command")?.contains("rm ").then(|| Gate::deny("deleting is not for agents"))
}

/// A tool that fails is run once more.
#[hook(TOOL_EXECUTE)]
async fn once_more(next: TOOL_EXECUTE::Next<'_>) -> Around<ToolResult> {
    let mut tries = next.repeatable();
    match tries.run().await {
        Err(_) => Around(tries.run().await),
        done => Around(done),
    }
}

/// Tells how long each conversation is that the model is asked about.
#[hook(MODEL_CALL)]
fn counted(request: &CompletionRequest) -> Message {
    Message::system(format!("asked about {} messages", request.chat_history.len()))
}

/// A model that fails is asked once more.
#[hook(MODEL_CALL, priority = -1)]
async fn patient(next: MODEL_CALL::Next<'_>) -> Around<Answer> {
    let mut tries = next.repeatable();
    match tries.run().await {
        Err(_) => Around(tries.run().await),
        answer => Around(answer),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Session::builder(&Hooks::new(Registry::builder().build()?), "rig").build();
    let call = |id: &str, command: &str| MockTurn::tool_call(id, "shell", json!({ "command": command }));
    let script = [
        MockTurn::error("busy"),
        call("1", "ls"),
        call("2", "rm -rf /"),
        MockTurn::text("two files, both still there"),
    ];
    let runs = std::sync::atomic::AtomicU32::new(0);
    let shell = DynamicTool::new(
        ToolName::new("shell")?,
        "Runs a command.",
        json!({ "type": "object" }),
        move |args| {
            let first = runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
            Box::pin(async move {
                if first {
                    Err(ToolExecutionError::other("the shell is asleep"))
                } else {
                    Ok(ToolOutput::text(format!("ran {}", args["command"])))
                }
            })
        },
    );
    let model = MockCompletionModel::from_turns(script);
    let rig = agent(&session, model)?.dynamic_tool(tool(&session, shell)).build();
    println!("{}", rig.prompt("what is here?").max_turns(5).await?.output());
    for message in session.log().iter() {
        println!("{}: {}", message.hook.as_deref().unwrap_or_default(), message.content);
    }
    Ok(())
}
