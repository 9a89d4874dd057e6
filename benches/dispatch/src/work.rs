//! The work that every hook does, whoever calls it: it looks at its event and says nothing.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use hookspec::Message;
use hookspec::points::FilePostSave;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// What the event tells: the file, and what was written.
pub const PATH: &str = "/tmp/a.py";
pub const CONTENT: &str = "abc";

#[inline(never)]
pub fn work(path: &Path, created: bool) -> Option<Message> {
    if black_box(created) && path.as_os_str().is_empty() {
        COUNT.fetch_add(1, Ordering::Relaxed);
        return Some(Message::system("never"));
    }
    None
}

/// The event, anew for each trigger.
#[inline]
pub fn event() -> FilePostSave<'static> {
    black_box(FilePostSave { path: Path::new(PATH), content: CONTENT, created: true })
}
