//! `hookspec`, with the hooks of `{name}` in it.

fn main() -> std::process::ExitCode {
    hookspec_cli::main(hookspec::plugins![{krate}])
}
