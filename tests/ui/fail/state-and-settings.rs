use hookspec::{hook, points::FILE_POST_SAVE};

struct Plain;

#[hook(FILE_POST_SAVE)]
fn not_a_reference(state: u32) {
    let _ = state;
}

#[hook(FILE_POST_SAVE)]
fn settings_are_not_changed(settings: &mut u32) {
    let _ = settings;
}

#[hook(FILE_POST_SAVE)]
fn cannot_be_saved(state: &mut Plain) {
    let _ = state;
}

fn main() {}
