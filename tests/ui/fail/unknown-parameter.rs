use std::path::Path;

use hookspec::{hook, points::FILE_POST_SAVE};

#[hook(FILE_POST_SAVE)]
fn lint(pth: &Path) {
    let _ = pth;
}

fn main() {}
