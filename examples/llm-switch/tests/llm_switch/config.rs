//! The file of local models: edge case 13 of the original, in which most of this was taken in silence or a crash.

use std::path::Path;

use hookspec_llm_switch::{Config, Server};

fn yaml(text: &str) -> Result<Config, String> {
    Config::parse(Path::new("models.yaml"), text).map_err(|error| error.to_string())
}

fn toml(text: &str) -> Result<Config, String> {
    Config::parse(Path::new("models.toml"), text).map_err(|error| error.to_string())
}

const ORIGINAL: &str = "
server:
  binary: llama-server
  models_dir: ~/llama-models
  host: 0.0.0.0
  port: 8080
  gpu_layers: 99
  parallel: 1
  flash_attention: on
  jinja: yes
models:
  write:
    gguf: Qwen3-30B-Q6_K.gguf
    description: Creative writing
    context: 49152
    kv_cache: { key: q8_0, value: q4_0 }
    sampling: { temp: 0.7, top_p: 0.8, top_k: 20, presence_penalty: 1.5 }
  code:
    gguf: coder.gguf
    alias: Qwen3-Coder
";

#[test]
fn edge_13_a_file_of_the_original_works_as_it_is_and_says_the_same_in_toml() {
    let config = yaml(ORIGINAL).unwrap();
    assert!(config.server.flash_attention && config.server.jinja);
    assert_eq!(config.server.host, "0.0.0.0", "who says so gets it");
    assert_eq!(config.models["write"].sampling.top_k, Some(20));
    let same = toml(
        "server = { host = '0.0.0.0' }
        [models.write]
        gguf = 'Qwen3-30B-Q6_K.gguf'
        description = 'Creative writing'
        context = 49152
        kv_cache = { key = 'q8_0', value = 'q4_0' }
        sampling = { temp = 0.7, top_p = 0.8, top_k = 20, presence_penalty = 1.5 }
        [models.code]
        gguf = 'coder.gguf'
        alias = 'Qwen3-Coder'",
    );
    assert_eq!(config, same.unwrap());
}

#[test]
fn edge_13_off_is_off_and_nothing_is_the_default() {
    let config = yaml("server: { flash_attention: off, jinja: no }").unwrap();
    assert!(!config.server.flash_attention && !config.server.jinja);
    for nothing in ["", "# only a remark\n", "server:\nmodels:\n", "server: null\nmodels: ~\n", "{}"] {
        let config = yaml(nothing).unwrap_or_else(|error| panic!("{nothing:?}: {error}"));
        assert_eq!((config.server, config.models.len()), (Server::default(), 0), "{nothing:?}");
    }
    let config = yaml("models: { write: { gguf: w, sampling: , kv_cache: ~, args: ~ } }").unwrap();
    assert_eq!(config.models["write"].context(), 8192);
    assert_eq!(Server::default().host, "127.0.0.1");
}

#[test]
fn edge_13_every_fault_is_told_with_its_place_and_remedy() {
    for (text, told) in [
        ("models: { write: }", &["`models.write`", "add `gguf`"][..]),
        ("models: { write: ~ }", &["`models.write`", "add `gguf`"]),
        ("models: { write: { context: 1 } }", &["`models.write`", "add `gguf`"]),
        ("models: { status: { gguf: x } }", &["`status`", "choose another key"]),
        ("models: { list: { gguf: x } }", &["`list`", "choose another key"]),
        ("models: { 'two words': { gguf: x } }", &["\"two words\"", "without spaces"]),
        ("models: { write: { gguf: x, context: 0 } }", &["`models.write.context` is 0"]),
        ("models: { write: { gguf: x, alias: '' } }", &["`models.write.alias` is empty"]),
        ("models: { write: { gguf: x, sampling: { temp: .nan } } }", &["--temp"]),
        ("models: { a: { gguf: x, model: m/n }, b: { gguf: x, model: m/n } }", &["`models.a`", "`models.b`"]),
        ("models: { write: { gguff: x } }", &["gguff", "models.yaml"]),
        ("models: { write: { gguf: x, sampling: { temperature: 1 } } }", &["temperature"]),
        ("server: { prot: 1 }", &["prot"]),
        ("server: { port: 99999 }", &["line 1", "column 17"]),
        ("server: { port: -1 }", &["models.yaml"]),
        ("server: { host: 'a b' }", &["`server.host`", "127.0.0.1"]),
        ("server: { binary: '' }", &["`server.binary` is empty"]),
        ("server: { flash_attention: maybe }", &["models.yaml"]),
        ("srever: {}", &["srever"]),
        ("models: { write: { gguf: x }, write: { gguf: y } }", &["write"]),
        ("- write", &["models.yaml"]),
        ("models: {", &["models.yaml"]),
    ] {
        let error = yaml(text).expect_err(text);
        assert!(!error.contains('\n'), "one sentence: {error}");
        for part in told {
            assert!(error.contains(part), "{text}: {error}");
        }
    }
    let error = toml("[models.write]\ngguf = 'x'\ntemp = 1").unwrap_err();
    assert!(error.contains("temp") && error.contains("line 3"), "{error}");
    let error = Config::parse(Path::new("models.json"), "{}").unwrap_err().to_string();
    assert!(error.contains("models.json") && error.contains("rename it"), "{error}");
}

#[test]
fn a_local_model_is_known_by_the_hosts_names_for_it() {
    let config =
        toml("models = { write = { gguf = 'x' }, tour = { gguf = 'y', model = 'replay:tour.jsonl' } }")
            .unwrap();
    for (model, key) in [
        ("ollama/write", Some("write")),
        ("openai/write", Some("write")),
        ("replay:tour.jsonl", Some("tour")),
        ("ollama/tour", None),
        ("anthropic/write", None),
        ("write", None),
        ("ollama/writer", None),
        ("", None),
    ] {
        assert_eq!(config.key_of(model), key, "{model}");
    }
}
