//! The corpus: texts of our own, of which every other one was not looked at while the rules were made.

use serde::Deserialize;

use super::findings::findings;

const ATTACKS: &str = include_str!("../../tests/injection/attacks.jsonl");
const HONEST: &str = include_str!("../../tests/injection/honest.jsonl");

#[derive(Deserialize)]
struct Row {
    lang: String,
    kind: String,
    text: String,
}

/// How many of each half are found, and which are not as they should be: of the half that the rules were made with.
fn found(corpus: &str, should: bool) -> ([usize; 2], Vec<String>) {
    let (mut halves, mut wrong) = ([0; 2], Vec::new());
    for (number, line) in corpus.lines().enumerate() {
        let Row { lang, kind, text } = serde_json::from_str(line).unwrap();
        let is_found = !findings(&text).unwrap().is_empty();
        halves[number % 2] += usize::from(is_found);
        if is_found != should && number % 2 == 0 {
            wrong.push(format!("{lang} {kind}: {text}"));
        }
    }
    (halves, wrong)
}

#[test]
fn attacks_are_found_and_honest_texts_hardly_ever_in_both_halves() {
    let (attacks, missed) = found(ATTACKS, true);
    let (honest, marked) = found(HONEST, false);
    let told = format!(
        "attacks {attacks:?} of 100 each, honest {honest:?} of 100 each; missed {missed:#?}, marked {marked:#?}"
    );
    println!("{told}");
    assert_eq!((ATTACKS.lines().count(), HONEST.lines().count()), (200, 200));
    assert!(attacks.iter().all(|half| *half >= 90), "{told}");
    assert!(honest.iter().all(|half| *half <= 5), "{told}");
}

#[test]
fn each_language_and_each_way_of_hiding_is_found() {
    let mut kinds = std::collections::BTreeMap::<String, (usize, usize)>::new();
    for line in ATTACKS.lines() {
        let Row { lang, kind, text } = serde_json::from_str(line).unwrap();
        let is_found = usize::from(!findings(&text).unwrap().is_empty());
        for key in [lang, kind] {
            let (found, all) = kinds.entry(key).or_default();
            (*found, *all) = (*found + is_found, *all + 1);
        }
    }
    for (kind, (found, all)) in kinds {
        assert!(found * 4 >= all * 3, "{kind}: {found} of {all}");
    }
}

#[test]
fn a_page_of_a_megabyte_takes_no_longer_than_it_must() {
    let honest: String = HONEST.lines().collect::<Vec<_>>().join("\n");
    let began = std::time::Instant::now();
    let _ = findings(&honest.repeat(4)).unwrap();
    let small = began.elapsed();
    let began = std::time::Instant::now();
    let _ = findings(&honest.repeat(32)).unwrap();
    // Eight times the text: far from the sixty-four times of a square.
    assert!(began.elapsed() < small * 32 + std::time::Duration::from_millis(200), "{small:?}");
}
