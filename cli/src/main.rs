//! The program `hookspec`: the built-in hooks, and an example plugin that the tour shows.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookspec_cli::main(hookspec::plugins![linter])
}
