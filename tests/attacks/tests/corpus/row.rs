//! The rows as they are written in `rows/`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A file of rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// The file's name without its ending.
    #[serde(skip)]
    pub id: String,
    /// What is tried, for the table.
    pub title: String,
    /// What each row has unless it says otherwise.
    #[serde(default)]
    pub defaults: Row,
    /// Commands of the model, each a row of its own.
    #[serde(default)]
    commands: Vec<String>,
    /// Commands that must just work.
    #[serde(default)]
    honest: Vec<String>,
    /// The rows.
    #[serde(default)]
    pub row: Vec<Row>,
    /// Rows, by name, that are known not to hold, and why.
    #[serde(default)]
    not_held: BTreeMap<String, String>,
}

/// An attack, or an honest neighbour of one. Texts may hold `{secret}` (in the workspace's `.env`), `{home_secret}` (in files of the home),
/// `{variable_secret}` (in variables of the environment), `{workspace}`, `{home}`, `{outside}`, `{server}`
/// and `{mark}`, which no other row has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Row {
    pub name: String,
    /// What may come of it, `|` between several.
    pub expect: String,
    /// A shell call of the model.
    pub shell: Option<String>,
    /// Calls of the model, one a reply.
    pub calls: Vec<Map<String, Value>>,
    /// An answer of the model as text, with calls in fences.
    pub reply: Option<String>,
    /// The model's answers, as a replay script has them.
    pub says: Option<Value>,
    /// What the user says.
    pub prompt: Option<String>,
    /// Run by the user beforehand, in the workspace.
    pub setup: Option<String>,
    /// Files of the workspace.
    pub files: BTreeMap<String, String>,
    /// The user's `hookspec.toml`.
    pub config: Option<String>,
    /// Options of `hookspec chat`.
    pub args: Option<Vec<String>>,
    /// In place of `chat`.
    pub run: Option<Vec<String>>,
    /// In its place too, for the shell: `hookspec` is the program, `$(first)` the oldest snapshot.
    pub script: Option<String>,
    /// So often the model says all of it, with `{n}` in it counted up and `{spaces}` longer each time.
    pub times: Option<usize>,
    /// For the program's standard input.
    pub stdin: Option<String>,
    pub env: BTreeMap<String, String>,
    /// What the user answers to a gate.
    pub gates: Option<bool>,
    /// Whether a tool's own question, as before each call, counts as one.
    pub policy: Option<bool>,
    /// What is let through is not run.
    pub dry: Option<bool>,
    /// The secret's form: `ghp_[36]` has 36 random letters and digits behind `ghp_`.
    pub secret: Option<String>,
    /// A condition for the shell: the attack did what it was for.
    pub harm: Option<String>,
    /// A condition for the shell: the work was done.
    pub works: Option<String>,
    /// Patterns that what the model was sent must fit, in the last request.
    pub shows: Vec<String>,
    /// Patterns that it must not fit.
    pub hides: Vec<String>,
    /// What the program is told next, in the same place or in the folder `in`.
    pub then: Vec<Row>,
    /// The workspace, beside the first one.
    pub r#in: Option<String>,
    /// Why it is known not to hold; by `[not_held]` of the file.
    #[serde(skip)]
    pub not_held: Option<String>,
    /// Why it cannot be tried with the guards off.
    pub not_bare: Option<String>,
}

impl Row {
    fn or(mut self, defaults: &Self) -> Self {
        if self.expect.is_empty() {
            self.expect.clone_from(&defaults.expect);
        }
        let fill = |own: &mut Option<String>, other: &Option<String>| {
            if own.is_none() {
                own.clone_from(other);
            }
        };
        fill(&mut self.prompt, &defaults.prompt);
        fill(&mut self.config, &defaults.config);
        fill(&mut self.secret, &defaults.secret);
        if self.expect != "allow" {
            fill(&mut self.harm, &defaults.harm);
        }
        fill(&mut self.shell, &defaults.shell);
        fill(&mut self.not_bare, &defaults.not_bare);
        self.setup = match (&defaults.setup, self.setup) {
            (Some(first), Some(then)) => Some(format!("{first}\n{then}")),
            (first, then) => then.or_else(|| first.clone()),
        };
        self.args = self.args.or_else(|| defaults.args.clone());
        self.gates = self.gates.or(defaults.gates);
        self.dry = self.dry.or(defaults.dry);
        self.policy = self.policy.or(defaults.policy);
        for (name, text) in &defaults.files {
            self.files.entry(name.clone()).or_insert_with(|| text.clone());
        }
        for (name, text) in &defaults.env {
            self.env.entry(name.clone()).or_insert_with(|| text.clone());
        }
        if self.shows.is_empty() {
            self.shows.clone_from(&defaults.shows);
        }
        if self.hides.is_empty() {
            self.hides.clone_from(&defaults.hides);
        }
        if self.calls.is_empty() && self.reply.is_none() && self.shell == defaults.shell {
            self.calls.clone_from(&defaults.calls);
        }
        self
    }

