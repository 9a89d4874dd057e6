//! The text that `apply_patch` takes: which files it changes, and what they hold afterwards.
//!
//! One text changes several files. Parsed, it gives one [`Change`] a file, so that hooks at `FILE_PRE_PATCH` see
//! each file by itself. Places are looked for as Codex does: exactly, then without trailing space, then
//! without any space around.

use std::ops::Range;

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file as it is named in the patch.
    pub path: String,
    /// What happens to it.
    pub kind: ChangeKind,
    /// Where this part stands in the patch's text.
    pub span: Range<usize>,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is written, with this text.
    Add(String),
    /// It is deleted.
    Delete,
    /// Parts of it are replaced.
    Update {
        /// Its new name, where it gets one.
        moved_to: Option<String>,
        /// The replacements, in order.
        hunks: Vec<Hunk>,
    },
}

/// One replacement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines to find first, from behind `@@`.
    pub anchors: Vec<String>,
    /// The lines that are there.
    pub old: Vec<String>,
    /// The lines that take their place.
    pub new: Vec<String>,
    /// Whether they stand at the file's end.
    pub at_end: bool,
}

/// Why a patch cannot be read or applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// It does not begin or end as a patch does.
    #[error("the patch has no `{0}`")]
    Frame(&'static str),
    /// A line that means nothing where it stands.
    #[error("line {line} of the patch means nothing where it stands: `{text}`")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// The lines to replace are not in the file.
    #[error("the file has no place like `{0}`")]
    NoPlace(String),
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// Reads a patch. Text before its first and behind its last line does not count, so that a whole shell
/// command may be given.
///
/// # Errors
/// If it is not a patch.
pub fn parse(text: &str) -> Result<Vec<Change>, PatchError> {
    let start = text.find(BEGIN).ok_or(PatchError::Frame(BEGIN))?;
    let mut reader = Reader::default();
    let mut at = start;
    for (index, line) in text[start..].split_inclusive('\n').enumerate() {
        let bare = line.trim_end_matches(['\n', '\r']);
        if bare.trim_end() == END {
            reader.close(at);
            return Ok(reader.changes);
        }
        if index > 0 {
            reader.line(bare, at).map_err(|text| PatchError::Line { line: index + 1, text })?;
        }
        at += line.len();
    }
    Err(PatchError::Frame(END))
}

#[derive(Default)]
struct Reader {
    changes: Vec<Change>,
    /// A new hunk begins with the next line that is not an anchor.
    fresh: bool,
}

impl Reader {
    fn close(&mut self, at: usize) {
        if let Some(change) = self.changes.last_mut() {
            change.span.end = at;
        }
    }

    fn open(&mut self, path: &str, kind: ChangeKind, at: usize) {
        self.close(at);
        self.changes.push(Change { path: path.trim().to_owned(), kind, span: at..at });
        self.fresh = true;
    }

    fn line(&mut self, line: &str, at: usize) -> Result<(), String> {
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            self.open(path, ChangeKind::Add(String::new()), at);
            return Ok(());
        }
        if let Some(path) = line.strip_prefix("*** Delete File: ") {
            self.open(path, ChangeKind::Delete, at);
            return Ok(());
        }
        if let Some(path) = line.strip_prefix("*** Update File: ") {
            self.open(path, ChangeKind::Update { moved_to: None, hunks: Vec::new() }, at);
            return Ok(());
        }
        let fresh = self.fresh;
        match self.changes.last_mut().map(|change| &mut change.kind) {
            Some(ChangeKind::Add(content)) => {
                let put = line.strip_prefix('+').ok_or_else(|| line.to_owned())?;
                content.push_str(put);
                content.push('\n');
                Ok(())
            }
            Some(ChangeKind::Update { moved_to, hunks }) => {
                self.fresh = update(line, fresh, moved_to, hunks)?;
                Ok(())
            }
            _ if line.trim().is_empty() => Ok(()),
            _ => Err(line.to_owned()),
        }
    }
}

