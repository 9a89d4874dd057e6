//! Files that tools write.

use std::path::Path;

use crate::hook_point;

hook_point! {
    /// A tool is about to write a file. The path is resolved, and inside the workspace or approved.
    pub FILE_PRE_SAVE("file.save.pre") -> Gate + Fold<String> {
        /// Absolute path of the file.
        path: &Path,
        /// What will be written.
        #[fold]
        content: &str,
    }

    /// A tool has written a file; the bytes are on disk.
    pub FILE_POST_SAVE("file.save.post", aliases = ["post_file_edit"]) -> Messages {
        /// Absolute path of the file.
        path: &Path,
        /// What was written.
        content: &str,
        /// Whether the file did not exist before.
        created: bool,
    }

    /// A tool is about to change part of a file.
    pub FILE_PRE_PATCH("file.patch.pre") -> Gate + Fold<String> {
        /// Absolute path of the file.
        path: &Path,
        /// The patch as the model wrote it.
        patch: &str,
        /// The file's text now.
        before: &str,
        /// The file's text with the patch applied; what a hook puts in its place is written.
        #[fold]
        after: &str,
    }

    /// A tool has changed part of a file; the bytes are on disk.
    pub FILE_POST_PATCH("file.patch.post") -> Messages {
        /// Absolute path of the file.
        path: &Path,
        /// The file's text before.
        before: &str,
        /// The file's text now.
        after: &str,
        /// The difference, unified.
        diff: &str,
    }
}
