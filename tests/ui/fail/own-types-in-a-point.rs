use hookspec::hook_point;

struct Recipe {
    minutes: u32,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
enum Kind {
    Rye,
}

hook_point! {
    /// Before the bread goes in.
    pub(crate) BAKE("bake") -> Messages { recipe: &Recipe, before: &[Recipe], kind: Kind }
}

fn main() {
    let _ = (Recipe { minutes: 5 }.minutes, Kind::Rye);
}
