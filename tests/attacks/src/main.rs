//! The program `hookspec` as it is, with session-buddy and the probe in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookspec_cli::main(hookspec::plugins![hookspec_session_buddy, hookspec_attacks])
}
