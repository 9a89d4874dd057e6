//! The program `hookspec` with the guard's hooks in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookspec_cli::main(hookspec::plugins![guard])
}
