//! What the program prints.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::process::Command;

#[test]
fn the_point_is_listed_fired_and_described() {
    let output = Command::new(env!("CARGO_BIN_EXE_hookspec-example-minimal-host")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("hookspec_example_minimal_host.not_too_hot listens at bake.pre"), "{text}");
    assert!(text.contains("bread: into the oven\n"), "{text}");
    assert!(
        text.contains("cake: no, says hookspec_example_minimal_host.not_too_hot: cake would burn at 300 °C")
    );
    assert!(text.contains("\"degrees\"") && text.contains("\"format\": \"uint32\""), "{text}");
}
