//! The program as its README shows it.

use std::process::Command;

#[test]
fn it_says_what_its_readme_says() -> std::io::Result<()> {
    let output = Command::new(env!("CARGO_BIN_EXE_hookspec-example-three-points")).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let readme = include_str!("../README.md");
    assert!(output.status.success() && !said.is_empty());
    assert!(readme.contains(&format!("```text\n{said}```")), "{said}");
    assert!(include_str!("../src/main.rs").lines().count() < 60);
    Ok(())
}