    /// What the model answers, one after the other.
    pub fn replies(&self) -> Vec<Value> {
        let call = |tool: &str, kwargs: Map<String, Value>| json!({ "text": "", "tool_calls": [{ "tool": tool, "kwargs": kwargs }] });
        if let Some(Value::Array(says)) = &self.says {
            return says.clone();
        }
        let mut replies = Vec::new();
        if !self.calls.is_empty() {
            for kwargs in &self.calls {
                let mut kwargs = kwargs.clone();
                let tool = kwargs.remove("tool");
                let tool = tool.as_ref().and_then(Value::as_str).unwrap_or("shell").to_owned();
                replies.push(call(&tool, kwargs));
            }
        } else if let Some(text) = &self.reply {
            replies.push(json!({ "text": text }));
        } else if let Some(command) = &self.shell {
            replies.push(call("shell", [("command".to_owned(), json!(command))].into_iter().collect()));
        }
        let once = json!(replies).to_string();
        (0..self.times.unwrap_or(1))
            .flat_map(|n| {
                let text = once.replace("{n}", &(n + 1).to_string()).replace("{spaces}", &" ".repeat(n));
                serde_json::from_str::<Vec<Value>>(&text).unwrap()
            })
            .collect()
    }

    /// Whether it may be played together with others like it, since nothing is run and nothing kept.
    pub fn is_light(&self) -> bool {
        self.dry == Some(true)
            && self.shell.is_some()
            && self.calls.is_empty()
            && self.reply.is_none()
            && self.setup.is_none()
            && self.files.is_empty()
            && self.then.is_empty()
            && self.run.is_none()
            && self.prompt.is_none()
    }

    /// What rows that are played together have in common.
    pub fn common(&self) -> String {
        format!("{:?} {:?} {:?} {:?}", self.config, self.args, self.env, self.gates)
    }

    pub fn expects(&self, verdict: &str) -> bool {
        self.expect.split('|').any(|expected| expected == verdict)
    }
}

/// All kinds, in the order of their files' names.
pub fn kinds() -> Vec<Kind> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rows");
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let mut kind: Kind =
                toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            kind.id = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let of_command = |expect: &'static str| {
                move |command: String| Row {
                    name: command.clone(),
                    expect: expect.to_owned(),
                    shell: Some(command),
                    ..Row::default()
                }
            };
            let commands = std::mem::take(&mut kind.commands).into_iter().map(of_command(""));
            let honest = std::mem::take(&mut kind.honest).into_iter().map(of_command("allow"));
            let rows = std::mem::take(&mut kind.row).into_iter();
            kind.row = commands.chain(rows).chain(honest).map(|row| row.or(&kind.defaults)).collect();
            for (name, why) in std::mem::take(&mut kind.not_held) {
                let row = kind.row.iter_mut().find(|row| row.name == name);
                row.unwrap_or_else(|| panic!("{} has no row `{name}`", kind.id)).not_held = Some(why);
            }
            kind
        })
        .collect()
}

/// The commands of ordinary work. They are not run.
pub fn ordinary() -> Vec<Row> {
    #[derive(Deserialize)]
    struct Ordinary {
        commands: Vec<String>,
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ordinary/commands.toml");
    let ordinary: Ordinary = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let row = |command: String| Row {
        name: command.clone(),
        expect: "allow".to_owned(),
        shell: Some(command),
        dry: Some(true),
        ..Row::default()
    };
    ordinary.commands.into_iter().map(row).collect()
}
