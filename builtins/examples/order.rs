//! Prints the gathered hooks in the order in which they run; `tests/order.sh` builds it in several ways.

use hookspec::Registry;

mod b {
    use hookspec::{hook, points::STEP_PRE};

    #[hook(STEP_PRE)]
    fn zeta() {}
    #[hook(STEP_PRE)]
    fn alpha() {}
    #[hook(STEP_PRE, priority = 7)]
    fn last_in_file_first_to_run() {}
}

mod a {
    use hookspec::{hook, points::STEP_PRE};

    #[hook(STEP_PRE)]
    fn zeta() {}
    #[hook(STEP_PRE, priority = 7)]
    fn same_priority() {}
    #[hook(STEP_PRE, priority = -1)]
    fn behind() {}
}

#[allow(clippy::print_stdout)] // printing is what this program is for
fn main() -> Result<(), hookspec::registry::BuildError> {
    let plugins = hookspec::plugins![hookspec_builtins];
    for row in Registry::builder().plugins(plugins).build()?.list() {
        println!("{} {} {}", row.info.point.wire, row.info.priority, row.info.name);
    }
    Ok(())
}
