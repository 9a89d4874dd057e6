//! What words mean together: signals, which have points, and their sum in a few neighbouring sentences.

use std::sync::LazyLock;

use regex::Regex;

use super::RulesError;
use super::context::range_of;
use super::rules::patterns;
use super::words::{Sense, Word, words};

/// Something in a text that an attack has and that honest texts have less often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signal {
    pub(super) rule: &'static str,
    pub(super) points: u32,
    /// Bytes of the plain text.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// So far apart words of one signal may stand, in bytes of the plain text.
const SPAN: usize = 260;
/// No sentence is longer, in bytes.
const SENTENCE: usize = 400;

/// Patterns that are no words.
const SHAPES: &[(&str, u32, &str)] = &[
    ("pipe-to-shell", 2, r"\b(?:curl|wget|iwr|irm|fetch)\b[^|\n]{0,200}\| ?(?:sudo )?(?:ba|z|da|k)?sh\b"),
    ("pipe-to-shell", 2, r"\b(?:ba|z)?sh <\( ?(?:curl|wget)\b"),
    ("pipe-to-shell", 2, r"\b(?:iwr|irm|invoke-webrequest)\b[^|]{0,200}\| ?iex\b"),
    ("pipe-to-shell", 3, r"\bexec\([^)]{0,60}urlopen\("),
    ("destroys", 1, r"\brm -rf?\b|\bpush (?:-f\b|--force)|\breset --hard|\bchmod -r 777|\bno-preserve-root"),
    (
        "fake-turn",
        5,
        r"< ?/ ?(?:tool[_-]?(?:result|response|output)s?|function_results|stdout|foreign-text) ?>.{0,80}(?:<user>|<human>|\bhuman:|<\|im_)",
    ),
    ("fake-turn", 4, r"<\|im_end\|> ?<\|im_start\|> ?(?:user|system) "),
    (
        "fake-turn",
        3,
        r"\[(?:user|human)\] ?:|\b(?:user|human): (?:i changed|i confirm|now|yes|please|delete|great|ok)\b",
    ),
    ("fake-system", 3, r#""role" ?: ?"system" ?, ?"content" ?: ?"you (?:must|are now|will|should)"#),
    ("fake-system", 3, r"<system>|\[system\]|### ?system ?:"),
    (
        "data-in-image",
        4,
        r"(?:!\[[^\]]{0,80}\]\(|<img [^>]{0,80}src=.?)https?://[^)\s>]{0,200}[?&][a-z_]{1,12}=(?:\{|<|\[|api_?key|base64|conversation|secret|data\b|content)",
    ),
    (
        "data-in-link",
        4,
        r"\b(?:link to|append|embed|render|open|load)\b.{0,80}https?://\S{0,200}[?&][a-z_]{1,12}=\S{0,12} (?:followed by|with the|and the|plus)\b",
    ),
    (
        "hidden-place",
        2,
        r#"<!--.{0,20}|style=[^>]{0,60}(?:display: ?none|font-size: ?0|color: ?white)|\[//\]: # \(|<img [^>]{0,80}alt=|!\[[^\]]{20,}\]|<a [^>]{0,60}title=|/\* ?llm"#,
    ),
];

static SHAPE: LazyLock<Result<Vec<Regex>, RulesError>> = LazyLock::new(|| {
    SHAPES
        .iter()
        .map(|(.., pattern)| Regex::new(&format!("(?s){pattern}")).map_err(RulesError::new))
        .collect()
});

/// A word of these is in every match of a shape: without any none is looked for.
const SHAPE_WORDS: [&str; 14] = [
    "curl", "wget", "iwr", "irm", "exec(", "rm -r", "push ", "--hard", "chmod", "<", "[", "http", "user:",
    "human:",
];

/// What stands in a place, or what it is not to be taken for.
pub(super) trait Place {
    /// Whether the words at these bytes of the plain text are quoted where attacks are talked of.
    fn is_example(&self, start: usize, end: usize) -> bool;
}

/// The signals of a plain text. Words of which `place` says that they are an example do not count.
pub(super) fn signals(text: &str, place: &dyn Place) -> Result<Vec<Signal>, RulesError> {
    let mut all = words(text)?;
    all.retain(|word| word.sense == Sense::Talk || !place.is_example(word.start, word.end));
    let mut found = Vec::new();
    let (mut from, mut harmless) = (0, Vec::new());
    for (start, end) in sentences(text) {
        while all.get(from).is_some_and(|word| word.start < start) {
            from += 1;
        }
        let here = &all[from..];
        let here = &here[..here.partition_point(|word| word.start < end)];
        of_sentence(here, &text[start..end], &mut found);
        if Here(here).has(Sense::Report) || Here(here).has(Sense::Provided) {
            harmless.push((start, end));
        }
    }
    found.extend(patterns(text)?.into_iter().filter(|hit| {
        let told_of_others = range_of(&harmless, hit.start).is_some();
        !told_of_others && !place.is_example(hit.start, hit.end)
    }));
    if SHAPE_WORDS.iter().any(|word| text.contains(word)) {
        let shapes = SHAPE.as_ref().map_err(Clone::clone)?;
        for ((rule, points, _), pattern) in SHAPES.iter().zip(shapes) {
            let hits = pattern.find_iter(text).take(50);
            let real = hits.filter(|hit| !place.is_example(hit.start(), hit.end()));
            found.extend(real.map(|hit| Signal {
                rule,
                points: *points,
                start: hit.start(),
                end: hit.end(),
            }));
        }
    }
    found.sort_by_key(|signal| (signal.start, signal.rule));
    Ok(found)
}

/// The sentences of a plain text, as bytes.
fn sentences(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let rest = &text[start..];
        let mut end = rest.len();
        let mut last_gap = None;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let after = at + c.len_utf8();
            let before_gap = chars.peek().is_none_or(|(_, next)| matches!(next, ' ' | '"' | ')' | '\''));
            if matches!(c, '。' | '।' | '؟' | '\u{1}') || (matches!(c, '.' | '!' | '?') && before_gap) {
                end = after;
                break;
            }
            if c == ' ' {
                last_gap = Some(after);
            }
            if after >= SENTENCE {
                end = last_gap.unwrap_or(after);
                break;
            }
        }
        let sentence = (start, start + end);
        start += end;
        Some(sentence)
    })
}

