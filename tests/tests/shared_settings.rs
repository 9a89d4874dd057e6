//! Settings belong to a group and a type: two groups may take one type, and one group two types.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use hookspec::points::{STEP_POST, STEP_PRE};
use hookspec::{Config, Hooks, Message, Registry, Session, fire_now, hook};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Style {
    width: u32,
    enabled: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 80, enabled: true }
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Words {
    greeting: String,
}

#[hook(STEP_POST, name = "rust.style", aliases = ["rs"])]
fn rust(settings: &Style) -> Message {
    Message::system(format!("rust {}", settings.width))
}

#[hook(STEP_POST, name = "go.style")]
async fn go(settings: &Style) -> Message {
    Message::system(format!("go {}", settings.width))
}

#[hook(STEP_POST, name = "go.words")]
fn words(settings: &Words) -> Message {
    Message::system(format!("words {}", settings.greeting))
}

/// In no group but its module's.
#[hook(STEP_PRE)]
fn in_a_module(settings: &Style) -> Message {
    Message::system(format!("module {}", settings.width))
}

fn built(text: &str) -> Result<Registry, hookspec::registry::BuildError> {
    let mut config = Config::new();
    config.add_toml("f.toml", text, &[]).unwrap();
    Registry::builder().config(config).build()
}

fn said(text: &str) -> Vec<String> {
    let session = Session::builder(&Hooks::new(built(text).unwrap()), "s").build();
    let fired = fire_now!(session, STEP_POST { step: 0, tool_calls: 0, usage: None });
    assert!(fired.failures().is_empty(), "{fired:?}");
    fired.messages().iter().map(|message| message.content.clone()).collect()
}

#[test]
fn two_groups_have_their_own_table_of_one_type() {
    assert_eq!(said(""), ["go 80", "words ", "rust 80"]);
    assert_eq!(said("[hooks.rust]\nwidth = 100"), ["go 80", "words ", "rust 100"]);
    assert_eq!(said("[hooks.rs]\nwidth = 99\n[hooks.go]\nwidth = 70"), ["go 70", "words ", "rust 99"]);
    assert_eq!(said("[hooks.rust]\nenabled = false"), ["go 80", "words "], "the one group's only");
    let session =
        Session::builder(&Hooks::new(built("[hooks.shared_settings]\nwidth = 3").unwrap()), "s").build();
    let fired = fire_now!(session, STEP_PRE { step: 0 });
    assert_eq!(fired.messages()[0].content, "module 3");
    assert_eq!(session.settings::<Style>().width, 80, "by hand: the first group that has some, `go`");
    assert_eq!(session.settings::<Unknown>().0, 0, "of nobody: the defaults");
}

#[derive(Default, Serialize, Deserialize)]
struct Unknown(u32);

#[test]
fn two_types_read_one_table_and_a_key_is_known_to_one_of_them() {
    let text = "[hooks.go]\nwidth = 70\ngreeting = 'hello'";
    assert_eq!(said(text), ["go 70", "words hello", "rust 80"]);
    let registry = built(text).unwrap();
    let shown: Vec<_> = registry.settings_of("go").unwrap().iter().map(|row| row.key.as_str()).collect();
    assert_eq!(shown, ["enabled", "greeting", "width"], "each key once");
    let error = built("[hooks.go]\ngreting = 'hello'").unwrap_err();
    let text = error.to_string();
    assert_eq!(error.problems.len(), 1, "{text}");
    assert!(
        text.contains("unknown key `greting` (did you mean `greeting`?)") && text.contains("it takes"),
        "{text}"
    );
    let error = built("[hooks.go]\nwidth = 'wide'\n[hooks.rust]\nwidht = 1").unwrap_err();
    assert_eq!(error.problems.len(), 2, "each group's own: {error}");
    // It is no switch of the hooks that do not take it.
    assert_eq!(said("[hooks.go]\nenabled = false"), ["words ", "rust 80"]);
}
