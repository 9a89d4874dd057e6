use hookspec::{hook, hook_point};

/// Of the host's own: no `Debug`, no `Clone`, no wire form.
pub struct Thing;

hook_point! {
    /// Before the host asks.
    pub ASK("ask", local) -> Gate {
        /// What it asks about.
        thing: &Thing,
    }

    /// Owned where it should be lent.
    pub TELL("tell", locl) -> Messages { text: String }

    /// What no other thread may see.
    pub HIDE("hide", local) -> Messages { cell: &std::cell::Cell<u8> }
}

#[hook(ASK, blocking)]
fn slow(thing: &Thing) {
    let _ = thing;
}

#[hook(ASK, background)]
fn beside(thing: &Thing) {
    let _ = thing;
}

#[hook(ASK, background)]
async fn beside_async(thing: &Thing) {
    let _ = thing;
}

fn main() {}
