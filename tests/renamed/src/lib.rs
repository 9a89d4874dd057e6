//! A crate of hooks, points and tools for which `hookspec` is `hooks`, and which hands it on as a kit does.
#![deny(warnings, missing_docs)]

pub use hooks as agent_hooks;
use hooks::reexports::{schemars, serde};

/// What a kit would have as its own names.
pub mod kit {
    pub use hooks::{data as record, hook as listen, hook_point as moments, tool as ability};
}

hooks::plugin!();

/// Of one's own, by the attribute alone.
#[hooks::data]
#[derive(Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Flour {
    /// Dark.
    Rye,
    /// White.
    Wheat,
}

/// With what is derived already, a generic, and another type of one's own in it.
#[hooks::data]
#[derive(Clone, Default, PartialEq)]
#[serde(default)]
pub struct Recipe<T: Default> {
    /// Minutes in the oven.
    pub minutes: u32,
    /// What it is made of.
    pub flour: Option<Flour>,
    /// What is written beside it.
    pub notes: Vec<T>,
}

/// Derived by hand, with what hookspec hands on.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "hooks::reexports::serde")]
#[schemars(crate = "hooks::reexports::schemars")]
pub struct ByHand {
    /// A number.
    pub number: u8,
}

hooks::hook_point! {
    /// Before the dough goes into the oven.
    pub BAKE_PRE("bake.pre") -> Gate {
        /// What is baked.
        recipe: &Recipe<String>,
        /// What of.
        flour: Flour,
        /// What else.
        by_hand: Option<&ByHand>,
    }
}

/// What this crate's hooks remember.
#[hooks::data]
#[derive(Default)]
pub struct Baked {
    /// How many.
    pub loaves: u32,
}

/// Settings of the group.
#[hooks::data]
#[serde(default)]
pub struct Limits {
    /// The longest time.
    pub minutes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { minutes: 90 }
    }
}

/// Nothing burns.
#[hooks::hook(BAKE_PRE, name = "bakery.coal")]
pub fn coal(recipe: &Recipe<String>, settings: &Limits, state: &mut Baked) -> Option<hooks::Gate> {
    state.loaves += 1;
    (recipe.minutes > settings.minutes).then(|| hooks::Gate::deny("coal"))
}

/// The arguments of the tools here.
#[hooks::data]
pub struct Order {
    /// How many loaves.
    pub loaves: u32,
}

/// Orders bread.
#[hooks::tool(args = [loaves])]
pub fn order(args: Order) -> String {
    format!("{} loaves", args.loaves)
}

/// By an import, under another name, after other attributes.
pub mod imported {
    use super::Order;
    use hooks::tool as ability;

    /// Orders rye.
    #[allow(clippy::needless_pass_by_value)]
    #[ability(name = "order_rye", preview = preview)]
    pub fn order(args: Order, session: &hooks::Session) -> String {
        format!("{} loaves of rye in {}", args.loaves, session.id())
    }

    fn preview(call: &hooks::tool::ToolUse, _: &hooks::Session) -> Option<String> {
        call.text("loaves").map(std::borrow::Cow::into_owned)
    }

    /// Where a `cfg` decides.
    #[cfg_attr(all(), ability(enabled = false))]
    pub async fn order_later() -> String {
        String::new()
    }
}

/// Where a macro writes it.
pub mod by_macro {
    macro_rules! plainly {
        ($name:ident) => {
            /// Orders by a macro.
            #[hooks::tool]
            pub fn $name() -> String {
                String::new()
            }
        };
    }
    plainly!(order_plainly);
}
