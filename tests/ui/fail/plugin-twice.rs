hookspec::plugin!();
hookspec::plugin!();

fn main() {}
