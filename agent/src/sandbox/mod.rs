//! The walls around what a session's tools do, and the gate that asks before something in them is opened.
//!
//! **Watches** `TOOL_PRE_EXECUTE`: what a call of our own tools needs that the session's sandbox keeps closed. **Speaks** by asking,
//! and names it: a file to read or write, the network, a variable, all of it. A yes opens just that, for this call or for the
//! session ([`Confinement`]). **Keeps** nothing on disk: a session that is resumed begins with nothing opened. **Costs** a reading
//! of the command.
//!
//! The gate is the door and not the wall. A command that is not understood is not asked about: it runs in the sandbox, what is
//! closed to it fails there, and its result tells the model what to ask for ([`told`](mod@told)). So the gate may be wrong either way
//! without anything being open that nobody opened: who takes the hook away takes the questions away.
//!
//! | file | what it is |
//! |---|---|
//! | `settings` | `[sandbox]`: what the user says, and what a project may say |
//! | `confinement` | one session's walls: the sandbox, what was opened, what still runs |
//! | `needs` | what a call needs that is closed |
//! | `wish` | `opens` of a call: what the model asks for |
//! | `told` | what a result says of what was closed |

mod confinement;
mod needs;
mod settings;
pub(crate) mod told;
mod wish;

use std::sync::Arc;

use hookspec::points::TOOL_PRE_EXECUTE;
use hookspec::{Gate, Session, ToolUse, hook};

pub use confinement::Confinement;
pub use settings::SandboxSettings;
pub(crate) use wish::Wishes;

/// Why it is asked.
const REASON: &str = "The sandbox keeps closed what this call needs.";

/// Asks before a call gets what the sandbox keeps closed.
#[hook(TOOL_PRE_EXECUTE, confirmation)]
fn ask(tool_use: &ToolUse, session: &Session) -> Option<Gate> {
    let confinement = session.extension::<Confinement>()?;
    let registry = session.hooks().load();
    let tool = registry.tools().get(&tool_use.tool).filter(|tool| tool.package == env!("CARGO_PKG_NAME"))?;
    let needs = needs::needs(tool_use, tool, session, &confinement.of_session());
    let asks = !needs.is_empty();
    confinement.want(tool_use, needs);
    asks.then(|| Gate::ask(REASON))
}

/// The walls of a session; those of a workspace that nobody said anything of, where the session was not opened by the engine.
pub(crate) fn of(session: &Session) -> Arc<Confinement> {
    session.extension::<Confinement>().unwrap_or_else(|| {
        let place = session.workspace().map_or_else(|| session.cwd(), std::path::Path::to_owned);
        Arc::new(Confinement::new(SandboxSettings::default(), &place))
    })
}