/// Reads a line of an update; returns whether the next line begins a hunk.
fn update(
    line: &str,
    fresh: bool,
    moved_to: &mut Option<String>,
    hunks: &mut Vec<Hunk>,
) -> Result<bool, String> {
    if let Some(path) = line.strip_prefix("*** Move to: ") {
        *moved_to = Some(path.trim().to_owned());
        return Ok(fresh);
    }
    let bare = |hunk: &Hunk| hunk.old.is_empty() && hunk.new.is_empty();
    if let Some(anchor) = line.strip_prefix("@@") {
        if !hunks.last().is_some_and(bare) {
            hunks.push(Hunk::default());
        }
        let anchor = anchor.trim();
        if let Some(hunk) = hunks.last_mut().filter(|_| !anchor.is_empty()) {
            hunk.anchors.push(anchor.to_owned());
        }
        return Ok(false);
    }
    if fresh {
        hunks.push(Hunk::default());
    }
    let Some(hunk) = hunks.last_mut() else { return Err(line.to_owned()) };
    if line.trim_end() == "*** End of File" {
        hunk.at_end = true;
        return Ok(true);
    }
    match line.split_at_checked(1) {
        Some((" ", kept)) => {
            hunk.old.push(kept.to_owned());
            hunk.new.push(kept.to_owned());
        }
        Some(("-", old)) => hunk.old.push(old.to_owned()),
        Some(("+", new)) => hunk.new.push(new.to_owned()),
        None => {
            hunk.old.push(String::new());
            hunk.new.push(String::new());
        }
        Some(_) => return Err(line.to_owned()),
    }
    Ok(false)
}

/// The file's text after the replacements.
///
/// # Errors
/// If a place is not there.
pub fn apply(before: &str, hunks: &[Hunk]) -> Result<String, PatchError> {
    let mut lines: Vec<&str> = before.lines().collect();
    let mut from = 0;
    for hunk in hunks {
        for anchor in &hunk.anchors {
            let place = seek(&lines, std::slice::from_ref(anchor), from, false);
            from = place.ok_or_else(|| PatchError::NoPlace(anchor.clone()))? + 1;
        }
        if hunk.old.is_empty() {
            let at = if hunk.anchors.is_empty() { lines.len() } else { from };
            lines.splice(at..at, hunk.new.iter().map(String::as_str));
            from = at + hunk.new.len();
            continue;
        }
        // A patch may count the empty line behind the last one; a file's lines do not.
        let trimmed = hunk.old.len() - usize::from(hunk.old.last().is_some_and(String::is_empty));
        let whole = seek(&lines, &hunk.old, from, hunk.at_end).map(|at| (at, hunk.old.len(), hunk.new.len()));
        let found = whole.or_else(|| {
            let kept = hunk.new.len() - usize::from(hunk.new.last().is_some_and(String::is_empty));
            (trimmed > 0 && trimmed < hunk.old.len())
                .then(|| seek(&lines, &hunk.old[..trimmed], from, hunk.at_end))
                .flatten()
                .map(|at| (at, trimmed, kept))
        });
        let (at, old, new) =
            found.ok_or_else(|| PatchError::NoPlace(hunk.old.first().cloned().unwrap_or_default()))?;
        lines.splice(at..at + old, hunk.new[..new].iter().map(String::as_str));
        from = at + new;
    }
    let mut after = lines.join("\n");
    if !after.is_empty() {
        after.push('\n');
    }
    Ok(after)
}

/// Where the lines stand, from `from` on.
fn seek(lines: &[&str], wanted: &[String], from: usize, at_end: bool) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let alike: [fn(&str, &str) -> bool; 3] =
        [|a, b| a == b, |a, b| a.trim_end() == b.trim_end(), |a, b| a.trim() == b.trim()];
    alike.into_iter().find_map(|alike| {
        let fits = |at: &usize| lines[*at..].iter().zip(wanted).all(|(line, wanted)| alike(line, wanted));
        let end = at_end.then_some(last).filter(|at| *at >= from).filter(fits);
        end.or_else(|| (from..=last).find(fits))
    })
}

