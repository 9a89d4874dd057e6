#[hook(BAKE, priority = 10)]
async fn around(next: BAKE::Next<'_>, recipe: &Recipe) -> Around<Loaf> {
    Around(next.run().await)
}
