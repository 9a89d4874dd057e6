//! The tables of options in docs/writing-a-hook.md have the options that the macros know, which the errors in `fail/` list.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on has failed

const PAGE: &str = include_str!("../../../docs/writing-a-hook.md");

/// The options that an error lists.
fn known(error: &str, of: &str) -> Vec<String> {
    let (_, after) = error.split_once(&format!("for `{of}`")).expect("an unknown option in this test case");
    let (_, list) = after.split_once("the options are ").expect("the list");
    let line = list.lines().next().unwrap();
    sorted(line.split('`').skip(1).step_by(2))
}

/// The options in the rows of a section's table: the first word of each row.
fn in_table(heading: &str) -> Vec<String> {
    let (_, section) = PAGE.split_once(&format!("\n## {heading}\n")).expect("the section");
    let section = section.split("\n## ").next().unwrap();
    let (_, table) = section.split_once("| option | meaning |").expect("the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    sorted(rows.map(|row| row.trim_start_matches("| `").split(['`', ' ']).next().unwrap()))
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn each_option_of_a_hook_has_a_row_and_each_row_is_an_option() {
    let known = known(include_str!("../fail/options.stderr"), "#[hook]");
    assert!(known.len() > 10, "{known:?}");
    assert_eq!(in_table("Options"), known);
}

#[test]
fn each_option_of_a_tool_has_a_row_and_each_row_is_an_option() {
    let known = known(include_str!("../fail/tools.stderr"), "#[tool]");
    assert!(known.len() > 4, "{known:?}");
    assert_eq!(in_table("A tool"), known);
}
