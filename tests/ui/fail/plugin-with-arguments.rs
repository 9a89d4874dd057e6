hookspec::plugin!(anything);

fn main() {}
