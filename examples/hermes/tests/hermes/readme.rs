//! What the README shows is what its program prints.

#[path = "../../examples/callbacks.rs"]
#[allow(dead_code)]
mod callbacks;

#[tokio::test(flavor = "multi_thread")]
async fn the_run_in_the_readme_is_the_run() {
    let lines = callbacks::play(tempfile::tempdir().unwrap().path()).await.unwrap();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let shown = readme.split_once("--example callbacks\n").unwrap().1.split_once("```").unwrap().0;
    assert_eq!(lines.join("\n"), shown.trim_end());
}
