use hookspec::{hook, points::FILE_POST_SAVE};

#[hook(FILE_POST_SAVE, priorty = 5, once = 1)]
fn lint<T>((a, b): (u8, u8), state: u8) {
    let _ = (a, b, state);
}

fn main() {
    // The function is still there: no further error here.
    lint::<u8>((1, 2), 3);
}
