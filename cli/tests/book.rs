//! The book and the README: links that lead somewhere, an index that misses nothing, commands that there are.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on has failed

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::Home;
use common::commands::{commands, run};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What lies in a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// Everything that is written for people.
fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![root.join("README.md"), root.join("benches/README.md")];
    for folder in ["docs", "docs/builtins", "docs/clients", "docs/decisions"] {
        pages.extend(entries(&root.join(folder)).into_iter().filter(|path| is_page(path)));
    }
    let examples = entries(&root.join("examples"));
    pages.extend(examples.iter().map(|example| example.join("README.md")).filter(|page| page.is_file()));
    assert!(pages.len() > 50, "{pages:?}");
    pages
}

/// The lines of a page, each with whether it stands in a block of code.
fn lines(page: &str) -> impl Iterator<Item = (bool, &str)> {
    page.lines().scan(false, |inside, line| {
        let fence = line.starts_with("```");
        *inside ^= fence;
        Some((*inside && !fence, line))
    })
}

/// A heading's anchor, as the usual viewers make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    for page in pages() {
        let all = text(&page);
        let prose = lines(&all).filter(|(code, _)| !code).map(|(_, line)| line);
        for link in prose.flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
        {
            if link.contains("://") {
                continue;
            }
            let (file, wanted) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let found = target.exists()
                && (wanted.is_empty()
                    || text(&target)
                        .lines()
                        .filter(|line| line.starts_with('#'))
                        .any(|line| anchor(line.trim_start_matches('#')) == wanted));
            if !found {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn the_indexes_miss_nothing() {
    let root = root();
    let mut missed = Vec::new();
    let readme = text(&root.join("README.md"));
    for folder in entries(&root).iter().filter(|path| path.join("Cargo.toml").is_file()) {
        missed
            .extend((!readme.contains(&format!("| `{}/` |", name(folder)))).then(|| name(folder).to_owned()));
    }
    for example in entries(&root.join("examples")).iter().filter(|path| path.is_dir()) {
        let link = format!("(examples/{})", name(example));
        missed.extend((!readme.contains(&link)).then_some(link));
    }
    for folder in ["docs", "docs/clients"] {
        let index = text(&root.join(folder).join("README.md"));
        for page in entries(&root.join(folder)) {
            let link = format!("({})", name(&page));
            let is_missed = is_page(&page) && name(&page) != "README.md" && !index.contains(&link);
            missed.extend(is_missed.then(|| format!("{folder}/{}", name(&page))));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The commands of this program that a page shows, as words; in blocks of code and between backticks.
fn shown(page: &str) -> Vec<Vec<String>> {
    let spans = lines(page).flat_map(|(code, line)| match code {
        true => vec![line.trim_start_matches("$ ").split(" #").next().unwrap_or_default()],
        false => line.split('`').skip(1).step_by(2).collect(),
    });
    // `hookspec = …` is a line of Cargo.toml.
    let ours = spans.filter_map(|span| span.strip_prefix("hookspec ")).filter(|rest| !rest.starts_with('='));
    ours.map(|rest| rest.split_whitespace().take_while(|word| *word != "|").map(str::to_owned).collect())
        .collect()
}

#[test]
fn commands_and_options_are_those_of_the_program() {
    let home = Home::new();
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for words in shown(&text(&page)) {
            let Some(command) = words.iter().find(|word| !word.starts_with('-')) else { continue };
            // Without the feature the program says so in place of its options.
            if command == "serve" && !cfg!(feature = "server") {
                continue;
            }
            let help = helps.entry(command.clone()).or_insert_with(|| {
                let output = home.run(&[command, "--help"]);
                String::from_utf8(if output.status.success() { output.stdout } else { Vec::new() }).unwrap()
            });
            let options = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
            let known = |option: &&String| {
                let option =
                    option.split('=').next().unwrap_or_default().trim_end_matches([',', ';', '.', ')']);
                help.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == option)
            };
            // `trust` and `snapshots` have commands of their own, with options of their own.
            let nested = matches!(command.as_str(), "trust" | "snapshots");
            seen += 1;
            if help.is_empty() || !nested && !options.into_iter().all(|option| known(&option)) {
                wrong.push(format!("{}: hookspec {}", page.display(), words.join(" ")));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_model_that_plays_a_script_does_what_the_page_says() {
    let page = text(&root().join("docs/chat.md"));
    let (_, section) = page.split_once("## Without a model").expect("the section");
    let commands = commands(section);
    let (printed, errors) = run(&Home::new(), &commands);
    let wanted: Vec<_> = commands.iter().map(|(_, output)| output.clone()).collect();
    assert_eq!(printed, wanted, "{errors}");
    assert!(wanted.concat().contains("the script"));
}
