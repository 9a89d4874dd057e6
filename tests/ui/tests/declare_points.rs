//! Points of all kinds, in modules and with types of the declaring crate.
#![deny(warnings, missing_docs)]

use hookspec::{Fold, Gate, Hooks, Message, Registry, Session, fire_now, hook, hook_point};

/// The crate's own types and points.
pub mod dough {
    use hookspec::hook_point;
    use serde::{Deserialize, Serialize};

    /// A recipe.
    #[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
    pub struct Recipe {
        /// Minutes in the oven.
        pub minutes: u32,
    }

    hook_point! {
        /// No fields at all.
        pub OPEN("bakery.open") -> Messages {}

        /// Fields of every kind.
        pub BAKE("bakery.bake", aliases = ["oven"], transient) -> Gate + Fold<Recipe> {
            /// The recipe.
            #[fold]
            recipe: &Recipe,
            /// Who bakes.
            baker: Option<&str>,
            /// Earlier ones.
            before: &[Recipe],
            /// A number.
            degrees: u32,
        }
    }
}

hook_point! {
    /// At the root, for this crate only.
    CLOSE("bakery.close") -> First<u32> {
        /// The hour.
        hour: u8,
    }
}

use dough::{BAKE, Recipe};

#[hook(dough::OPEN)]
fn opened() -> Message {
    Message::system("good morning")
}

#[hook(BAKE, priority = 1)]
fn longer(recipe: &Recipe, baker: Option<&str>) -> Option<Fold<Recipe>> {
    baker.map(|_| Fold(Recipe { minutes: recipe.minutes + 5 }))
}

#[hook(BAKE)]
fn enough(recipe: &Recipe, before: &[Recipe]) -> Option<Gate> {
    (recipe.minutes > 60 && before.is_empty()).then(|| Gate::deny("coal"))
}

hook_point! {
    /// How much salt.
    SALT("salt") -> Fold<u32> {
        /// In grams.
        #[fold]
        grams: u32,
    }
}

#[hook(SALT, name = "taste.more")]
fn more(grams: u32) -> Fold<u32> {
    Fold(grams + 1)
}

#[hook(SALT, name = "taste.twice", priority = -1)]
fn twice(grams: u32) -> Fold<u32> {
    Fold(grams * 2)
}

#[test]
fn a_small_value_is_handed_on_too() {
    let session = Session::builder(&Hooks::new(Registry::builder().build().unwrap()), "s").build();
    assert_eq!(fire_now!(session, SALT { grams: 3 }).value(), Some(&8));
}

#[test]
fn declared_points_fire_and_describe_themselves() {
    let session = Session::builder(&Hooks::new(Registry::builder().build().unwrap()), "s").build();
    assert_eq!(fire_now!(session, dough::OPEN {}).messages().len(), 1);
    let recipe = Recipe { minutes: 58 };
    let fired = fire_now!(session, BAKE { recipe: &recipe, baker: Some("Ada"), before: &[], degrees: 230 });
    assert_eq!(fired.value().map(|recipe| recipe.minutes), Some(63));
    assert_eq!(fired.denied().map(|(reason, _)| reason), Some("coal"));
    assert!(fire_now!(session, CLOSE { hour: 18 }).answer().is_none());
    let point = hookspec::point::find_point("oven").unwrap();
    assert_eq!(point.info().verdict, "Gate + Fold<Recipe>");
    assert_eq!(point.info().fields[1].ty, "Option<&str>");
    assert!(point.schema().unwrap()["properties"]["recipe"].is_object());
    assert_eq!(
        hookspec::point::fire_sites().iter().filter(|site| site.package == env!("CARGO_PKG_NAME")).count(),
        4
    );
}
