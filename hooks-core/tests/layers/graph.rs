//! The graph: which file of the library names what stands in which other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::source::{Path, Source, macros};

/// The library's files, by the paths of their modules.
pub(crate) struct Library {
    pub(crate) files: BTreeMap<Path, Source>,
    /// Which file each `macro_rules!` stands in.
    macros: BTreeMap<String, Path>,
    /// The first sentence of each file's documentation.
    pub(crate) essays: BTreeMap<Path, String>,
}

/// One file names something that stands in another.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) from: Path,
    pub(crate) to: Path,
    /// Where, and what.
    pub(crate) place: String,
}

impl Library {
    /// Reads every file that `lib.rs` leads to.
    pub(crate) fn read() -> Self {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut library = Self { files: BTreeMap::new(), macros: BTreeMap::new(), essays: BTreeMap::new() };
        let mut left: Vec<Path> = vec![Path::new()];
        while let Some(module) = left.pop() {
            let text = fs::read_to_string(root.join(file(&root, &module))).expect("the module has a file");
            let source = Source::read(&module, &text);
            left.extend(source.children.iter().map(|child| module.iter().chain([child]).cloned().collect()));
            library.macros.extend(macros(&text).into_iter().map(|name| (name, module.clone())));
            library.essays.insert(module.clone(), essay(&text));
            library.files.insert(module, source);
        }
        library
    }

    /// A library of files that are given as texts: for tests of this test.
    pub(crate) fn of(texts: &[(&str, &str)]) -> Self {
        let module = |name: &str| -> Path {
            name.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let files = texts.iter().map(|(name, text)| (module(name), Source::read(&module(name), text)));
        let macros = texts.iter().flat_map(|(name, text)| {
            macros(text).into_iter().map(|found| (found, module(name))).collect::<Vec<_>>()
        });
        Self { files: files.collect(), macros: macros.collect(), essays: BTreeMap::new() }
    }

    /// The file in which something stands that is named by that path.
    pub(crate) fn find(&self, path: &[String]) -> Option<Path> {
        self.find_within(path, 0)
    }

    fn find_within(&self, path: &[String], deep: usize) -> Option<Path> {
        if deep > 16 {
            return None;
        }
        let known = (0..=path.len()).rev().find(|end| self.files.contains_key(&path[..*end]))?;
        let (mut module, mut rest) = path.split_at(known);
        let Some(mut name) = rest.first() else {
            // A module and something that is handed on may have one name; whichever is meant, it stands there.
            return Some(module.to_vec());
        };
        let mut source = &self.files[module];
        loop {
            if source.items.contains(name) {
                return Some(module.to_vec());
            }
            let handed =
                source.imports.get(name).filter(|to| to.as_slice() != &path[..=known.min(path.len() - 1)]);
            if let Some(to) = handed {
                let to: Path = to.iter().chain(&rest[1..]).cloned().collect();
                return self.find_within(&to, deep + 1);
            }
            for glob in &source.globs {
                let to: Path = glob.iter().chain(rest).cloned().collect();
                if let Some(found) = self.find_within(&to, deep + 1) {
                    return Some(found);
                }
            }
            if module.is_empty() {
                return self.macros.get(name).cloned();
            }
            // An inline module of that file.
            (module, rest) = path.split_at(module.len() - 1);
            name = &rest[0];
            source = &self.files[module];
            if source.children.contains(name) {
                return None;
            }
        }
    }

    /// Every arrow between two files. What a folder's face hands on of its own files is none, nor is anything that the
    /// crate's root names, which is the face of all.
    pub(crate) fn arrows(&self) -> (Vec<Arrow>, Vec<String>) {
        let (mut arrows, mut lost) = (Vec::new(), Vec::new());
        for (from, source) in self.files.iter().filter(|(from, _)| !from.is_empty()) {
            for named in &source.named {
                let own = named.path.len() > from.len() && named.path.starts_with(from);
                if named.handed_on && own {
                    continue;
                }
                let place = format!("{}:{} `{}`", from.join("/"), named.line, named.path.join("::"));
                match self.find(&named.path) {
                    Some(to) if to.is_empty() || to == *from => {}
                    Some(to) => arrows.push(Arrow { from: from.clone(), to, place }),
                    None => lost.push(place),
                }
            }
        }
        (arrows, lost)
    }
}

/// The first sentence of a file's documentation, or all of its first paragraph where that has no end.
fn essay(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    paragraph.split_once(". ").map_or(paragraph.as_str(), |(first, _)| first).trim_end_matches('.').to_owned()
}

fn file(root: &std::path::Path, module: &Path) -> PathBuf {
    if module.is_empty() {
        return PathBuf::from("lib.rs");
    }
    let path: PathBuf = module.iter().collect();
    let alone = path.with_extension("rs");
    if root.join(&alone).exists() { alone } else { path.join("mod.rs") }
}

/// The arrows between what stands side by side in one folder (or at the root): files, and folders as a whole. The folder's
/// `mod.rs` is one of them, as `mod`.
pub(crate) fn beside(arrows: &[Arrow], folder: &[String]) -> BTreeMap<(String, String), String> {
    let mut between = BTreeMap::new();
    for arrow in arrows {
        let within = |path: &Path| -> Option<String> {
            let rest = path.strip_prefix(folder)?;
            Some(rest.first().cloned().unwrap_or_else(|| "mod".to_owned()))
        };
        if let (Some(from), Some(to)) = (within(&arrow.from), within(&arrow.to))
            && from != to
        {
            between.entry((from, to)).or_insert_with(|| arrow.place.clone());
        }
    }
    between
}

/// A circle among them, in words, if there is one: the shortest from where it is found first.
pub(crate) fn circle(between: &BTreeMap<(String, String), String>) -> Option<String> {
    let nodes: BTreeSet<&String> = between.keys().flat_map(|(from, to)| [from, to]).collect();
    let way = |start: &String| -> Option<Vec<String>> {
        let mut came: BTreeMap<String, String> = BTreeMap::new();
        let mut left = std::collections::VecDeque::from([start.clone()]);
        while let Some(at) = left.pop_front() {
            for (_, to) in between.keys().filter(|(from, _)| *from == at) {
                if to == start {
                    let mut way = vec![to.clone(), at.clone()];
                    while let Some(before) = came.get(&way[way.len() - 1]) {
                        way.push(before.clone());
                    }
                    way.reverse();
                    return Some(way);
                }
                if !came.contains_key(to) {
                    came.insert(to.clone(), at.clone());
                    left.push_back(to.clone());
                }
            }
        }
        None
    };
    let way = nodes.into_iter().filter_map(way).min_by_key(Vec::len)?;
    let step = |pair: &[String]| {
        let place = &between[&(pair[0].clone(), pair[1].clone())];
        format!("\n  {} uses {}: {place}", pair[0], pair[1])
    };
    Some(format!("{}{}", way.join(" → "), way.windows(2).map(step).collect::<String>()))
}
