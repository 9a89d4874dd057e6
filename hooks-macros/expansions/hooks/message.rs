/// Greets.
#[hook(FILE_POST_SAVE, priority = 5)]
fn message(_content: &str) -> Option<Message> {
    None
}
