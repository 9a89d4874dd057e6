fn main() {
    let _ = hookspec::plugins![hookspec_ui_tests, serde];
}
