//! What credentials look like: `data/secrets.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde::Deserialize;

use crate::late::{LateGlobs, LatePattern};

/// Whoever writes this on a line says that it holds no credential.
const MARK: &str = "hookspec: allow-secret";

/// The table of formats cannot be used: then nothing passes.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the table of credentials cannot be read ({0}); this build of the program is broken")]
pub struct TableError(String);

impl From<regex::Error> for TableError {
    fn from(error: regex::Error) -> Self {
        Self(error.to_string())
    }
}

/// A format.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) id: String,
    /// For people, with an article.
    pub(super) what: String,
    /// Where the format is described.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever changes the table"))]
    pub(super) source: String,
    /// One of them is in every match, in any case.
    pub(super) words: Vec<String>,
    #[serde(deserialize_with = "pattern")]
    pattern: LatePattern,
    /// Whether only a credential looks like this.
    pub(super) sure: bool,
    /// Whether it begins with something that everybody may see.
    #[serde(default)]
    prefix: bool,
    /// Least entropy, in bits a character.
    #[serde(default)]
    entropy: f64,
    /// Whether it has both letters and digits.
    #[serde(default)]
    mixed: bool,
    /// Values that people write in examples, whole and in small letters.
    #[serde(default)]
    plain: Vec<String>,
    /// Whether it is a key in base64, in which one character may well be there many times.
    #[serde(default)]
    key: bool,
}

/// What prints credentials.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prints {
    pub(super) commands: Vec<String>,
    pub(super) readers: BTreeSet<String>,
    pub(super) searchers: BTreeSet<String>,
    pub(super) senders: BTreeSet<String>,
    pub(super) runners: BTreeSet<String>,
    pub(super) files: LateGlobs,
    pub(super) harmless: LateGlobs,
    pub(super) names: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    dummies: Vec<String>,
    rule: Vec<Rule>,
    prints: Prints,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) rules: Vec<Rule>,
    pub(super) prints: Prints,
    dummies: Vec<String>,
    /// The same, compiled when a candidate is found.
    dummy_words: OnceLock<Result<AhoCorasick, TableError>>,
    /// All words of all rules, and the rule of each.
    words: AhoCorasick,
    rule_of_word: Vec<usize>,
}

/// A credential in a text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) rule: &'static Rule,
    pub(super) range: Range<usize>,
    /// Its line, from 1.
    pub(super) line: usize,
    /// Whether its line says that it is none.
    pub(super) marked: bool,
}

/// The constant table, read once.
static TABLE: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    let written: Written = toml::from_str(include_str!("../../data/secrets.toml"))
        .map_err(|error| TableError(error.to_string()))?;
    let each = written.rule.iter().enumerate();
    let words: Vec<_> =
        each.flat_map(|(index, rule)| rule.words.iter().map(move |word| (index, word.as_str()))).collect();
    Ok(Table {
        words: automaton(words.iter().map(|(_, word)| *word))?,
        rule_of_word: words.iter().map(|(index, _)| *index).collect(),
        dummies: written.dummies,
        dummy_words: OnceLock::new(),
        rules: written.rule,
        prints: written.prints,
    })
});

/// A search for all of the words at once. A table of all states would be searched twice as fast, and takes longer to
/// make than the rest of what one event costs.
fn automaton<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<AhoCorasick, TableError> {
    let builder = &mut AhoCorasick::builder();
    let builder = builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::ContiguousNFA));
    builder.build(words).map_err(|error| TableError(error.to_string()))
}

pub(super) fn table() -> Result<&'static Table, TableError> {
    TABLE.as_ref().map_err(Clone::clone)
}

/// `\b` and `\d` of the table are ASCII: they are much faster so, and all formats are.
fn pattern<'de, D: serde::Deserializer<'de>>(from: D) -> Result<LatePattern, D::Error> {
    let written = String::deserialize(from)?;
    Ok(written.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]").into())
}

