//! The macros of hookspec. Use them through the `hookspec` package, which re-exports them.
//!
//! Each follows the same path: parse the user's tokens into a typed view, check the rules and collect every
//! error, expand; and if there was an error, still emit the user's function, so that one mistake is one
//! error and not twenty.

mod core_path;
mod core_points;
mod data;
mod durations;
mod errors;
mod essays;
mod gathered;
#[cfg(test)]
mod golden;
mod hook;
mod imports;
mod names;
mod nearest;
mod options;
mod plugins;
mod point;
mod refusals;
mod signature;
mod tool;
mod ungroup;
mod written;

use proc_macro::TokenStream;

/// Makes a function a hook.
///
/// `#[hook(POINT, option = value, flag, …)]`. Parameters bind by name to the fields of the point's event,
/// any subset in any order; beside them `session: &Session`, `state: &mut T` (the hook's own state in this
/// session), `settings: &T` (its table in `hookspec.toml`; while a key `enabled` of it is false the hook is off) and
/// `event` (all of it). A leading underscore does not count. What may be returned follows from the point's
/// verdict.
///
/// | option | meaning |
/// |---|---|
/// | `priority = 5` | higher runs first; 0 unless said; a constant or a `const fn` may stand there too |
/// | `name = "group.name"` | in place of `module.function` |
/// | `aliases = ["group", "group.name"]` | other names that lists, priorities and settings may call it by |
/// | `enabled = false` | off unless an allowlist names it, its group or its package; `*` does not |
/// | `modes = [cli, server]` | only for these hosts: cli, server, bridge, embedded, interactive, no_confirm |
/// | `once` | at most once a session |
/// | `background` | beside the chain, from a bounded queue, on a copy of the event |
/// | `blocking` | on a pool thread that may block |
/// | `timeout = "30s"` | cuts off an `async fn`, a `blocking` or `background` hook; `"never"` |
/// | `budget = "100ms"` | a warning names the hook when it takes longer; 5 s unless said |
/// | `on_error = path` | `fn(&Failure, &Session)`, called with each failure |
/// | `quarantine = 3` | switched off after so many failures |
/// | `fail_open` | a failure of this gate lets things pass instead of denying them |
/// | `tool = "name"` | selected exactly when that tool is |
/// | `confirmation` | the host's way to ask the user: chosen by mode, not by allowlists |
#[proc_macro_attribute]
pub fn hook(options: TokenStream, item: TokenStream) -> TokenStream {
    hook::expand(options.into(), item.into()).into()
}

/// Makes a function a tool that a model may call.
///
/// `#[tool(name = "save", args = [path], content = content, confirm)]` on
/// `async fn save(args: SaveArgs, session: &Session) -> Result<String, ToolError>` (plain `fn` works as
/// well). The argument struct derives `serde::Deserialize` and `schemars::JsonSchema`; the function's
/// documentation is what the model reads. `args` and `content` name the struct's fields that the words and
/// the block of a fenced call fill; `confirm` asks the user before each call; `preview = path` is a
/// `fn(&ToolUse, &Session) -> Option<String>` that says what to show then; `enabled = false` leaves the tool
/// out unless an allowlist names `tool.NAME`.
///
/// `pure` promises that the tool only answers: it changes no file, no directory and nothing elsewhere, and what it
/// answers hangs on its arguments, the session's workspace and directory, and files there, on nothing else. So a call may be
/// run again, and an answer given again for as long as no file and no directory has changed. A tool that looks at a clock,
/// another machine or a random number is not pure.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into()).into()
}

/// Derives what a type of one's own needs to be a field of a hook point, the arguments of a tool, a state or settings: `Clone`,
/// `Debug`, serde's `Serialize` and `Deserialize`, and, with the feature `schema`, `schemars::JsonSchema`, so that a crate needs
/// `hookspec` only in its `Cargo.toml`.
///
/// What the type derives itself is not derived again, and `#[serde(…)]` and `#[schemars(…)]` may stand on it and its fields.
/// Further derives stand below: `#[derive(Copy)]` for a field that is not lent, `#[derive(Default)]` for states and settings.
#[proc_macro_attribute]
pub fn data(options: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(&options.into(), item.into()).into()
}

/// The work of `hookspec::plugins!`, which hands in the path of its crate.
#[doc(hidden)]
#[proc_macro]
pub fn plugins_impl(input: TokenStream) -> TokenStream {
    plugins::expand(input.into()).into()
}

/// Part of `hookspec::plugin!`: what the crate's modules say of themselves.
#[doc(hidden)]
#[proc_macro]
pub fn essays_impl(_: TokenStream) -> TokenStream {
    essays::expand().into()
}

/// Declares one of core's lists of what the linker gathers.
#[doc(hidden)]
#[proc_macro]
pub fn list_impl(input: TokenStream) -> TokenStream {
    gathered::expand(input.into()).into()
}

/// The work of `hookspec::hook_point!`, which hands in the path of its crate.
#[doc(hidden)]
#[proc_macro]
pub fn hook_point_impl(input: TokenStream) -> TokenStream {
    point::expand(input.into()).into()
}

/// Part of a point's macro: a hook asks for a field that is not there.
#[doc(hidden)]
#[proc_macro]
pub fn no_field_impl(input: TokenStream) -> TokenStream {
    refusals::no_field(input.into()).into()
}

/// Part of a point's macro: a hook that the point refuses.
#[doc(hidden)]
#[proc_macro]
pub fn refusal_impl(input: TokenStream) -> TokenStream {
    refusals::refusal(input.into()).into()
}

/// Takes the shell off what `#[hook]` and `#[tool]` write beside a function.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn placed(_: TokenStream, shell: TokenStream) -> TokenStream {
    refusals::placed(shell.into()).into()
}
