//! The table in `docs/attacks.md`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use super::Result;
use super::play::{Outcome, Verdict};
use super::row::Kind;

const TABLE: &str = "the table";
const ORDINARY: &str = "the count of ordinary work";

const HEAD: &str =
    "| kind | rows | denied | asked | ran, held | let through | not held |\n|---|---|---|---|---|---|---|\n";

/// Which kind a line of the page is about.
fn id_of(line: &str) -> Option<&str> {
    line.split_once("(../tests/attacks/rows/")?.1.split_once(".toml)").map(|(id, _)| id)
}

/// The part of the page with the lines of these results in the place of what it says of their kinds.
fn renewed(held: &str, results: &[Result<'_>]) -> String {
    let (mut rows, mut open) = (BTreeMap::new(), BTreeMap::<&str, Vec<String>>::new());
    for line in held.lines() {
        match id_of(line) {
            Some(id) if line.starts_with('|') => drop(rows.insert(id, line.to_owned())),
            Some(id) => open.entry(id).or_default().push(line.to_owned()),
            None => {}
        }
    }
    let mut kinds: Vec<&Kind> = results.iter().map(|result| result.kind).collect();
    kinds.dedup_by_key(|kind| &kind.id);
    for kind in kinds {
        let of_kind: Vec<_> = results.iter().filter(|result| result.kind.id == kind.id).collect();
        if of_kind.len() < kind.row.len() {
            continue; // only some of them were played
        }
        let count = |verdict| {
            let held = of_kind.iter().filter(|result| result.row.not_held.is_none());
            held.filter(|result| result.outcome.verdict == verdict).count()
        };
        let link = format!("[{}](../tests/attacks/rows/{}.toml)", kind.title, kind.id);
        let told: Vec<String> = of_kind
            .iter()
            .filter_map(|result| Some((result, result.row.not_held.as_ref()?)))
            .map(|(result, why)| format!("- {link}, `{}`: {why}", result.row.name.replace('\n', "⏎")))
            .collect();
        let counts = [
            of_kind.len(),
            count(Verdict::Denied),
            count(Verdict::Asked),
            count(Verdict::Held),
            count(Verdict::Allowed),
            told.len(),
        ];
        rows.insert(&kind.id, line(&link, counts));
        open.insert(&kind.id, told);
    }
    let mut sums = [0; 6];
    for row in rows.values() {
        let cells = row.split(" | ").skip(1).map(|cell| cell.trim_matches([' ', '|']).parse().unwrap_or(0));
        sums.iter_mut().zip(cells).for_each(|(sum, count)| *sum += count);
    }
    let rows: String = rows.into_values().map(|line| line + "\n").collect();
    let open: String = open.into_values().flatten().map(|line| line + "\n").collect();
    let open = if open.is_empty() { open } else { format!("\nWhat is known not to hold:\n\n{open}") };
    format!("{HEAD}{rows}{}\n{open}", line("all", sums))
}

fn line(title: &str, counts: [usize; 6]) -> String {
    let counts = counts.map(|count| if count == 0 { String::new() } else { count.to_string() });
    format!("| {title} | {} |", counts.join(" | "))
}

/// Makes sure that the page says of these kinds what came out; writes it where `UPDATE_PAGES` is set.
pub fn check(results: &[Result<'_>]) {
    check_part(TABLE, |held| renewed(held, results));
}

/// The same for how often ordinary work is asked about.
pub fn check_ordinary(outcomes: &[(String, Outcome)]) {
    let asked: Vec<_> = outcomes.iter().filter(|(_, outcome)| outcome.verdict == Verdict::Asked).collect();
    let percent = asked.len() as f64 * 100.0 / outcomes.len() as f64;
    let mut text = format!("Of {} commands {} are asked about, {percent:.1} %", outcomes.len(), asked.len());
    text.push_str(if asked.is_empty() { ".\n" } else { ":\n\n" });
    for (command, outcome) in asked {
        let _ = writeln!(text, "- `{command}`: {}", outcome.detail);
    }
    check_part(ORDINARY, |_| text);
}

fn check_part(part: &str, make: impl FnOnce(&str) -> String) {
    static PAGE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = PAGE.lock();
    let begin = format!("<!-- {part} is made by tests/attacks -->\n");
    let end = format!("<!-- end of {part} -->");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/attacks.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(&begin).unwrap();
    let (held, after) = rest.split_once(&end).unwrap();
    let made = make(held);
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, format!("{before}{begin}{made}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(held, made, "{part} in docs/attacks.md is of another time: run this test with UPDATE_PAGES=1");
}
