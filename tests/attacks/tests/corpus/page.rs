//! The table in `docs/attacks.md`.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use super::Result;
use super::play::{Outcome, Verdict};

const TABLE: &str = "the table";
const ORDINARY: &str = "the count of ordinary work";

fn table(results: &[Result<'_>]) -> String {
    let mut text = String::from(
        "| kind | rows | denied | asked | ran, held | let through | not held |\n|---|---|---|---|---|---|---|\n",
    );
    let mut kinds: Vec<_> = results.iter().map(|result| (&result.kind.id, &result.kind.title)).collect();
    kinds.dedup();
    let mut sums = [0; 6];
    for (id, title) in kinds {
        let rows: Vec<_> = results.iter().filter(|result| result.kind.id == *id).collect();
        let count = |verdict| {
            rows.iter().filter(|row| row.row.not_held.is_none() && row.outcome.verdict == verdict).count()
        };
        let not_held = rows.iter().filter(|row| row.row.not_held.is_some()).count();
        let counts = [
            rows.len(),
            count(Verdict::Denied),
            count(Verdict::Asked),
            count(Verdict::Held),
            count(Verdict::Allowed),
            not_held,
        ];
        line(&mut text, &format!("[{title}](../tests/attacks/rows/{id}.toml)"), counts);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    line(&mut text, "all", sums);
    let open: Vec<_> =
        results.iter().filter_map(|result| Some((result, result.row.not_held.as_ref()?))).collect();
    if !open.is_empty() {
        text.push_str("\nWhat is known not to hold:\n\n");
        for (result, why) in open {
            let _ = writeln!(text, "- {}, `{}`: {why}", result.kind.title, result.row.name);
        }
    }
    text
}

fn line(text: &mut String, title: &str, counts: [usize; 6]) {
    let counts = counts.map(|count| if count == 0 { String::new() } else { count.to_string() });
    let _ = writeln!(text, "| {title} | {} |", counts.join(" | "));
}

/// Makes sure that the page has the table of these results; writes it where `UPDATE_PAGES` is set.
pub fn check(results: &[Result<'_>]) {
    check_part(TABLE, &table(results));
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
    check_part(ORDINARY, &text);
}

fn check_part(part: &str, made: &str) {
    static PAGE: Mutex<()> = Mutex::new(());
    let _one_at_a_time = PAGE.lock();
    let begin = format!("<!-- {part} is made by tests/attacks -->\n");
    let end = format!("<!-- end of {part} -->");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/attacks.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(&begin).unwrap();
    let (held, after) = rest.split_once(&end).unwrap();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, format!("{before}{begin}{made}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(held, made, "{part} in docs/attacks.md is of another time: run this test with UPDATE_PAGES=1");
}
