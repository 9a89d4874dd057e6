use std::path::{Path, PathBuf};

use hookspec::{Message, Session, hook, points::FILE_POST_SAVE, points::FilePostSave, points::TURN_PRE};

#[hook(FILE_POST_SAVE)]
fn owned(path: PathBuf, content: String, created: &bool) {
    let _ = (path, content, created);
}

#[hook(FILE_POST_SAVE)]
async fn owned_and_async(content: String) {
    let _ = content;
}

#[hook(FILE_POST_SAVE)]
fn session_by_value(session: Session) {
    let _ = session;
}

#[hook(TURN_PRE)]
fn event_of_another_point(event: &FilePostSave<'_>) {
    let _ = event;
}

#[hook(FILE_POST_SAVE)]
fn from_another_language(file: &Path, sesion: &Session) -> Option<Message> {
    let _ = (file, sesion);
    None
}

#[hook(FILE_POST_SAVE)]
fn named_lifetimes<'a>(path: &'a str) -> Option<Message> {
    let _ = path;
    None
}

fn main() {}
