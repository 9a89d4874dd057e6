use std::path::Path;

use hookspec::{hook, points::FILE_POST_SAVE};

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Borrowed<'a> {
    text: &'a str,
}

#[hook(FILE_POST_SAVE)]
fn forever(path: &'static Path) {
    let _ = path;
}

#[hook(FILE_POST_SAVE)]
fn state_that_borrows(state: &mut Borrowed<'_>) {
    let _ = state.text;
}

#[hook(FILE_POST_SAVE)]
fn state_of_a_lifetime<'a>(state: &mut Borrowed<'a>) {
    let _ = state.text;
}

fn main() {}
