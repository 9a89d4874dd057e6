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

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Kept(u32);

#[hook(FILE_POST_SAVE)]
fn a_key_is_a_text(#[state(kept)] state: &mut Kept) {
    let _ = state;
}

#[hook(FILE_POST_SAVE)]
fn a_key_has_letters(#[state("not a key")] state: &mut Kept) {
    let _ = state;
}

#[hook(FILE_POST_SAVE)]
fn a_key_is_a_states(#[state("kept")] content: &str) {
    let _ = content;
}

fn main() {}