impl Table {
    /// The credentials in a text, in its order; none of them lies in another.
    pub(super) fn credentials(&'static self, text: &str) -> Result<Vec<Found>, TableError> {
        let mut found: BTreeMap<usize, Found> = BTreeMap::new();
        let candidates = self.candidates(text);
        // What is sure goes before a guess about the same text.
        for sure in [true, false] {
            for rule in candidates.iter().filter_map(|index| self.rules.get(*index)) {
                if rule.sure != sure {
                    continue;
                }
                for whole in rule.pattern.get()?.captures_iter(text) {
                    let Some(secret) = whole.name("s").or_else(|| whole.get(0)) else { continue };
                    let range = secret.range();
                    let before = found.range(..range.end).next_back();
                    let free = before.is_none_or(|(_, found)| found.range.end <= range.start);
                    if free && self.is_credential(rule, text, &range)? {
                        let (line, marked) = (0, false);
                        found.insert(range.start, Found { rule, range, line, marked });
                    }
                }
            }
        }
        let mut found: Vec<_> = found.into_values().collect();
        place(text, &mut found);
        Ok(found)
    }

    /// The rules of which a word is in the text.
    fn candidates(&self, text: &str) -> BTreeSet<usize> {
        let mut rules = BTreeSet::new();
        for word in self.words.find_overlapping_iter(text) {
            rules.extend(self.rule_of_word.get(word.pattern().as_usize()));
            if rules.len() == self.rules.len() {
                break;
            }
        }
        rules
    }

    fn is_dummy(&self, value: &str) -> Result<bool, TableError> {
        let compiled = self.dummy_words.get_or_init(|| automaton(self.dummies.iter().map(String::as_str)));
        compiled.as_ref().map(|words| words.is_match(value)).map_err(Clone::clone)
    }

    fn is_credential(&self, rule: &Rule, text: &str, range: &Range<usize>) -> Result<bool, TableError> {
        if rule.key {
            return Ok(true);
        }
        let Some(value) = text.get(range.clone()) else { return Ok(false) };
        let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
        let digits = value.bytes().any(|byte| byte.is_ascii_digit());
        let next = text.get(range.end..).and_then(|rest| rest.bytes().next());
        Ok(!self.is_dummy(value)?
            && !rule.plain.iter().any(|plain| plain.eq_ignore_ascii_case(value))
            && distinct(value) > 5
            && entropy(value) >= rule.entropy
            && (!rule.mixed || (letters && digits))
            // In code: a call, an index, or a path of names.
            && (rule.sure || !(matches!(next, Some(b'(' | b'[' | b'{')) || is_name(value))))
    }
}

/// Sets line and mark of what was found, in one pass.
fn place(text: &str, found: &mut [Found]) {
    let mut found = found.iter_mut().peekable();
    let mut from = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        from += line.len();
        let mut marked = None;
        while let Some(found) = found.next_if(|found| found.range.start < from) {
            found.line = index + 1;
            found.marked = *marked.get_or_insert_with(|| line.contains(MARK));
        }
    }
}

impl Found {
    pub(super) fn value<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range.clone()).unwrap_or_default()
    }

    /// What it is, without saying it.
    pub(super) fn described(&self, text: &str) -> String {
        let value = self.value(text);
        let start: String = if self.rule.prefix { value.chars().take(4).collect() } else { String::new() };
        let start = if start.is_empty() { start } else { format!("`{start}…`, ") };
        format!("{} ({}, {start}{} characters)", self.rule.what, self.rule.id, value.chars().count())
    }
}

fn counts(value: &str) -> [usize; 256] {
    let mut counts = [0; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    counts
}

/// How many different bytes are in it: what a person types to fill in a form has few.
fn distinct(value: &str) -> usize {
    counts(value).iter().filter(|count| **count > 0).count()
}

/// Shannon's entropy, in bits a byte.
#[allow(clippy::cast_precision_loss)] // lengths of tokens
fn entropy(value: &str) -> f64 {
    let length = value.len().max(1) as f64;
    let shares = counts(value).into_iter().filter(|count| *count > 0).map(|count| count as f64 / length);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

/// Whether it is put together from words, as `settings.token_v2` and `prod-db-01` are.
fn is_name(value: &str) -> bool {
    let parts: Vec<_> = value.split(['.', '_', '-', '/', ':', '!']).filter(|part| !part.is_empty()).collect();
    let is_word = |part: &&str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        part.len() - letters.len() <= 2
            && letters.len() <= 12
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    parts.len() > 1 && parts.iter().all(is_word)
}
