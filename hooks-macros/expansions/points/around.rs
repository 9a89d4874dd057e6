/// The dough is in the oven.
pub BAKE("bakery.bake") -> Around<Bread> {
    /// What is baked.
    #[fold]
    recipe: &Recipe,
    /// °C.
    degrees: u32,
}
