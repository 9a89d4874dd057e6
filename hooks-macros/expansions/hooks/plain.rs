#[hook(FILE_POST_SAVE)]
fn plain(path: &Path, created: bool) {}
