/// May be refused, and changed.
pub KNEAD("bakery.knead", transient) -> Gate + Fold<Recipe> {
    /// The recipe.
    #[fold]
    recipe: &Recipe,
    /// Earlier ones.
    before: &[Recipe],
}
