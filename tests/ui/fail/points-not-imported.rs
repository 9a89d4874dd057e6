use std::path::Path;

use hookspec::hook;

#[hook(points::FILE_POST_SAVE)]
fn lint(path: &Path) {
    let _ = path;
}

fn main() {}
