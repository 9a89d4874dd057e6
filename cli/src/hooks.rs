//! The registry of this program.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use hookspec::point::PointInfo;
use hookspec::registry::{Plugin, RegistryBuilder};
use hookspec::session::{SessionBuilder, StateDir};
use hookspec::{Mode, Registry};
use hookspec_agent::engine::Prices;
use hookspec_bridge::inbound::Inbound;
use hookspec_builtins::cli_confirm::Terminal;
use hookspec_builtins::models::Models;

use crate::others;
use crate::settings::{Common, Settings};

/// Whom the program may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The person at the terminal.
    Person,
    /// Nobody; what needs an answer is refused.
    Nobody,
    /// Nobody; the user said yes to everything beforehand.
    Yes,
}

impl Asking {
    /// By the options, and by whether there is a terminal to ask at.
    pub(crate) fn choose(non_interactive: bool, yes: bool) -> Self {
        if yes {
            Self::Yes
        } else if non_interactive || !std::io::stdin().is_terminal() {
            Self::Nobody
        } else {
            Self::Person
        }
    }
}

/// What kind of host hooks are chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Host {
    /// `hookspec chat`.
    #[default]
    Chat,
    /// `hookspec serve`.
    Server,
    /// `hookspec bridge`.
    Bridge,
}

/// The points that this program fires: the engine's, and those that a plugin crate in it declares and fires.
pub(crate) fn fires() -> Vec<&'static PointInfo> {
    let mut all = hookspec_agent::FIRES.to_vec();
    // The bridge fires in other agents only.
    for site in hookspec::point::fire_sites().iter().filter(|site| site.package != "hookspec-bridge") {
        if !all.iter().any(|point| point.wire == site.point.wire) {
            all.push(site.point);
        }
    }
    all
}

/// Describes the registry that this program would run with.
pub(crate) fn builder(
    settings: &Settings,
    common: &Common,
    plugins: &[&'static Plugin],
    asking: Asking,
) -> RegistryBuilder {
    host_builder(settings, common, plugins, Host::Chat, asking)
}

/// The same for any kind of host.
pub(crate) fn host_builder(
    settings: &Settings,
    common: &Common,
    plugins: &[&'static Plugin],
    host: Host,
    asking: Asking,
) -> RegistryBuilder {
    let others = if host == Host::Bridge { Inbound::default() } else { others::load(settings) };
    builder_with(settings, common, plugins, (host, others), asking)
}

/// The same with hooks of other agents that were read already.
pub(crate) fn builder_with(
    settings: &Settings,
    common: &Common,
    plugins: &[&'static Plugin],
    (host, others): (Host, Inbound),
    asking: Asking,
) -> RegistryBuilder {
    let mut builder = Registry::builder()
        .plugins(plugins.iter().copied())
        .config(settings.config_for(host))
        .disable_from("--disable", common.disable.iter().cloned())
        .mode(match host {
            Host::Chat => Mode::Cli,
            Host::Server => Mode::Server,
            Host::Bridge => Mode::Bridge,
        })
        .interactive(asking == Asking::Person)
        .no_confirm(asking == Asking::Yes)
        // One folder has some, the next has none, and the bridge runs no other agent's.
        .elsewhere(hookspec_bridge::inbound::GROUPS);
    // In another agent the client says which.
    if host != Host::Bridge {
        builder = builder.fires(fires());
    }
    for hook in settings.scripts.hooks.iter().cloned().chain(others.hooks) {
        builder = builder.register_json(hook);
    }
    if let Some(allow) = &common.allow {
        builder = builder.allow_from("--allow", allow.iter().cloned());
    }
    builder
}

/// Lends to a session what the built-ins ask for: the terminal, and what [`lend_to_any`] does.
pub(crate) fn lend(session: SessionBuilder, settings: &Settings) -> SessionBuilder {
    let session = session.extension(Arc::new(Terminal::real()));
    lend_to_any(session, &settings.paths.state_dir, &settings.models)
}

/// The same for a host without a terminal: a place for what they keep, what is known of models; and to its engine
/// what they cost.
pub(crate) fn lend_to_any(session: SessionBuilder, state_dir: &Path, models: &Arc<Models>) -> SessionBuilder {
    let known = Arc::clone(models);
    let models = Arc::clone(models);
    session
        .extension(Arc::new(StateDir(state_dir.to_owned())))
        .extension(known)
        .extension(Arc::new(Prices::new(move |model, usage| models.cost(model, usage))))
}