/// The words of one sentence.
struct Here<'w>(&'w [Word]);

impl Here<'_> {
    fn has(&self, sense: Sense) -> bool {
        self.0.iter().any(|word| word.sense == sense)
    }

    /// The narrowest place that has a word of each sense, each word used once, where it is narrow enough.
    fn together<const N: usize>(&self, senses: [Sense; N]) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        for first in self.0.iter().filter(|word| word.sense == senses[0]) {
            let (mut start, mut end) = (first.start, first.end);
            let mut used = vec![(first.start, first.end)];
            let complete = senses[1..].iter().all(|sense| {
                let free = |word: &&Word| {
                    word.sense == *sense
                        && used.iter().all(|(from, to)| word.end <= *from || *to <= word.start)
                };
                let near = self.0.iter().filter(free).min_by_key(|word| word.start.abs_diff(first.start));
                if let Some(word) = near {
                    (start, end) = (start.min(word.start), end.max(word.end));
                    used.push((word.start, word.end));
                }
                near.is_some()
            });
            if complete && end - start <= SPAN && best.is_none_or(|(from, to)| end - start < to - from) {
                best = Some((start, end));
            }
        }
        best
    }
}

fn of_sentence(words: &[Word], sentence: &str, found: &mut Vec<Signal>) {
    use Sense::{
        Become, Before, Drop, NewTask, Obey, Orders, Provided, Reader, Report, Reveal, Run, Secret, Secretly,
        Send, SysPrompt, Told, Unasked, Unbound, Void,
    };
    let here = Here(words);
    if words.is_empty() || here.has(Report) {
        return;
    }
    let mut add = |rule, points, place: Option<(usize, usize)>| {
        found.extend(place.map(|(start, end)| Signal { rule, points, start, end }));
    };
    let one = |sense| here.together([sense]);
    if !here.has(Provided) {
        add("ignore-previous", 5, here.together([Drop, Orders, Before]));
        add("ignore-previous", 5, here.together([Drop, Told]));
        add("ignore-previous", 3, here.together([Void, Orders]));
    }
    add("obey-this", 2, one(Obey));
    add("new-task", 3, one(NewTask));
    add("becomes", 2, one(Become));
    add("unbound", 2, one(Unbound));
    add("to-the-model", 1, one(Reader));
    add("hide-from-user", 3, one(Secretly));
    add("unasked", 1, one(Unasked));
    add("runs", 1, one(Run));
    add("reveal-prompt", 4, here.together([Reveal, SysPrompt]));
    let away = sentence.contains("http") || sentence.contains('@');
    match here.together([Send, Secret]) {
        Some(place) if away => add("send-secrets", 4, Some(place)),
        Some(place) => add("send-secrets", 2, Some(place)),
        None if away && here.has(Reader) && here.has(Send) => add("sends-away", 2, one(Send)),
        None => add("names-secret", 1, one(Secret)),
    }
}
