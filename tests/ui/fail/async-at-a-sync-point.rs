use hookspec::{hook, hook_point};

hook_point! {
    /// Fired by a program without an async runtime.
    pub BAKE_PRE("bake.pre", sync) -> Gate {
        /// Temperature.
        degrees: u32,
    }
}

#[hook(BAKE_PRE)]
async fn wait(degrees: u32) {
    let _ = degrees;
}

fn main() {}
