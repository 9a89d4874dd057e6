//! The file that says which local models there are: typed, with every fault named before anything starts.
//!
//! It is read as TOML or as YAML, by its ending; the shape is that of llm-switch's `models.yaml`, so that such a file works as
//! it is, `on` and `off` included. What the original took in silence is refused here: unknown keys, a model without `gguf`, a
//! key that is one of the tool's own words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

/// The words that the tool `switch_local_llm` keeps for itself.
pub const RESERVED: [&str; 3] = ["status", "stop", "list"];

/// The file, read and checked.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How the server is run.
    #[serde(deserialize_with = "or_default")]
    pub server: Server,
    /// The models by their keys.
    #[serde(deserialize_with = "entries")]
    pub models: BTreeMap<String, Entry>,
}

/// How the server is run, whatever the model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// A name on `PATH`, or a path. A relative one is taken from the folder of this file, as all paths are.
    pub binary: String,
    /// Where models are; `~` is home.
    pub models_dir: PathBuf,
    /// Where it listens. This machine only, unless said otherwise.
    pub host: String,
    /// On which port; 0 for any that is free.
    pub port: u16,
    /// Layers on the GPU.
    pub gpu_layers: u32,
    /// Requests at once.
    pub parallel: u32,
    /// Flash attention.
    pub flash_attention: bool,
    /// The model's own chat template, which tool calls need.
    pub jinja: bool,
    /// Further arguments, after all others.
    pub args: Vec<String>,
    /// How many seconds a start may take.
    pub start_seconds: u64,
    /// After how many seconds without use the server is stopped; 0 for never.
    pub idle_seconds: u64,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            binary: "llama-server".to_owned(),
            models_dir: PathBuf::from("~/llama-models"),
            host: "127.0.0.1".to_owned(),
            port: 8080,
            gpu_layers: 99,
            parallel: 1,
            flash_attention: true,
            jinja: true,
            args: Vec::new(),
            // The original gave up after 60 to 180 seconds, and large models on slow disks need the latter.
            start_seconds: 180,
            idle_seconds: 1800,
        }
    }
}

/// One model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Entry {
    /// Its file, in `models_dir`; an absolute path is taken as it is. Needed.
    pub gguf: String,
    /// For the person and the model; the key where there is none.
    pub description: Option<String>,
    /// The size of its context in tokens; 8192 unless said.
    pub context: Option<u32>,
    /// How the cache is stored.
    #[serde(deserialize_with = "or_default")]
    pub kv_cache: KvCache,
    /// How answers are drawn.
    #[serde(deserialize_with = "or_default")]
    pub sampling: Sampling,
    /// The name under which the server reports it; the key unless said.
    pub alias: Option<String>,
    /// The host's name for it, as `provider/name`; `ollama/KEY` and `openai/KEY` unless said.
    pub model: Option<String>,
    /// Further arguments of the server for this model.
    #[serde(deserialize_with = "or_default")]
    pub args: Vec<String>,
}

/// How the cache of keys and values is stored: `q8_0`, `q4_0` and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KvCache {
    /// Of the keys.
    pub key: Option<String>,
    /// Of the values.
    pub value: Option<String>,
}

/// How answers are drawn; the server's own values where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)] // the names are the server's
pub struct Sampling {
    pub temp: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u32>,
    pub min_p: Option<f64>,
    pub presence_penalty: Option<f64>,
    pub repeat_penalty: Option<f64>,
    pub frequency_penalty: Option<f64>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It can't be read.
    #[error("the file of local models {path} cannot be read: {why}; check its permissions")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// Neither TOML nor YAML.
    #[error("the file of local models {0} is neither .toml, .yaml nor .yml; rename it")]
    Ending(PathBuf),
    /// It can't be understood.
    #[error("the file of local models {path} cannot be understood: {why}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The fault and its place.
        why: String,
    },
    /// It says something that cannot be.
    #[error("the file of local models {path} is not valid: {why}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The fault and the remedy.
        why: String,
    },
    /// It lies where the model can write.
    #[error(
        "the file of local models {0} lies in the workspace, where the model could change which program it starts; move it out, for example to the folder of your settings"
    )]
    InWorkspace(PathBuf),
}

/// A fault of a TOML text with its place, in one line.
fn in_toml(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', ", ");
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
        None => message,
    }
}

/// `null` is the same as nothing.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(source: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(source)?.unwrap_or_default())
}

/// The same for the table of models, and for each of them: one that says nothing is found to lack its `gguf` later.
fn entries<'de, D: Deserializer<'de>>(source: D) -> Result<BTreeMap<String, Entry>, D::Error> {
    let entries: Option<BTreeMap<String, Option<Entry>>> = Option::deserialize(source)?;
    Ok(entries.unwrap_or_default().into_iter().map(|(key, entry)| (key, entry.unwrap_or_default())).collect())
}

