//! The page as things to do: files to write and commands to type, section by section.

/// A command, and the lines that are shown below it.
pub(crate) type Typed = (String, Vec<String>);

pub(crate) enum Block {
    /// A file, by its path from where the reader begins.
    File { path: String, text: String },
    /// Commands, each with the lines of its output that are shown.
    Commands(Vec<Typed>),
}

pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

/// The sections of a page. A block that is neither a file nor commands is an error: nobody would run it.
pub(crate) fn sections(page: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut before = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push(Section { title: title.to_owned(), blocks: Vec::new() });
        } else if let Some(language) = line.strip_prefix("```") {
            let held: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let block = match language {
                "console" => Block::Commands(commands(&held)),
                _ => Block::File {
                    path: path(before).unwrap_or_else(|| panic!("whose text is below {before:?}?")),
                    text: held.join("\n") + "\n",
                },
            };
            sections.last_mut().expect("a block before the first section").blocks.push(block);
        }
        if !line.is_empty() {
            before = line;
        }
    }
    sections
}

/// The file that a line names for the block below it: "`src/lib.rs`, in place of what is there:".
fn path(line: &str) -> Option<String> {
    let (path, _) = line.strip_prefix('`')?.split_once('`')?;
    line.ends_with(':').then(|| path.to_owned())
}

fn commands(lines: &[&str]) -> Vec<Typed> {
    let mut found: Vec<Typed> = Vec::new();
    let mut here = false;
    for line in lines {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (_, Some((command, _))) if here => {
                *command += &format!("\n{line}");
                here = *line != "EOF";
            }
            (Some(command), _) => {
                here = command.ends_with("<<'EOF'");
                found.push((command.to_owned(), Vec::new()));
            }
            (None, Some((_, shown))) if *line != "…" => shown.push((*line).to_owned()),
            (None, _) => {}
        }
    }
    found
}

/// Whether a line of output is what the page shows; `…` stands for anything.
pub(crate) fn is_like(shown: &str, printed: &str) -> bool {
    let mut rest = printed.trim();
    let mut parts = shown.split('…').map(str::trim);
    let starts =
        parts.next().is_some_and(|first| rest.strip_prefix(first).map(|after| rest = after).is_some());
    let mut open = false;
    starts
        && parts.all(|part| {
            open = part.is_empty();
            rest.find(part).map(|at| rest = &rest[at + part.len()..]).is_some()
        })
        && (open || rest.is_empty())
}

#[test]
fn three_dots_stand_for_anything_and_nothing_else_does() {
    assert!(is_like("trusted …", "trusted  /w/hookspec.toml"));
    assert!(is_like("on … a.b …", "on   a.b   x"));
    assert!(is_like("hello", "  hello"));
    assert!(!is_like("hello", "hello, you"));
    assert!(!is_like("on … a.b …", "off  a.b"));
    assert!(!is_like("on … a.b …", "on   a.c"));
}
