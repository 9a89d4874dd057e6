#[hook(BAKE)]
fn around_now(state: &mut Memory, next: BAKE::Next<'_>) -> Option<Around<Bread>> {
    state.answer(next)
}
