#[hook(FILE_POST_SAVE, onec)]
fn mistake() {}
