#[hook(FILE_POST_SAVE, background, budget = "250ms", quarantine = 3, on_error = failed)]
fn background(content: &str) -> Result<Option<Message>, std::io::Error> {
    Ok(None)
}
