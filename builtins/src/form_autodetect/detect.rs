//! Options in a text: whether there may be some, and which.

/// Shorter texts do not list options worth a menu.
const SHORTEST: usize = 50;
/// Longer texts are documents.
const LONGEST: usize = 5000;
/// More options are no menu, and a text with them is no question.
const MOST: usize = 20;
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
    run || asks_to_choose(text)
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
    let list = last_list(&lines)?;
    let before = paragraph_before(&lines[..list.begin]);
    let after = lines[list.end..].join("\n");
    let header = before.last().is_some_and(|line| is_header(line));
    let asked = |text: &str| text.contains('?') || asks_to_choose(text);
    if !(header || asked(&before.join("\n")) || asked(&after)) {
        return None;
    }
    let asking = |line: &&&str| line.trim_end().ends_with('?') || asks_to_choose(line);
    let after: Vec<&str> = after.lines().collect();
    let question = before.iter().rev().find(asking).or(after.iter().find(asking));
    let question = question.or(before.last()).map_or("", |line| last_sentence(line));
    let question = if question.is_empty() { DEFAULT_QUESTION.to_owned() } else { bare(question) };
    Some(Form { question, options: list.options })
}

struct List {
    begin: usize,
    end: usize,
    options: Vec<String>,
}

/// The last list of two or more items of one kind. Blank lines between items and indented lines below one are
/// part of it.
fn last_list(lines: &[&str]) -> Option<List> {
    let mut found = None;
    let mut at = 0;
    while at < lines.len() {
        let Some((marker, _)) = item(lines[at]) else {
            at += 1;
            continue;
        };
        let list = read_list(lines, at, marker);
        at = list.end.max(at + 1);
        if (2..=MOST).contains(&list.options.len()) {
            found = Some(list);
        }
    }
    found
}

fn read_list(lines: &[&str], begin: usize, marker: Marker) -> List {
    let indent = indentation(lines[begin]);
    let mut list = List { begin, end: begin, options: Vec::new() };
    for (at, line) in lines.iter().enumerate().skip(begin) {
        match item(line) {
            Some((kind, text)) if kind == marker && indentation(line) == indent => {
                list.options.push(bare(text));
            }
            _ if line.trim().is_empty() => continue,
            _ if indentation(line) > indent => {}
            _ => break,
        }
        list.end = at + 1;
    }
    list
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
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (marker, rest) = if digits > 0 {
        (Marker::Number, line[digits..].strip_prefix(['.', ')'])?)
    } else if let Some(rest) = line.strip_prefix(['-', '*', '•']) {
        (Marker::Bullet, rest)
    } else {
        let rest = line.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
        (Marker::Letter, rest.strip_prefix(['.', ')'])?)
    };
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
