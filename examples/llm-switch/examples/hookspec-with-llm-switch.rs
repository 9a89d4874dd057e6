//! The program `hookspec` with this plugin in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookspec_cli::main(hookspec::plugins![hookspec_llm_switch])
}
