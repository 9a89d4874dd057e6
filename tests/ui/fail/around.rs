//! Hooks around work, and points that wrap it.
use hookspec::points::TURN_PRE;
use hookspec::{Around, Gate, Message, hook, hook_point};

hook_point! {
    /// The dough is in the oven.
    pub BAKE("bakery.bake") -> Around<String> {
        /// What is baked.
        #[fold]
        recipe: &str,
        /// °C.
        degrees: u32,
    }
    /// The loaf is cut.
    pub SLICE("bakery.slice") -> Around<u32> {
        /// Of what.
        loaf: &str,
    }
}

#[hook(TURN_PRE)]
fn at_a_point_that_wraps_nothing(next: BAKE::Next<'_>) {
    drop(next);
}

#[hook(BAKE)]
async fn of_another_point(next: SLICE::Next<'_>) -> Around<String> {
    Around(next.run().await.to_string())
}

#[hook(BAKE)]
async fn no_type_of_ours(next: u32) -> Around<String> {
    Around(next.to_string())
}

#[hook(BAKE)]
fn gives_the_wrong_thing(next: BAKE::Next<'_>) -> Around<u32> {
    drop(next);
    Around(5)
}

#[hook(BAKE)]
fn refuses() -> Gate {
    Gate::deny("no")
}

#[hook(BAKE, blocking)]
fn blocks(next: BAKE::Next<'_>) {
    drop(next);
}

#[hook(BAKE, background)]
fn beside(recipe: &str) -> Message {
    Message::system(recipe)
}

#[hook(BAKE)]
fn changes_what_is_lent(recipe: &mut String, degrees: &mut u32) {
    recipe.push('!');
    *degrees += 1;
}

#[hook(BAKE)]
async fn runs_it_twice(next: BAKE::Next<'_>) -> Around<String> {
    next.run().await;
    Around(next.run().await)
}

#[hook(SLICE)]
async fn changes_what_cannot_be(next: SLICE::Next<'_>) -> Around<u32> {
    Around(next.with("another".to_owned()).run().await)
}

fn main() {}
