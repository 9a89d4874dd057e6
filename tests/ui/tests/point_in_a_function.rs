//! A point and its hooks may stand in a function's body.
#![deny(warnings)]

use hookspec::{Gate, Hooks, Registry, Session, fire_now, hook, hook_point};

#[test]
fn a_point_in_a_function_is_fired() {
    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Recipe {
        minutes: u32,
    }

    hook_point! {
        /// Before the bread goes in.
        BAKE("inside.bake") -> Gate {
            /// What is baked.
            recipe: &Recipe,
        }

        /// When it is out.
        DONE("inside.done") -> Messages {}
    }

    #[hook(BAKE, name = "inside.hot")]
    fn hot(recipe: &Recipe) -> Gate {
        if recipe.minutes > 60 { Gate::deny("coal") } else { Gate::Allow }
    }

    let registry = Registry::builder().build().expect("one hook fits");
    let session = Session::builder(&Hooks::new(registry), "s").build();
    let fired = fire_now!(session, BAKE { recipe: &Recipe { minutes: 90 } });
    assert_eq!(fired.denied(), Some(("coal", "inside.hot")));
    assert!(fire_now!(session, DONE {}).messages().is_empty());
}
