//! Options in a text: whether there may be some, and which.

use super::asked;

/// Shorter texts do not list options worth a menu.
const SHORTEST: usize = 50;
/// Longer texts are documents.
const LONGEST: usize = 5000;
/// More options are no menu, and a text with them is no question.
const MOST: usize = 20;
/// A header of options is short: `Options:`.
const MOST_WORDS: usize = 4;
/// What is asked where the text does not say.
const DEFAULT_QUESTION: &str = "Please select an option:";

/// A question and what there is to choose from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The question, one line.
    pub question: String,
    /// At least two, each one line.
    pub options: Vec<String>,
}

/// How a list marks its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Number,
    Letter,
    Bullet,
}

/// Whether a text may offer options, by its shape alone: a list of two or more, a phrase like "pick one", or a
/// header like "Choices:". The length does not matter here.
#[must_use]
pub fn looks_like_options(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let markers: Vec<Option<Marker>> =
        lines.iter().map(|line| item(line).map(|(marker, _)| marker)).collect();
    let run = markers.windows(2).any(|pair| pair[0].is_some() && pair[0] == pair[1]);
    let named = lines.iter().filter(|line| named_option(line).is_some()).count() >= 2;
    run || named
        || asks_to_choose(text)
        || lines.iter().any(|line| is_header(line))
        || lines.iter().enumerate().any(|(at, line)| {
            let after = lines[at + 1..].iter().zip(&markers[at + 1..]);
            line.trim_end().ends_with('?')
                && after
                    .skip_while(|(line, _)| line.trim().is_empty())
                    .take(2)
                    .filter(|(_, marker)| marker.is_some())
                    .count()
                    == 2
        })
}

/// The options that a text asks to choose from, if it does.
#[must_use]
pub fn detect(text: &str) -> Option<Form> {
    let length = text.chars().count();
    if !(SHORTEST..=LONGEST).contains(&length) || has_form_fence(text) || !looks_like_options(text) {
        return None;
    }
    let plain = without_fences(text);
    let lines: Vec<&str> = plain.lines().collect();
    let lists = lists(&lines);
    // What is asked last is what the user is to answer.
    lists.iter().enumerate().rev().find_map(|(at, list)| {
        let until = lists.get(at + 1).map_or(lines.len(), |next| next.begin);
        form(list, &paragraph_before(&lines[..list.begin]), &lines[list.end.min(until)..until])
    })
}

/// What a list is offered as, if it is.
fn form(list: &List, before: &[&str], after: &[&str]) -> Option<Form> {
    let told = asked::reports(&list.raw);
    let header =
        before.last().is_some_and(|line| is_header(line) && line.split_whitespace().count() <= MOST_WORDS);
    let led_in = before.last().is_some_and(|line| asked::leads_in(line));
    let own = list.named && asked::asks(&list.raw.join("\n"));
    let asks = asked::asks(&before.join("\n")) || asked::asks(&after.join("\n")) || own;
    if !(asks || (header || led_in) && !told) {
        return None;
    }
    let question =
        |line: &&&str| line.trim_end().trim_end_matches('*').ends_with('?') || asks_to_choose(line);
    let asking = |line: &&&str| question(line) && asked::asks(line);
    let found = before.iter().rev().find(asking).or(after.iter().find(asking));
    let found =
        found.or(before.iter().rev().find(question)).or(after.iter().find(question)).or(before.last());
    let question = found.map_or("", |line| last_sentence(line));
    let question = if question.is_empty() { DEFAULT_QUESTION.to_owned() } else { bare(question) };
    Some(Form { question, options: list.raw.iter().map(|option| bare(option)).collect() })
}

#[derive(Debug)]
struct List {
    begin: usize,
    end: usize,
    /// The options as they are written.
    raw: Vec<String>,
    /// Whether they are called options, one by one.
    named: bool,
}

/// The lists of two or more items of one kind, in order. Blank lines between items and indented lines below one are part
/// of a list; of options with a heading each, everything up to the next one is.
fn lists(lines: &[&str]) -> Vec<List> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let list = match (named_option(lines[at]), item(lines[at])) {
            (Some(_), _) => read_named(lines, at),
            (None, Some((marker, _))) => read_list(lines, at, marker),
            (None, None) => {
                at += 1;
                continue;
            }
        };
        at = list.end.max(at + 1);
        if (2..=MOST).contains(&list.raw.len()) {
            found.push(list);
        }
    }
    found
}

fn read_list(lines: &[&str], begin: usize, marker: Marker) -> List {
    let indent = indentation(lines[begin]);
    let mut list = List { begin, end: begin, raw: Vec::new(), named: false };
    for (at, line) in lines.iter().enumerate().skip(begin) {
        match item(line) {
            Some((kind, text)) if kind == marker && indentation(line) == indent => {
                list.raw.push(text.to_owned());
            }
            _ if line.trim().is_empty() => continue,
            _ if indentation(line) > indent => {}
            _ => break,
        }
        list.end = at + 1;
    }
    list
}

