mod ok {
    pub mod ok_plugin {}
}

fn main() {
    let _ = hookspec::plugins![ok-plugin];
    let _ = hookspec::plugins!["ok_plugin"];
    let _ = hookspec::plugins![no_such_crate];
    let _ = hookspec::plugins![ok::no_such_module];
    let _ = hookspec::plugins![hookspec_ui_tests = 1];
}
