//! The program `hookspec` with three plugins and the house rule in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookspec_cli::main(hookspec::plugins![
        hookspec_hermes,
        hookspec_llm_switch,
        hookspec_session_buddy,
        workshop
    ])
}
