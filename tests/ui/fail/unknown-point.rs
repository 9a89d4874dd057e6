use hookspec::{hook, points::FILE_POST_SAV};

#[hook(FILE_POST_SAV)]
fn lint() {}

fn main() {}
