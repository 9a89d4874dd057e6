fn main() {
    let _ = hookspec::plugins![hookspec_tests];
}
