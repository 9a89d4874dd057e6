//! `tool = "…"`: on with its tool, off without it, and refused where the name is nearly one of this program's.

use hookspec::points::TURN_PRE;
use hookspec::registry::RegistryBuilder;
use hookspec::{Hook, Message, Options, Registry, tool};

/// Keeps a note.
#[tool(name = "remember")]
fn remember() -> String {
    String::new()
}

fn with_hook_of(tool: &'static str) -> RegistryBuilder {
    let hook = Hook::new(TURN_PRE, "test.note", |_, _| Message::system("noted"));
    Registry::builder().register(hook.options(Options { tool: Some(tool), ..Options::DEFAULT }))
}

#[test]
fn a_hook_is_on_with_its_tool_and_off_without() {
    let on = with_hook_of("remember").build().expect("the tool is there");
    assert!(on.list()[0].on, "{:?}", on.list());
    let off = with_hook_of("remember").disable(["tool.remember"]).build().expect("a tool may be left out");
    assert_eq!(off.list()[0].why, "its tool `remember` is off");
}

#[test]
fn a_tool_of_another_program_leaves_its_hook_off() {
    let registry = with_hook_of("paint").build().expect("not every program has every tool");
    assert_eq!(registry.list()[0].why, "its tool `paint` is not in this program");
}

#[test]
fn a_misspelt_tool_is_refused_with_the_nearest() {
    let error = with_hook_of("remeber").build().expect_err("no such tool").to_string();
    for part in ["`test.note`", "hooks_of_tools.rs:", "`tool = \"remeber\"`", "`remember`"] {
        assert!(error.contains(part), "{part} in {error}");
    }
}
