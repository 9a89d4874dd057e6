use hookspec::{hook, points::FILE_POST_SAVE};

#[hook(FILE_POST_SAVE)]
fn generic<T>() {}

#[hook(FILE_POST_SAVE)]
fn implied(content: impl AsRef<str>) {
    let _ = content;
}

#[hook(FILE_POST_SAVE)]
fn nameless(_: &str) {}

#[hook(FILE_POST_SAVE)]
unsafe fn dangerous() {}

#[hook(FILE_POST_SAVE)]
struct NoFunction;

fn main() {}
