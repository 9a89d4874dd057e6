/// After a tool has written a file.
pub SAVED("file.saved", aliases = ["post_save"]) -> Messages {
    /// Absolute path of the file.
    path: &Path,
    /// Whether the file did not exist before.
    created: bool,
}