/// Options that are called so, `### Option A: …`, with what is said of each below it.
fn read_named(lines: &[&str], begin: usize) -> List {
    let mut list = List { begin, end: begin + 1, raw: Vec::new(), named: true };
    let heading = lines[begin].trim_start().starts_with('#');
    let mut body: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(begin) {
        let is_heading = line.trim_start().starts_with('#');
        match named_option(line).filter(|_| is_heading == heading) {
            Some(option) => {
                list.raw.push(option);
                list.end = at + 1;
                body.clear();
            }
            // Another heading is another subject.
            None if is_heading => break,
            None => body.push(line),
        }
    }
    // What is said of the last option is its own, up to the first blank line.
    let own = body.iter().take_while(|line| !line.trim().is_empty()).count();
    let asks = body.iter().take(own).any(|line| asked::asks(line));
    list.end += if asks { 0 } else { own };
    list
}

/// An option that is called one: `### Option A: text`, `**Option 2** – text`, `Choice B) text`.
fn named_option(line: &str) -> Option<String> {
    let text = bare(line.trim().trim_start_matches('#').trim_start());
    let (word, rest) = text.split_once(' ')?;
    let word = word.to_lowercase();
    if !["option", "choice", "alternative", "approach", "variant", "plan"].contains(&word.as_str()) {
        return None;
    }
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (name, text) = rest.split_at(end);
    let is_name =
        name.len() == 1 && name.chars().all(|c| c.is_ascii_alphanumeric()) || name.parse::<u8>().is_ok();
    let marked = text.trim_start();
    let is_marked = marked.is_empty() && line.trim_start().starts_with(['#', '*'])
        || marked.starts_with([':', ')', '.', '–', '—', '('])
        || marked.starts_with("- ");
    (is_name && is_marked).then(|| text_of_named(&text_before(line), marked))
}

/// The whole line without its marks: `Option A: SQLite`.
fn text_before(line: &str) -> String {
    bare(line.trim().trim_start_matches('#').trim_start())
}

fn text_of_named(whole: &str, marked: &str) -> String {
    if marked.trim_matches([':', ')', '.', '–', '—', '-', ' ']).is_empty() {
        return whole.trim_end_matches([':', ')', '.', '–', '—', '-', ' ']).to_owned();
    }
    whole.to_owned()
}

/// The last paragraph of what stands before a list, without blank lines.
fn paragraph_before<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let text = lines.iter().rev().skip_while(|line| line.trim().is_empty());
    let mut paragraph: Vec<&str> = text.take_while(|line| !line.trim().is_empty()).copied().collect();
    paragraph.reverse();
    paragraph
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The marker and the text of a list's item.
fn item(line: &str) -> Option<(Marker, &str)> {
    let line = line.trim();
    // `**1.** text`, `**1. text**`; the closing mark goes with the others.
    let line = line.strip_prefix("**").unwrap_or(line);
    if let Some(inner) = line.strip_prefix('(') {
        let (name, rest) = inner.split_once(')')?;
        let marker = match name.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => Marker::Letter,
            digits if !digits.is_empty() && digits.len() <= 2 && digits.iter().all(u8::is_ascii_digit) => {
                Marker::Number
            }
            _ => return None,
        };
        // `(a) or (b)?` is a question about a list.
        return spaced(marker, rest).filter(|(_, text)| !text.starts_with("or "));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (marker, rest) = if digits > 0 {
        (Marker::Number, line[digits..].strip_prefix(['.', ')'])?)
    } else if let Some(rest) = line.strip_prefix(['-', '*', '•']) {
        (Marker::Bullet, rest)
    } else {
        let rest = line.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
        (Marker::Letter, rest.strip_prefix(['.', ')'])?)
    };
    spaced(marker, rest)
}

fn spaced(marker: Marker, rest: &str) -> Option<(Marker, &str)> {
    let rest = if marker == Marker::Bullet { rest } else { rest.strip_prefix("**").unwrap_or(rest) };
    let text = rest.trim_start();
    (text.len() < rest.len() && !text.is_empty()).then_some((marker, text))
}

fn asks_to_choose(text: &str) -> bool {
    let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let verbs = ["choose", "select", "pick"];
    let wanted = ["one", "an option", "a option"];
    verbs.iter().any(|verb| wanted.iter().any(|wanted| text.contains(&format!("{verb} {wanted}"))))
        || ["would you prefer", "do you want", "option"]
            .iter()
            .any(|wanted| text.contains(&format!("which {wanted}")))
}

fn is_header(line: &str) -> bool {
    let line = line.trim_end().to_lowercase();
    let Some(text) = line.strip_suffix("**").unwrap_or(&line).strip_suffix(':') else { return false };
    let text = text.trim_end().trim_end_matches("**");
    ["option", "choice", "alternative"]
        .iter()
        .any(|word| text.ends_with(word) || text.strip_suffix('s').is_some_and(|text| text.ends_with(word)))
}

fn has_form_fence(text: &str) -> bool {
    text.lines().any(|line| {
        let tag = line.trim_start().strip_prefix("```").map(str::trim_start);
        tag.and_then(|tag| tag.split_whitespace().next()) == Some("form")
    })
}

/// The text with its code fences emptied.
fn without_fences(text: &str) -> String {
    let mut inside = false;
    let lines = text.lines().map(|line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        if fence || inside { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The last sentence of a line: what comes before a question is not asked.
fn last_sentence(line: &str) -> &str {
    let line = line.trim();
    let body = line.trim_end_matches(['?', '.', '!', ':', '*']);
    body.rfind(['?', '.', '!'])
        .filter(|at| line[at + 1..].starts_with(' '))
        .map_or(line, |at| line[at + 1..].trim_start())
}

/// A line without marks of emphasis.
fn bare(text: &str) -> String {
    text.replace("**", "").replace('`', "").trim().to_owned()
}
