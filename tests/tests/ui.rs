//! The macros' errors as a user reads them, and what must compile.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

#[test]
fn errors_and_passes() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/fail/*.rs");
    cases.pass("ui/pass/*.rs");
}
