use hookspec::hook;

#[hook(FILE_POST_SAVE)]
fn lint() {}

fn main() {}
