//! The layers, from the bottom up, and what stands in them.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Arrow, Library, beside};

/// Each names what stands below it and nothing above.
pub(crate) const LAYERS: [&str; 9] =
    ["base", "plain", "machinery", "set", "session", "declared", "registry", "dispatch", "points"];

/// What stands on top of all layers: a point behind a pointer, what generated code touches, what is for authors.
pub(crate) const FACE: [&str; 4] = ["point_of", "data", "__private", "prelude"];

/// Arrows that go up, in words, and modules that have no place.
pub(crate) fn wrong(library: &Library, arrows: &[Arrow]) -> Vec<String> {
    let order: Vec<&str> = LAYERS.into_iter().chain(FACE).collect();
    let place = |name: &str| order.iter().position(|layer| *layer == name);
    let root = &library.files[&Vec::new()];
    let mut wrong: Vec<String> = root
        .children
        .iter()
        .filter(|name| place(name).is_none())
        .map(|name| format!("`{name}` has no place among the layers"))
        .collect();
    for ((from, to), at) in beside(arrows, &[]) {
        if place(&from) < place(&to) {
            wrong.push(format!("`{from}` stands below `{to}` and names it: {at}"));
        }
    }
    wrong
}

/// What stands in a layer, in rows from the bottom up: each row names rows below it only.
pub(crate) fn rows(library: &Library, arrows: &[Arrow], layer: &str) -> Vec<Vec<String>> {
    let folder = vec![layer.to_owned()];
    let between = beside(arrows, &folder);
    let mut left: BTreeSet<String> = library.files[&folder].children.clone();
    if between.keys().any(|(from, to)| from == "mod" || to == "mod") {
        left.insert("mod".to_owned());
    }
    let mut rows = Vec::new();
    while !left.is_empty() {
        let free = |name: &&String| {
            !between.keys().any(|(from, to)| from == *name && to != *name && left.contains(to))
        };
        let row: Vec<String> = left.iter().filter(free).cloned().collect();
        assert!(!row.is_empty(), "a circle in `{layer}`");
        left.retain(|name| !row.contains(name));
        rows.push(row);
    }
    rows
}

/// What a file of a layer is, in its own words.
pub(crate) fn essays(library: &Library, layer: &str) -> BTreeMap<String, String> {
    let folder = vec![layer.to_owned()];
    let children = library.files[&folder].children.iter();
    let mut essays: BTreeMap<String, String> = children
        .map(|child| (child.clone(), library.essays[&vec![layer.to_owned(), child.clone()]].clone()))
        .collect();
    essays.insert("mod".to_owned(), library.essays[&folder].clone());
    essays
}
