//! What differs between the clients: their package, their command line, their wire format.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::stage::Stage;

pub(crate) struct Client {
    /// Its name for `hookspec install`, and its program's.
    pub(crate) name: &'static str,
    /// Its package, with the version that these tests were written with.
    pub(crate) package: &'static str,
    /// The arguments of one prompt without a person.
    pub(crate) arguments: &'static [&'static str],
    /// Writes its configuration into its home: the home, the model's address.
    pub(crate) configure: fn(&Path, &str),
    /// The answer that calls for a command: the number of the call, the command.
    pub(crate) call: fn(usize, &str) -> Vec<Value>,
    /// The answer that is text.
    pub(crate) text: fn(&str) -> Vec<Value>,
    results: fn(&Value) -> Vec<String>,
}

impl Client {
    /// What the tools gave back so far, as a request to the model tells it.
    pub(crate) fn results(&self, request: &Value) -> Vec<String> {
        (self.results)(request)
    }
}

pub(crate) fn codex() -> Client {
    Client {
        name: "codex",
        package: "@openai/codex@0.169.0",
        arguments: &["exec", "--skip-git-repo-check", "-s", "danger-full-access", "go on"],
        configure: |home, address| {
            let config = format!(
                "model = \"test-model\"\nmodel_provider = \"loopback\"\n\n[model_providers.loopback]\n\
                 name = \"loopback\"\nbase_url = \"{address}/v1\"\nwire_api = \"responses\"\n"
            );
            let path = home.join(".codex/config.toml");
            let held = std::fs::read_to_string(&path).unwrap_or_default();
            // What was written before, trust above all, stays below.
            let kept = held.find("[hooks").map_or("", |at| &held[at..]);
            std::fs::write(path, format!("{config}\n{kept}")).unwrap();
        },
        call: |number, command| {
            let arguments = json!({ "cmd": command }).to_string();
            let id = format!("call-{number}");
            codex_events(json!({
                "type": "function_call", "call_id": id, "name": "exec_command", "arguments": arguments,
            }))
        },
        text: |text| {
            codex_events(json!({
                "type": "message", "role": "assistant", "id": "m",
                "content": [{ "type": "output_text", "text": text }],
            }))
        },
        results: |request| {
            let items = request["input"].as_array().into_iter().flatten();
            items
                .filter(|item| item["type"] == "function_call_output")
                .map(|item| item["output"].to_string())
                .collect()
        },
    }
}

fn codex_events(item: Value) -> Vec<Value> {
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null,
        "output_tokens": 1, "output_tokens_details": null, "total_tokens": 2,
    });
    vec![
        json!({ "type": "response.created", "response": { "id": "r" } }),
        json!({ "type": "response.output_item.done", "item": item }),
        json!({ "type": "response.completed", "response": { "id": "r", "usage": usage } }),
    ]
}

pub(crate) fn gemini() -> Client {
    Client {
        name: "gemini",
        package: "@google/gemini-cli@0.61.0",
        arguments: &["-m", "gemini-2.5-pro", "--yolo", "--skip-trust", "-p", "go on"],
        configure: |home, _| {
            let path = home.join(".gemini/settings.json");
            let held = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
            let mut settings: Value = serde_json::from_str(&held).unwrap();
            settings["security"] = json!({ "auth": { "selectedType": "gemini-api-key" } });
            settings["privacy"] = json!({ "usageStatisticsEnabled": false });
            settings["general"] = json!({ "disableAutoUpdate": true, "disableUpdateNag": true });
            std::fs::write(path, settings.to_string()).unwrap();
        },
        call: |_, command| {
            gemini_events(
                json!({ "functionCall": { "name": "run_shell_command", "args": { "command": command } } }),
            )
        },
        text: |text| gemini_events(json!({ "text": text })),
        results: |request| {
            let contents = request["contents"].as_array().into_iter().flatten();
            let parts = contents.flat_map(|content| content["parts"].as_array().into_iter().flatten());
            parts.filter_map(|part| part.get("functionResponse")).map(Value::to_string).collect()
        },
    }
}

fn gemini_events(part: Value) -> Vec<Value> {
    vec![json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
    })]
}

/// Trusts the installed hooks as a person would in Codex's `/hooks`: by the hashes that its own server tells.
pub(crate) async fn trust_in_codex(stage: &Stage) {
    let mut server =
        stage.command(&["app-server"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let ask = [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": { "name": "test", "version": "1" } } }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "hooks/list", "params": { "cwds": [stage.workspace()] } }),
    ];
    for message in ask {
        input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let listed = loop {
        let line = output.next_line().await.unwrap().expect("codex app-server ended without an answer");
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 2 {
            break message;
        }
    };
    drop(input);
    server.kill().await.unwrap();
    let hooks = listed["result"]["data"][0]["hooks"].as_array().unwrap();
    assert!(!hooks.is_empty(), "{listed}");
    let mut trusted = String::new();
    for hook in hooks {
        assert_eq!(hook["trustStatus"], "untrusted", "{hook}");
        let (key, hash) = (&hook["key"], &hook["currentHash"]);
        trusted.push_str(&format!("\n[hooks.state.{key}]\nenabled = true\ntrusted_hash = {hash}\n"));
    }
    let path = stage.home().join(".codex/config.toml");
    let config = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, config + &trusted).unwrap();
}