/// The part of a patch that makes `after` of a file that holds `before`.
#[must_use]
pub fn write(path: &str, moved_to: Option<&str>, before: &str, after: &str) -> String {
    let mut text = format!("*** Update File: {path}\n");
    if let Some(moved_to) = moved_to {
        text.push_str(&format!("*** Move to: {moved_to}\n"));
    }
    let diff = similar::TextDiff::from_lines(before, after);
    for group in diff.grouped_ops(3) {
        text.push_str("@@\n");
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                similar::ChangeTag::Equal => ' ',
                similar::ChangeTag::Delete => '-',
                similar::ChangeTag::Insert => '+',
            };
            text.push(sign);
            text.push_str(change.value().trim_end_matches(['\n', '\r']));
            text.push('\n');
        }
    }
    text
}

/// The part of a patch that writes a new file.
#[must_use]
pub fn write_new(path: &str, content: &str) -> String {
    let lines = content.lines().map(|line| format!("+{line}\n"));
    std::iter::once(format!("*** Add File: {path}\n")).chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@ fn main\n let x = 1;\n-frob();\n+widget();\n*** Delete File: old.txt\n*** End Patch";

    #[test]
    fn one_patch_is_a_change_a_file() {
        let changes = parse(PATCH).unwrap();
        let paths: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["new.txt", "src/a.rs", "old.txt"]);
        assert_eq!(changes[0].kind, ChangeKind::Add("one\ntwo\n".into()));
        assert_eq!(changes[2].kind, ChangeKind::Delete);
        assert!(PATCH[changes[1].span.clone()].starts_with("*** Update File: src/a.rs\n*** Move to"));
        assert!(PATCH[changes[1].span.clone()].ends_with("+widget();\n"));
        let ChangeKind::Update { moved_to, hunks } = &changes[1].kind else { panic!("{changes:?}") };
        assert_eq!(moved_to.as_deref(), Some("src/b.rs"));
        let before = "fn other() {}\nfn main\nlet x = 1;  \nfrob();\nend\n";
        assert_eq!(apply(before, hunks).unwrap(), "fn other() {}\nfn main\nlet x = 1;\nwidget();\nend\n");
    }

    #[test]
    fn hunks_apply_in_order_and_at_the_end() {
        let text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+1\n@@\n-x\n+2\n@@\n end\n+more\n*** End of File\n*** End Patch\n";
        let changes = parse(text).unwrap();
        let ChangeKind::Update { hunks, .. } = &changes[0].kind else { panic!() };
        assert_eq!(apply("x\nend\nx\nend\n", hunks).unwrap(), "1\nend\n2\nend\nmore\n");
        assert_eq!(apply("y\n", hunks), Err(PatchError::NoPlace("x".into())));
    }

    #[test]
    fn what_is_written_is_read_back_to_the_same_text() {
        let before: String = (0..40).map(|line| format!("line {line}\n")).collect();
        let after = before.replace("line 3\n", "").replace("line 30\n", "thirty\nand more\n");
        let text =
            format!("{BEGIN}\n{}{}{END}\n", write("a", None, &before, &after), write_new("b", "1\n\n2\n"));
        let changes = parse(&text).unwrap();
        let ChangeKind::Update { hunks, .. } = &changes[0].kind else { panic!() };
        assert_eq!(apply(&before, hunks).unwrap(), after);
        assert_eq!(changes[1].kind, ChangeKind::Add("1\n\n2\n".into()));
    }

    #[test]
    fn a_patch_inside_a_command_is_found_and_rubbish_is_refused() {
        let command = format!("apply_patch <<'EOF'\n{PATCH}\nEOF\n");
        assert_eq!(parse(&command).unwrap().len(), 3);
        assert_eq!(parse("hello"), Err(PatchError::Frame(BEGIN)));
        assert_eq!(parse("*** Begin Patch\n*** Delete File: a\n"), Err(PatchError::Frame(END)));
        let odd = parse("*** Begin Patch\nwhat\n*** End Patch");
        assert_eq!(odd, Err(PatchError::Line { line: 2, text: "what".into() }));
        for broken in [
            "*** Begin Patch\n*** Update File: a\n?\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch",
        ] {
            assert!(matches!(parse(broken), Err(PatchError::Line { line: 3, .. })), "{broken}");
        }
    }
}
