//! Others' hooks, as their own documentation has them fired, on the same event with the same work.

mod bevy;
mod cpex;
mod halter;
mod nemo;
mod rig;
mod tower_stack;

use crate::measure::Contestant;

/// Calls `contest` with the rows of everybody; rig's hooks can be fired only while one of its agents runs.
pub fn with(sizes: &[usize], contest: fn(Vec<Contestant<'_>>)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _entered = runtime.enter();
    rig::during_a_run(sizes, contest);
}

fn rows(sizes: &[usize]) -> Vec<Contestant<'static>> {
    let one = |&hooks| {
        [bevy::row(hooks), tower_stack::row(hooks), cpex::row(hooks), halter::row(hooks), nemo::row(hooks)]
    };
    sizes.iter().flat_map(one).collect()
}
