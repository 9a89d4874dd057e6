use hookspec::{hook, points::FILE_POST_SAVE};

#[hook(FILE_POST_SAVE)]
fn lint(content: &[u8], created: bool) {
    let _ = (content, created);
}

fn main() {}
