//! The same through somebody's re-exports: this file names the kit, and neither `hookspec` nor `hooks`.
#![deny(warnings)]
#![allow(clippy::unwrap_used)]

use hookspec_renamed_tests::agent_hooks::{self, Gate, Hooks, Registry, Session, fire_now};
use hookspec_renamed_tests::kit::{ability, listen, moments, record};
use hookspec_renamed_tests::{BAKE_PRE, Flour, Recipe};

#[record]
struct Slices {
    count: u8,
}

moments! {
    /// Before bread is cut.
    CUT("bread.cut") -> Gate { slices: &Slices }
}

#[listen(CUT)]
fn too_thin(slices: &Slices) -> Option<Gate> {
    (slices.count > 20).then(|| Gate::deny("too thin"))
}

/// Cuts bread.
#[ability]
fn cut(args: Slices) -> String {
    args.count.to_string()
}

/// Cuts bread, by the whole path.
#[agent_hooks::tool]
fn cut_again() -> String {
    String::new()
}

fn session() -> Session {
    let registry =
        Registry::builder().plugins(agent_hooks::plugins![hookspec_renamed_tests]).build().unwrap();
    Session::builder(&Hooks::new(registry), "s").build()
}

#[test]
fn what_is_declared_by_other_names_is_all_there() {
    let session = session();
    let registry = session.hooks().load();
    let tools: Vec<&str> = registry.tools().names().collect();
    assert_eq!(tools, ["cut", "cut_again", "order", "order_plainly", "order_rye"]);
    let off: Vec<&str> = registry.tools().off().map(|(tool, _)| tool.name).collect();
    assert_eq!(off, ["order_later"]);

    let fired = fire_now!(session, CUT { slices: &Slices { count: 30 } });
    assert_eq!(fired.denied(), Some(("too thin", "through.too_thin")));
    let recipe = Recipe { minutes: 100, ..Recipe::default() };
    let fired = fire_now!(session, BAKE_PRE { recipe: &recipe, flour: Flour::Rye, by_hand: None });
    assert_eq!(fired.denied(), Some(("coal", "bakery.coal")));
}

#[test]
fn tools_run_and_say_what_they_take() {
    let session = session();
    let registry = session.hooks().load();
    let order = registry.tools().get("order_rye").unwrap();
    let schema = (order.schema)().to_string();
    assert!(schema.contains("\"loaves\"") && schema.contains("How many loaves."), "{schema}");
    let point = agent_hooks::point::find_point("bake.pre").unwrap();
    let schema = point.schema().unwrap().to_string();
    assert!(schema.contains("Minutes in the oven.") && schema.contains("\"rye\""), "{schema}");
}
