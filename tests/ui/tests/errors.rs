//! The macros' errors as a plugin author reads them: one a mistake, on the author's own words, with the remedy.
//!
//! `TRYBUILD=overwrite cargo test -p hookspec-ui-tests --test errors` writes the texts anew; read each as its reader would.

#[test]
fn errors_are_told_as_expected() {
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
