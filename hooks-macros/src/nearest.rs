//! "Did you mean …?"

/// `; did you mean …?` for a misspelt word, or nothing.
pub(crate) fn nearest(wanted: &str, known: &[&str]) -> String {
    find(wanted, known).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The word of `known` that `wanted` is a misspelling of. Case does not count.
pub(crate) fn find<'k>(wanted: &str, known: &[&'k str]) -> Option<&'k str> {
    let wanted = wanted.to_lowercase();
    let near = known.iter().map(|name| (edits(&wanted, &name.to_lowercase()), *name));
    near.filter(|(edits, name)| *edits <= allowed(wanted.len().max(name.len())))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

/// How many letters of a word this long may be wrong.
fn allowed(length: usize) -> usize {
    (length / 3).min(3)
}

/// How many letters are to be added, left out, changed, or swapped with their neighbour.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                let swapped: &Vec<usize> = &before;
                best = best.min(swapped[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{edits, find, nearest};

    #[test]
    fn a_letter_more_or_less_or_swapped_is_one_edit() {
        for (from, to, count) in [
            ("path", "path", 0),
            ("pth", "path", 1),
            ("paths", "path", 1),
            ("paht", "path", 1),
            ("", "path", 4),
            ("path", "", 4),
            ("größe", "grösse", 2),
        ] {
            assert_eq!(edits(from, to), count, "{from} → {to}");
        }
    }

    #[test]
    fn the_nearest_word_is_named_and_a_stranger_is_not() {
        let known = ["priority", "name", "once", "background", "blocking"];
        assert_eq!(find("priorty", &known), Some("priority"));
        assert_eq!(find("PRIORITY", &known), Some("priority"));
        assert_eq!(find("bakcground", &known), Some("background"));
        assert_eq!(find("colour", &known), None);
        assert_eq!(find("", &known), None);
        assert_eq!(nearest("onec", &known), "; did you mean `once`?");
        assert_eq!(nearest("x", &known), "");
    }
}
