//! Other names of hooks: in every list, in priorities and in tables of settings.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use hookspec::points::{STEP_POST, STEP_PRE};
use hookspec::registry::Problem;
use hookspec::{Config, Hook, Hooks, Message, Options, Registry, Session, fire_now, hook};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Words {
    greeting: String,
    more: String,
}

#[hook(STEP_PRE, name = "present.greet", aliases = ["former", "elsewhere.hello", "occupied"])]
fn greet(settings: &Words) -> Message {
    Message::system(format!("{}{}", settings.greeting, settings.more))
}

#[hook(STEP_POST, name = "present.rest")]
fn rest() {}

#[hook(STEP_POST, name = "occupied.rest")]
fn other() {}

fn config(files: &[&str]) -> Config {
    let mut config = Config::new();
    for (index, text) in files.iter().enumerate() {
        config.add_toml(&format!("{index}.toml"), text, &[]).unwrap();
    }
    config
}

fn on(registry: &Registry) -> Vec<String> {
    let rows = registry.list().into_iter().filter(|row| row.on);
    let ours = ["present.", "occupied."];
    rows.map(|row| row.info.name.clone())
        .filter(|name| ours.iter().any(|group| name.starts_with(group)))
        .collect()
}

#[test]
fn every_list_takes_every_name() {
    for name in ["present.greet", "former", "former.greet", "elsewhere", "elsewhere.hello", "form*"] {
        let registry = Registry::builder().allow([name]).build().unwrap();
        assert_eq!(on(&registry), ["present.greet"], "{name}");
        let registry = Registry::builder().disable([name]).build().unwrap();
        assert_eq!(on(&registry), ["occupied.rest", "present.rest"], "{name}");
        if !name.contains('*') {
            let text = format!("[hooks]\npriority = {{ \"{name}\" = 9 }}");
            let registry = Registry::builder().config(config(&[&text])).build().unwrap();
            assert_eq!(registry.hook("former.greet").unwrap().priority, 9, "{name}");
        }
    }
    let mut capitals = Config::new();
    capitals.add_env([("HOOKSPEC_PRIORITY_ELSEWHERE_HELLO".to_owned(), "8".to_owned())]).unwrap();
    let registry = Registry::builder().config(capitals).build().unwrap();
    assert_eq!(registry.hook("present.greet").unwrap().priority, 8);
    assert!(Registry::builder().allow(["former.rest"]).build().is_err(), "only the hook that says so has it");
}

#[test]
fn a_name_that_another_group_has_is_that_groups() {
    let registry = Registry::builder().disable(["occupied"]).build().unwrap();
    assert_eq!(on(&registry), ["present.rest", "present.greet"]);
    assert!(
        registry.hook("present.greet").unwrap().aliases.iter().all(|alias| !alias.starts_with("occupied"))
    );
    // A hook that is registered by hand has its name too, whoever came first.
    let by_hand = Hook::new(STEP_POST, "former.one", |_, _| ());
    let registry = Registry::builder().register(by_hand).disable(["former"]).build().unwrap();
    assert!(registry.hook("present.greet").is_some() && registry.hook("former.one").is_none());
}

#[test]
fn a_hook_that_is_registered_by_hand_may_have_some() {
    let options = Options { aliases: &["nick"], ..Options::DEFAULT };
    let make = || Registry::builder().register(Hook::new(STEP_POST, "hand.one", |_, _| ()).options(options));
    assert!(make().disable(["nick"]).build().unwrap().hook("hand.one").is_none());
    let hooks = Hooks::new(make().build().unwrap());
    hooks.disable("nick.one").unwrap();
    assert!(hooks.list().iter().any(|row| row.info.name == "hand.one" && !row.on));
}

#[test]
fn settings_are_one_table_under_all_names_and_the_last_source_counts() {
    let said = |files: &[&str]| {
        let registry = Registry::builder().config(config(files)).allow(["present"]).build().unwrap();
        let session = Session::builder(&Hooks::new(registry), "s").build();
        let fired = fire_now!(session, STEP_PRE { step: 0 });
        fired.messages()[0].content.clone()
    };
    assert_eq!(said(&["[hooks.former]\ngreeting = 'a'"]), "a");
    assert_eq!(said(&["[hooks.former]\ngreeting = 'a'", "[hooks.present]\nmore = 'b'"]), "ab");
    assert_eq!(said(&["[hooks.present]\ngreeting = 'a'", "[hooks.elsewhere]\ngreeting = 'c'"]), "c");
    assert_eq!(said(&["[hooks.former]\ngreeting = 'a'", "[hooks.present]\ngreeting = 'c'"]), "c");

    let both = config(&["[hooks.present]\nmore = 'a'\n[hooks.former]\nmore = 'b'"]);
    let error = Registry::builder().config(both).build().unwrap_err();
    let [Problem::BadSettings { why, .. }] = &*error.problems else { panic!("{error}") };
    assert!(why.contains("`[hooks.former]` is the same table, and says `more` too"), "{why}");
    let typo = config(&["[hooks.former]\ngreting = 'a'"]);
    let error = Registry::builder().config(typo).build().unwrap_err().to_string();
    assert!(error.contains("did you mean `greeting`"), "{error}");
    let unknown = config(&["[hooks.formr]\ngreeting = 'a'"]);
    assert!(Registry::builder().config(unknown).build().is_err());
}

#[test]
fn one_hook_may_stand_in_a_list_twice_or_in_two_lists() {
    let names = ["present", "present.greet", "former", "present", "tool.*", "tool.read"];
    Registry::builder().plugins(hookspec::plugins![hookspec_agent]).allow(names).build().unwrap();
    let twice = config(&[
        "[hooks]\ndisable = ['former', 'tool.read']",
        "[hooks]\ndisable = ['present.greet', 'tool.read']",
    ]);
    Registry::builder().config(twice.clone()).disable(["former"]).build().unwrap();
    let registry = Registry::builder().config(twice.clone()).disable(["formr"]).build().unwrap();
    assert!(
        matches!(&*registry.report().warnings, [Problem::NothingToDisable { nearest, .. }] if nearest.contains("former")),
        "{:?}",
        registry.report()
    );
    let error = Registry::builder().config(twice).allow(["formr"]).build().unwrap_err();
    assert_eq!(error.problems.len(), 1, "{error}");
}
