use hookspec::{hook, points::FILE_POST_SAVE, points::FilePostSave};

struct Linter;
mod linter {}
const LIMIT: u32 = 5;

#[hook("file.save.post")]
fn by_wire_name() {}

#[hook("no.such.point")]
fn by_another_string() {}

#[hook(FilePostSave)]
fn by_event() {}

#[hook(Linter)]
fn by_type() {}

#[hook(linter)]
fn by_module() {}

#[hook(LIMIT)]
fn by_constant() {}

#[hook(hookspec::points::FILE_POST_SAV)]
fn by_misspelt_path() {}

#[hook(FILE_POST_SAVE, TURN_PRE)]
fn by_two() {}

#[hook(file_post_save)]
fn in_small_letters() {}

fn main() {
    let _: Option<FilePostSave<'_>> = None;
    let _ = (Linter, LIMIT);
}
