//! A bakery with a hook point of its own: declared here, fired here, listed and described by what it declares.

use hookspec::point::{AnyPoint, Point};
use hookspec::{Gate, Hooks, Registry, Session, fire_now, hook, hook_point};

hook_point! {
    /// Before something goes into the oven.
    pub BAKE_PRE("bake.pre", aliases = ["pre_bake"], sync) -> Gate {
        /// Temperature in °C.
        degrees: u32,
        /// What is baked.
        recipe: &str,
    }
}

/// Nothing is baked so hot that it burns.
#[hook(BAKE_PRE)]
fn not_too_hot(degrees: u32, recipe: &str) -> Option<Gate> {
    (degrees > 250).then(|| Gate::deny(format!("{recipe} would burn at {degrees} °C")))
}

#[allow(clippy::print_stdout)] // printing is what this program is for
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::builder().sync_host().fires([BAKE_PRE::Point::INFO]).build()?;
    for row in registry.list() {
        println!(
            "{} listens at {} ({}:{})",
            row.info.name, row.info.point.wire, row.info.file, row.info.line
        );
    }
    let session = Session::builder(&Hooks::new(registry), "morning").build();
    for (recipe, degrees) in [("bread", 230), ("cake", 300)] {
        let fired = fire_now!(session, BAKE_PRE { degrees, recipe });
        match fired.denied() {
            Some((reason, hook)) => println!("{recipe}: no, says {hook}: {reason}"),
            None => println!("{recipe}: into the oven"),
        }
    }
    let schema = hookspec::point::find_point("pre_bake").and_then(AnyPoint::schema);
    println!("{:#}", schema.unwrap_or_default());
    Ok(())
}
