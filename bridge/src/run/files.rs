//! Files that tool calls write: one call may be several saves and patches.

use std::borrow::Cow;
use std::path::Path;

use hookspec::fire_now;
use hookspec::points::{FILE_POST_PATCH, FILE_POST_SAVE, FILE_PRE_PATCH, FILE_PRE_SAVE};
use serde_json::Value;

use super::Run;
use super::tool::Held;
use crate::moment::{Call, Ended, Shape, resolve};
use crate::patch::{self, ChangeKind};

/// Longer files are not read.
const LONGEST_FILE: u64 = 16 * 1024 * 1024;

impl Run<'_> {
    fn listens_before(&self) -> bool {
        self.session.listens(FILE_PRE_SAVE) || self.session.listens(FILE_PRE_PATCH)
    }

    fn listens_after(&self) -> bool {
        self.session.listens(FILE_POST_SAVE) || self.session.listens(FILE_POST_PATCH)
    }

    pub(super) fn files_pre(&mut self, held: &mut Held) {
        if !self.listens_before() && !self.listens_after() {
            return;
        }
        match held.call.shape() {
            Shape::Save => self.save_pre(held),
            Shape::Edit => self.edit_pre(held),
            Shape::Patch => self.patch_pre(held),
            Shape::Shell => {
                let line = held.call.tool_use();
                if line.text("command").is_some_and(|line| line.contains("*** Begin Patch")) {
                    self.patch_pre(held);
                }
            }
            Shape::Read | Shape::Other => {}
        }
    }

    fn save_pre(&mut self, held: &mut Held) {
        let (Some(path), Some(content)) = (held.call.path(), held.call.content().map(str::to_owned)) else {
            return self.misshapen(&held.call, "a path and a content");
        };
        let path = resolve(&self.cwd, path);
        self.remember(&held.call, &path);
        if let Some(changed) = self.one_save(held, &path, &content) {
            match held.call.with_content(&changed) {
                Some(input) => held.put(input),
                None => self.misshapen(&held.call, "a content"),
            }
        }
    }

    /// Fires the point; gives the text that a hook put in the content's place.
    fn one_save(&mut self, held: &mut Held, path: &Path, content: &str) -> Option<String> {
        let mut fired = fire_now!(self.session, FILE_PRE_SAVE { path, content });
        self.absorb(&fired);
        if self.refused(fired.gate(), held) {
            return None;
        }
        fired.take_value().filter(|changed| changed != content)
    }

    /// Fires the point; gives the text that a hook put in the new text's place.
    fn one_patch(
        &mut self,
        held: &mut Held,
        (path, patch): (&Path, &str),
        before: &str,
        after: &str,
    ) -> Option<String> {
        let mut fired = fire_now!(self.session, FILE_PRE_PATCH { path, patch, before, after });
        self.absorb(&fired);
        if self.refused(fired.gate(), held) {
            return None;
        }
        fired.take_value().filter(|changed| changed != after)
    }

    fn edit_pre(&mut self, held: &mut Held) {
        let edits: Vec<_> = held.call.edits();
        let (Some(path), false) = (held.call.path(), edits.is_empty()) else {
            return self.misshapen(&held.call, "a path and texts to replace");
        };
        let path = resolve(&self.cwd, path);
        let before = read(&path).unwrap_or_default();
        let patch: String = edits
            .iter()
            .map(|(old, new, _)| format!("<<<<<<< ORIGINAL\n{old}\n=======\n{new}\n>>>>>>> UPDATED\n"))
            .collect();
        let (after, placed) = replaced(&before, &edits);
        self.remember(&held.call, &path);
        if let Some(changed) = self.one_patch(held, (&path, &patch), &before, &after) {
            let input = if placed { held.call.with_whole(&before, &changed) } else { None };
            match input {
                Some(input) => held.put(input),
                None => self.deny(format!(
                    "a hook changed what {} shall hold, and this call cannot say so; write the whole file instead",
                    path.display()
                )),
            }
        }
    }

    fn patch_pre(&mut self, held: &mut Held) {
        let shell = held.call.shape() == Shape::Shell;
        let text = if shell {
            held.call.tool_use().text("command").map(Cow::into_owned)
        } else {
            held.call.patch().map(str::to_owned)
        };
        let Some(text) = text else { return self.misshapen(&held.call, "a patch") };
        let changes = match patch::parse(&text) {
            Ok(changes) => changes,
            Err(_) if !self.listens_before() => return,
            Err(error) => {
                return self.deny(format!("this patch cannot be judged, so it is refused: {error}"));
            }
        };
        let mut parts = Vec::new();
        for change in &changes {
            let path = resolve(&self.cwd, &change.path);
            self.remember(&held.call, &path);
            let new = match &change.kind {
                ChangeKind::Delete => None,
                ChangeKind::Add(content) => {
                    let changed = self.one_save(held, &path, content);
                    changed.map(|changed| patch::write_new(&change.path, &changed))
                }
                ChangeKind::Update { moved_to, hunks } => {
                    let before = read(&path).unwrap_or_default();
                    // Where a place is not found the client will find none either, or one that we do not know:
                    // hooks see the new lines all the same.
                    let after = patch::apply(&before, hunks).unwrap_or_else(|_| {
                        let new: Vec<&str> =
                            hunks.iter().flat_map(|hunk| hunk.new.iter().map(String::as_str)).collect();
                        format!("{before}{}\n", new.join("\n"))
                    });
                    let part = &text[change.span.clone()];
                    let changed = self.one_patch(held, (&path, part), &before, &after);
                    changed.map(|changed| patch::write(&change.path, moved_to.as_deref(), &before, &changed))
                }
            };
            if self.outcome.denied().is_some() {
                return;
            }
            parts.extend(new.map(|new| (change.span.clone(), new)));
        }
        let mut written = text.clone();
        // From the last one, so that the places of the others stay right.
        for (span, new) in parts.into_iter().rev() {
            written.replace_range(span, &new);
        }
        if written != text {
            let mut tool_use = held.call.tool_use();
            let input = if shell {
                tool_use.kwargs.insert("command".to_owned(), Value::from(written));
                held.call.rewritten(&tool_use).ok().flatten()
            } else {
                held.call.with_patch(&written)
            };
            match input {
                Some(input) => held.put(input),
                None => self.misshapen(&held.call, "a patch"),
            }
        }
    }

    /// A call that writes files in a way that is not known: with guards for files it cannot be judged.
    fn misshapen(&mut self, call: &Call, wanted: &str) {
        if self.listens_before() {
            self.deny(format!("this call of `{}` has not {wanted}, so it cannot be judged", call.tool));
        }
    }

    fn remember(&mut self, call: &Call, path: &Path) {
        if self.listens_after() {
            let text = if path.exists() { Some(read(path).unwrap_or_default()) } else { None };
            self.notes.remember(&key(call), path, text.as_deref());
        }
    }

    pub(super) fn files_post(&mut self, ended: &Ended) {
        let call = &ended.call;
        let held = self.notes.recall(&key(call));
        let known =
            |path: &Path| held.iter().find(|before| before.path == path).map(|before| before.text.clone());
        match call.shape() {
            Shape::Save => {
                let (Some(path), Some(content)) = (call.path(), call.content()) else { return };
                let path = resolve(&self.cwd, path);
                let told = ended.raw.as_ref().and_then(|raw| raw.get("type")).and_then(Value::as_str);
                let created = known(&path).map_or(told == Some("create"), |before| before.is_none());
                self.saved(&path, content, created);
            }
            Shape::Edit => {
                let Some(path) = call.path() else { return };
                let path = resolve(&self.cwd, path);
                let edits: Vec<_> =
                    call.edits().iter().map(|(old, new, _)| ((*old).to_owned(), (*new).to_owned())).collect();
                match known(&path) {
                    Some(before) => self.patched(&path, &before.unwrap_or_default()),
                    // Of a notebook's cell it is not known what it was.
                    None if call.input.get("new_source").is_some() => self.changed(&path),
                    None => self.file_edited(&path, &edits),
                }
            }
            Shape::Patch => {
                let changes = call.patch().map(patch::parse).and_then(Result::ok).unwrap_or_default();
                for change in changes {
                    let path = resolve(&self.cwd, &change.path);
                    match change.kind {
                        ChangeKind::Add(content) => {
                            let created = known(&path).is_none_or(|before| before.is_none());
                            self.saved(&path, &content, created);
                        }
                        ChangeKind::Update { moved_to, .. } => {
                            let now = moved_to.map_or_else(|| path.clone(), |to| resolve(&self.cwd, &to));
                            match known(&path) {
                                Some(before) => self.patched(&now, &before.unwrap_or_default()),
                                None => self.changed(&now),
                            }
                        }
                        ChangeKind::Delete => self.changed(&path),
                    }
                }
            }
            Shape::Shell | Shape::Read | Shape::Other => {}
        }
    }

    /// A file was changed, and only the replaced texts are known: what it held is worked out from what it holds.
    pub(super) fn file_edited(&mut self, path: &Path, edits: &[(String, String)]) {
        if let [(old, new)] = edits
            && old.is_empty()
        {
            return self.saved(path, new, true);
        }
        let Some(mut before) = read(path) else { return self.changed(path) };
        for (old, new) in edits.iter().rev().filter(|(_, new)| !new.is_empty()) {
            before = before.replacen(new.as_str(), old, 1);
        }
        self.patched(path, &before);
    }

    fn changed(&mut self, path: &Path) {
        self.notes.changed.insert(path.to_owned());
    }

    fn saved(&mut self, path: &Path, content: &str, created: bool) {
        self.changed(path);
        let fired = fire_now!(self.session, FILE_POST_SAVE { path, content, created });
        self.absorb(&fired);
    }

    fn patched(&mut self, path: &Path, before: &str) {
        self.changed(path);
        if !self.session.listens(FILE_POST_PATCH) {
            return;
        }
        let Some(after) = read(path) else { return };
        let diff = similar::TextDiff::from_lines(before, after.as_str());
        let name = path.display().to_string();
        let diff = diff.unified_diff().header(&name, &name).to_string();
        let fired = fire_now!(self.session, FILE_POST_PATCH { path, before, after: &after, diff: &diff });
        self.absorb(&fired);
    }
}

/// What links a call before and after it ran, where the client gives it no id.
fn key(call: &Call) -> String {
    call.id
        .clone()
        .unwrap_or_else(|| format!("{} {}", call.tool, call.path().or(call.patch()).unwrap_or_default()))
}

/// A file's text; `None` if it cannot be read or is too long to be judged.
fn read(path: &Path) -> Option<String> {
    let size = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    if size > LONGEST_FILE {
        tracing::warn!(path = %path.display(), size, "too long to be shown to hooks");
        return None;
    }
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The text after the edits, and whether each had a place.
fn replaced(before: &str, edits: &[(&str, &str, bool)]) -> (String, bool) {
    let mut after = before.to_owned();
    let mut placed = true;
    for (old, new, all) in edits {
        if old.is_empty() || !after.contains(old) {
            // The client may look more kindly than we do: hooks see the new text all the same.
            placed &= old.is_empty() && after.is_empty();
            after.push_str(new);
        } else if *all {
            after = after.replace(old, new);
        } else {
            after = after.replacen(old, new, 1);
        }
    }
    (after, placed)
}
