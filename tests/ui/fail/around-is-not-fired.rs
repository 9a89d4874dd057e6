//! A host that takes one kind of point for the other.
use hookspec::points::STEP_PRE;
use hookspec::{Session, around, around_now, fire, fire_now, hook_point};

hook_point! {
    /// The dough is in the oven.
    pub BAKE("bakery.bake") -> Around<String> {
        /// What is baked.
        recipe: &str,
    }
}

async fn host(session: &Session) {
    fire!(session, BAKE { recipe: "rye" }).await;
    fire_now!(session, BAKE { recipe: "rye" });
    around!(session, STEP_PRE { step: 1 }, async |_| ()).await;
    around_now!(session, STEP_PRE { step: 1 }, |_| ());
    session.hooks().load().handle(BAKE).fire_now(session, BAKE::Event { recipe: "rye" });
    session.hooks().load().handle(STEP_PRE).around_now(session, STEP_PRE::Event { step: 1 }, |_| ());
    // What the work gives is not what the point says.
    around!(session, BAKE { recipe: "rye" }, async |event| event.recipe.len()).await;
}

fn main() {}
