//! Ollama, which speaks OpenAI's chat completions under `/v1`.

use hookspec::ToolUse;
use hookspec::model::FinishReason;
use hookspec_agent::models::{ModelError, ModelOptions, open_with_env};
use serde_json::json;

use crate::openai::{chunk, done};
use crate::server::Server;
use crate::{ask, hello, object, reasoning, sse, text};

#[tokio::test]
async fn a_local_model_answers_without_a_key_and_may_stop_after_a_call() {
    let call = json!({
        "index": 0, "id": "call_x", "type": "function",
        "function": {"name": "shell", "arguments": "{\"command\":\"ls\"}"},
    });
    let mut server = Server::start([sse(&[
        chunk(json!({"role": "assistant", "content": "", "reasoning": "Hm."}), None),
        chunk(json!({"content": "Look:"}), None),
        chunk(json!({"content": "", "tool_calls": [call]}), None),
        chunk(json!({"content": ""}), Some("stop")),
        done(),
    ])])
    .await;
    let host = server.address.to_string();
    let env = move |name: &str| (name == "OLLAMA_HOST").then(|| host.clone());
    let model = open_with_env("ollama/qwen3:8b", &ModelOptions::default(), &env).unwrap();
    let (answer, chunks) = ask(&*model, &hello()).await;
    let answer = answer.unwrap();
    assert_eq!(chunks, [reasoning("Hm."), text("Look:")]);
    assert_eq!(answer.finish_reason, FinishReason::ToolCalls);
    assert_eq!(answer.tool_uses, [ToolUse::native("shell", "call_x", object(json!({"command": "ls"})))]);
    let seen = server.seen().await;
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.body["model"], "qwen3:8b");
    assert_eq!(seen.headers.get("authorization"), None);
}

#[tokio::test]
async fn an_error_in_the_middle_is_not_taken_for_the_end() {
    let server = Server::start([sse(&[
        chunk(json!({"content": "one"}), None),
        json!({"error": {"message": "model runner has stopped", "type": "api_error"}}),
    ])])
    .await;
    let options =
        ModelOptions { base_url: Some(format!("http://{}", server.address)), ..ModelOptions::default() };
    let model = open_with_env("ollama/m", &options, &|_| None).unwrap();
    let error = ask(&*model, &hello()).await.0.unwrap_err();
    assert!(
        matches!(&error, ModelError::Server { body, .. } if body == "model runner has stopped"),
        "{error}"
    );
}