impl Config {
    /// Reads a file's text; `path` says by its ending which language it is in.
    ///
    /// # Errors
    /// If it is in neither, can't be understood, or says something that cannot be.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let syntax =
            |why: String| ConfigError::Syntax { path: path.to_owned(), why: why.trim_end().to_owned() };
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let config: Self = match ending {
            "toml" => toml::from_str(text).map_err(|error| syntax(in_toml(text, &error)))?,
            "yaml" | "yml" => {
                // The place is told in words; a drawing of it would stand in the middle of a sentence.
                let options = serde_saphyr::options! { with_snippet: false };
                // A file that holds comments only is an empty one.
                let read: Result<Option<Self>, _> = serde_saphyr::from_str_with_options(text, options);
                read.map_err(|error| syntax(error.to_string()))?.unwrap_or_default()
            }
            _ => return Err(ConfigError::Ending(path.to_owned())),
        };
        match config.fault() {
            None => Ok(config),
            Some(why) => Err(ConfigError::Invalid { path: path.to_owned(), why }),
        }
    }

    /// The first thing that cannot be.
    fn fault(&self) -> Option<String> {
        let server = &self.server;
        if server.binary.trim().is_empty() {
            return Some("`server.binary` is empty; name the server's program".to_owned());
        }
        if server.host.is_empty() || server.host.contains(|c: char| c.is_whitespace() || c == '/') {
            return Some(format!("`server.host` is {:?}; give an address such as 127.0.0.1", server.host));
        }
        self.models.iter().find_map(|(key, entry)| entry_fault(key, entry)).or_else(|| self.twice())
    }

    /// A name that two models have in the host.
    fn twice(&self) -> Option<String> {
        let mut seen = BTreeMap::new();
        self.models.iter().find_map(|(key, entry)| {
            let other = seen.insert(entry.model.as_ref()?, key)?;
            Some(format!("`models.{other}` and `models.{key}` have the same `model`; give each its own"))
        })
    }

    /// The key of the local model that the host calls `model`.
    #[must_use]
    pub fn key_of(&self, model: &str) -> Option<&str> {
        let said = self.models.iter().find(|(_, entry)| entry.model.as_deref() == Some(model));
        let by_key = || {
            let key = model.strip_prefix("ollama/").or_else(|| model.strip_prefix("openai/"))?;
            self.models.get_key_value(key).filter(|(_, entry)| entry.model.is_none())
        };
        said.or_else(by_key).map(|(key, _)| key.as_str())
    }
}

impl Entry {
    /// What the host calls it.
    #[must_use]
    pub fn spec(&self, key: &str) -> String {
        self.model.clone().unwrap_or_else(|| format!("ollama/{key}"))
    }

    /// What it is, in words.
    #[must_use]
    pub fn words<'a>(&'a self, key: &'a str) -> &'a str {
        self.description.as_deref().unwrap_or(key)
    }

    /// The size of its context.
    #[must_use]
    pub fn context(&self) -> u32 {
        self.context.unwrap_or(8192)
    }
}

fn entry_fault(key: &str, entry: &Entry) -> Option<String> {
    if RESERVED.contains(&key) {
        return Some(format!(
            "a model is called `{key}`, which is a word of the tool's own; choose another key"
        ));
    }
    if key.is_empty() || key.starts_with('-') || key.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some(format!("{key:?} cannot be a model's key; use a word without spaces"));
    }
    if entry.gguf.trim().is_empty() {
        return Some(format!("`models.{key}` does not say which file it is; add `gguf`"));
    }
    if entry.context == Some(0) {
        return Some(format!("`models.{key}.context` is 0; give the number of tokens, or leave it out"));
    }
    if entry.alias.as_deref().is_some_and(|alias| alias.trim().is_empty()) {
        return Some(format!("`models.{key}.alias` is empty; give a name, or leave it out"));
    }
    entry.sampling.numbers().into_iter().find(|(_, number)| !number.is_finite()).map(|(flag, _)| {
        format!(
            "`models.{key}.sampling` has a value for `{flag}` that is no number; give one, or leave it out"
        )
    })
}

impl Sampling {
    /// The server's flags and their values, `top_k` aside.
    pub(crate) fn numbers(&self) -> Vec<(&'static str, f64)> {
        [
            ("--temp", self.temp),
            ("--top-p", self.top_p),
            ("--min-p", self.min_p),
            ("--presence-penalty", self.presence_penalty),
            ("--repeat-penalty", self.repeat_penalty),
            ("--frequency-penalty", self.frequency_penalty),
        ]
        .into_iter()
        .filter_map(|(flag, number)| Some((flag, number?)))
        .collect()
    }
}
