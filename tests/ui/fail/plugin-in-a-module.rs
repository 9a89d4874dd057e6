mod hooks {
    hookspec::plugin!();
}

fn main() {
    let _ = &hooks::HOOKSPEC_PLUGIN;
}
