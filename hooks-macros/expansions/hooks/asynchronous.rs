#[hook(FILE_POST_SAVE, timeout = "30s")]
async fn asynchronous(path: &Path, event: &FilePostSave<'_>) -> Message {
    ask(path, event).await
}
