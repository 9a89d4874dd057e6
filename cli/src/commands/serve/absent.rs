//! `hookspec serve` in a program that was built without the server: it says which one has it.

use clap::Args;
use hookspec::registry::Plugin;

use crate::commands::CommandResult;
use crate::settings::Common;

#[derive(Debug, Args)]
#[command(about = "Serve sessions over HTTP: not in this program, which was built without `--features full`")]
pub(crate) struct Serve {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
#[error(
    "this program was built without the server; build it again with it: `cargo install --locked --path cli --features full` in a checkout, or there `cargo run --release -p hookspec-cli --features full -- serve{0}`"
)]
struct NotBuilt(String);

impl Serve {
    pub(crate) fn run(&self, _: &Common, _: &[&'static Plugin]) -> CommandResult {
        let options = self.options.iter().map(|option| format!(" {option}")).collect();
        Err(NotBuilt(options).into())
    }
}
