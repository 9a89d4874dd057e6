#[hook(FILE_POST_SAVE, blocking, timeout = "1s")]
fn blocking() -> Result<(), String> {
    Ok(())
}
