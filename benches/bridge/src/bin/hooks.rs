//! `hooks N FOLDER`: answers an event of Codex with N hooks that each count in a state of their own session.

use std::process::exit;

use hookspec::points::TOOL_PRE_EXECUTE;
use hookspec::session::StateError;
use hookspec::{Hook, Hooks, Mode, Registry};
use hookspec_bridge::bridge::Bridge;
use hookspec_bridge::client::Client;
use hookspec_bridge::serve::serve;
use hookspec_bridge::store::Store;
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
struct Seen(u64);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().and_then(|count| count.parse::<u32>().ok());
    let (Some(count), Some(folder)) = (count, arguments.next()) else { exit(64) };
    let code = serve(Client::Codex, Some("PreToolUse"), |_| {
        let mut builder = Registry::builder().mode(Mode::Bridge);
        for index in 0..count {
            builder =
                builder.register(Hook::new(TOOL_PRE_EXECUTE, format!("bench.h{index}"), |_, session| {
                    session.state_now::<Seen>()?.0 += 1;
                    Ok::<(), StateError>(())
                }));
        }
        let bridge = Bridge::new(Hooks::new(builder.build()?));
        Ok::<_, hookspec::registry::BuildError>(bridge.remembering(Store::new(folder)))
    });
    exit(code.into());
}
