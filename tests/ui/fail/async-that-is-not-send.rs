use std::rc::Rc;

use hookspec::{hook, points::FILE_POST_SAVE, tool};

#[hook(FILE_POST_SAVE)]
async fn keeps(content: &str) {
    let kept = Rc::new(content.to_owned());
    std::future::ready(()).await;
    drop(kept);
}

/// Keeps one too.
#[tool]
async fn keeping() -> String {
    let kept = Rc::new(String::new());
    std::future::ready(()).await;
    kept.to_string()
}

fn main() {}
