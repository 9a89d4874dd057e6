//! Edits to JSON that somebody else wrote: comments, order and layout of all that is not touched stay as they are.
//!
//! The text is read into nodes that know where they stand; an edit is a splice of the text, after which it is read
//! again. Comments and trailing commas are understood, since some clients allow them.

use std::ops::Range;

use serde_json::{Map, Value};

/// Text that cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It is not JSON.
    #[error("line {line}: {what}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// There is something of another kind where the edit goes.
    #[error("`{path}` is no {wanted}")]
    Kind {
        /// Keys from the top.
        path: String,
        /// What it should be.
        wanted: &'static str,
    },
}

struct Node {
    span: Range<usize>,
    value: Value,
    kind: Kind,
}

enum Kind {
    Object(Vec<Entry>),
    Array(Vec<Node>),
    Scalar,
}

struct Entry {
    key: String,
    /// Where the key begins.
    start: usize,
    node: Node,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Configuration files are shallow.
const DEEPEST: usize = 64;

impl Reader<'_> {
    fn error(&self, what: &'static str) -> JsonError {
        let at = self.at.min(self.text.len());
        JsonError::Syntax {
            line: self.text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1,
            what,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) -> Result<(), JsonError> {
        loop {
            let rest = &self.text[self.at..];
            if let Some(comment) = rest.strip_prefix("//") {
                self.at += 2 + comment.find('\n').unwrap_or(comment.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/").ok_or_else(|| self.error("a comment is not closed"))?;
                self.at += end + 4;
            } else if let Some(space) = rest.chars().next().filter(|c| c.is_whitespace() || *c == '\u{feff}')
            {
                self.at += space.len_utf8();
            } else {
                return Ok(());
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'\\') => self.at += 2,
                Some(b'"') => break,
                Some(_) => self.at += 1,
                None => return Err(self.error("a text is not closed")),
            }
        }
        self.at += 1;
        let text = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(text).map_err(|_| self.error("this text is not valid"))
    }

    fn node(&mut self) -> Result<Node, JsonError> {
        self.space()?;
        let start = self.at;
        let (value, kind) = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => (Value::from(self.string()?), Kind::Scalar),
            _ => {
                let rest = &self.text[self.at..];
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
                let word = &rest[..end.unwrap_or(rest.len())];
                let value = serde_json::from_str(word).map_err(|_| self.error("a value is missing"))?;
                self.at += word.len();
                (value, Kind::Scalar)
            }
        };
        Ok(Node { span: start..self.at, value, kind })
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<(Value, Kind), JsonError>,
    ) -> Result<(Value, Kind), JsonError> {
        if self.depth == DEEPEST {
            return Err(self.error("this is nested too deeply"));
        }
        self.depth += 1;
        self.at += 1;
        let read = read(self)?;
        self.depth -= 1;
        Ok(read)
    }

    /// Behind a value: a comma, or the end.
    fn comma(&mut self, close: u8) -> Result<(), JsonError> {
        self.space()?;
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == close => {}
            _ => return Err(self.error("a comma or the end is missing")),
        }
        self.space()
    }

    fn object(&mut self) -> Result<(Value, Kind), JsonError> {
        let (mut map, mut entries) = (Map::new(), Vec::new());
        self.space()?;
        while self.peek() != Some(b'}') {
            if self.peek() != Some(b'"') {
                return Err(self.error("a key in quotes is missing"));
            }
            let start = self.at;
            let key = self.string()?;
            self.space()?;
            if self.peek() != Some(b':') {
                return Err(self.error("a colon is missing"));
            }
            self.at += 1;
            let node = self.node()?;
            map.insert(key.clone(), node.value.clone());
            entries.push(Entry { key, start, node });
            self.comma(b'}')?;
        }
        self.at += 1;
        Ok((Value::Object(map), Kind::Object(entries)))
    }

    fn array(&mut self) -> Result<(Value, Kind), JsonError> {
        let (mut values, mut nodes) = (Vec::new(), Vec::new());
        self.space()?;
        while self.peek() != Some(b']') {
            let node = self.node()?;
            values.push(node.value.clone());
            nodes.push(node);
            self.comma(b']')?;
        }
        self.at += 1;
        Ok((Value::Array(values), Kind::Array(nodes)))
    }
}

fn read(text: &str) -> Result<Node, JsonError> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let node = reader.node()?;
    reader.space()?;
    if reader.at < text.len() {
        return Err(reader.error("there is something behind the end"));
    }
    Ok(node)
}

/// The value that a text holds; an empty text is an empty object.
///
/// # Errors
/// If it is not JSON.
pub fn value(text: &str) -> Result<Value, JsonError> {
    if text.trim().is_empty() { Ok(Value::Object(Map::new())) } else { Ok(read(text)?.value) }
}

fn find<'a>(node: &'a Node, path: &[&str]) -> Option<&'a Node> {
    let Some((first, rest)) = path.split_first() else { return Some(node) };
    match &node.kind {
        // Of a key that stands twice the last one counts.
        Kind::Object(entries) => {
            entries.iter().rev().find(|entry| entry.key == *first).and_then(|entry| find(&entry.node, rest))
        }
        Kind::Array(_) | Kind::Scalar => None,
    }
}

fn indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[line..at];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// One step of indentation, as the text has it.
fn step(text: &str) -> &str {
    let line = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    line.map_or("  ", |line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
}

/// A value as it would be written by hand at this place.
fn pretty(value: &Value, margin: &str, step: &str) -> String {
    let inner = format!("{margin}{step}");
    match value {
        Value::Object(map) if !map.is_empty() => {
            let lines = map.iter().map(|(key, value)| {
                format!("{inner}{}: {}", Value::from(key.as_str()), pretty(value, &inner, step))
            });
            format!("{{\n{}\n{margin}}}", lines.collect::<Vec<_>>().join(",\n"))
        }
        Value::Array(items) if !items.is_empty() => {
            let lines = items.iter().map(|item| format!("{inner}{}", pretty(item, &inner, step)));
            format!("[\n{}\n{margin}]", lines.collect::<Vec<_>>().join(",\n"))
        }
        other => other.to_string(),
    }
}

/// Puts `new` behind the last child of a container that spans `span`.
fn insert_last(text: &str, span: &Range<usize>, last: Option<usize>, new: &str) -> String {
    let margin = indent(text, span.start);
    let inner = format!("{margin}{}", step(text));
    let mut out = text.to_owned();
    match last {
        Some(end) => {
            // A comma may follow already.
            let mut reader = Reader { text, at: end, depth: 0 };
            let comma = reader.space().is_ok() && reader.peek() == Some(b',');
            let at = if comma { reader.at + 1 } else { end };
            let (before, after) = if comma { ("", ",") } else { (",", "") };
            out.insert_str(at, &format!("{before}\n{inner}{new}{after}"));
        }
        None => {
            // What stands inside an empty container is space or a comment, and stays.
            let inside = text[span.start + 1..span.end - 1].trim_end();
            let at = span.start + 1 + inside.len();
            out.replace_range(at..span.end - 1, &format!("\n{inner}{new}\n{margin}"));
        }
    }
    out
}

/// The text with `value` as the last item of the array at `path`; what is missing on the way is made.
///
/// # Errors
/// If the text is not JSON, or something of another kind is in the way.
pub fn append(text: &str, path: &[&str], value: &Value) -> Result<String, JsonError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = read(text)?;
    let known = (0..=path.len()).rev().find(|length| find(&root, &path[..*length]).is_some()).unwrap_or(0);
    let Some(node) = find(&root, &path[..known]) else { return Ok(text.to_owned()) };
    let (margin, step) = (indent(text, node.span.start), step(text));
    let inner = format!("{margin}{step}");
    let wrong = |wanted| JsonError::Kind { path: path[..known].join("."), wanted };
    match &node.kind {
        Kind::Array(items) if known == path.len() => {
            let last = items.last().map(|item| item.span.end);
            Ok(insert_last(text, &node.span, last, &pretty(value, &inner, step)))
        }
        _ if known == path.len() => Err(wrong("list")),
        Kind::Object(entries) => {
            let missing = &path[known..];
            let whole = missing[1..].iter().rev().fold(Value::Array(vec![value.clone()]), |held, key| {
                Value::Object(Map::from_iter([((*key).to_owned(), held)]))
            });
            let new = format!("{}: {}", Value::from(missing[0]), pretty(&whole, &inner, step));
            Ok(insert_last(text, &node.span, entries.last().map(|entry| entry.node.span.end), &new))
        }
        Kind::Array(_) | Kind::Scalar => Err(wrong("object")),
    }
}

/// The text with another item at `index` of the array at `path`.
///
/// # Errors
/// If the text is not JSON.
pub fn replace(text: &str, path: &[&str], index: usize, value: &Value) -> Result<String, JsonError> {
    let root = read(text)?;
    let mut out = text.to_owned();
    if let Some(Kind::Array(items)) = find(&root, path).map(|node| &node.kind)
        && let Some(item) = items.get(index)
    {
        let margin = indent(text, item.span.start);
        out.replace_range(item.span.clone(), &pretty(value, margin, step(text)));
    }
    Ok(out)
}

/// The text with `key: value` as the last entry of the outermost object, unless the key is there.
///
/// # Errors
/// If the text is not a JSON object.
pub fn set_if_missing(text: &str, key: &str, value: &Value) -> Result<String, JsonError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = read(text)?;
    match &root.kind {
        Kind::Object(entries) if entries.iter().any(|entry| entry.key == key) => Ok(text.to_owned()),
        Kind::Object(entries) => {
            let new = format!("{}: {}", Value::from(key), pretty(value, step(text), step(text)));
            Ok(insert_last(text, &root.span, entries.last().map(|entry| entry.node.span.end), &new))
        }
        Kind::Array(_) | Kind::Scalar => Err(JsonError::Kind { path: String::new(), wanted: "object" }),
    }
}

/// The text without the item at `index` of the array at `path`. What becomes empty by that goes too, up to but
/// without the outermost object.
///
/// # Errors
/// If the text is not JSON.
pub fn remove(text: &str, path: &[&str], index: usize) -> Result<String, JsonError> {
    let root = read(text)?;
    let Some(Kind::Array(items)) = find(&root, path).map(|node| &node.kind) else {
        return Ok(text.to_owned());
    };
    if items.len() > 1 {
        let spans: Vec<_> = items.iter().map(|item| item.span.clone()).collect();
        return Ok(cut(text, &spans, index));
    }
    for length in (1..=path.len()).rev() {
        let Some(Kind::Object(entries)) = find(&root, &path[..length - 1]).map(|node| &node.kind) else {
            break;
        };
        if entries.len() == 1 && length > 1 {
            continue;
        }
        let spans: Vec<_> = entries.iter().map(|entry| entry.start..entry.node.span.end).collect();
        let at = entries.iter().rposition(|entry| entry.key == path[length - 1]);
        return Ok(at.map_or_else(|| text.to_owned(), |at| cut(text, &spans, at)));
    }
    Ok(text.to_owned())
}

/// Cuts one child out, with one of the commas around it.
fn cut(text: &str, spans: &[Range<usize>], index: usize) -> String {
    let mut out = text.to_owned();
    let Some(span) = spans.get(index) else { return out };
    let comma = |from: usize| {
        let mut reader = Reader { text, at: from, depth: 0 };
        reader.space().ok()?;
        (reader.peek() == Some(b',')).then_some(reader.at)
    };
    let line = |at: usize| at - indent(text, at).len();
    // From the start of its line, if it begins one, to the comma behind it or else from the comma before it.
    let own_line = text[..line(span.start)].ends_with('\n');
    let start = if own_line { line(span.start) - 1 } else { span.start };
    match (comma(span.end), index.checked_sub(1).map(|before| spans[before].end)) {
        (Some(comma), _) => out.replace_range(start..=comma, ""),
        (None, Some(before)) => {
            out.replace_range(start..span.end, "");
            if let Some(at) = comma(before) {
                out.replace_range(at..=at, "");
            }
        }
        (None, None) => out.replace_range(start..span.end, ""),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const THEIRS: &str = "{\n    // mine\n    \"model\": \"x\", /* and */\n    \"hooks\": {\n        \"Stop\": [\n            {\"command\": \"say done\"} // loud\n        ]\n    },\n    \"last\": [1, 2,],\n}\n";

    #[test]
    fn what_is_appended_can_be_removed_and_nothing_else_has_moved() {
        let ours = json!({"hooks": [{"command": "hookspec"}]});
        for text in [THEIRS, "{}\n", "{\"hooks\": {}}", "{\n  \"a\": 1\n}\n", "{\"hooks\":{\"Stop\":[]}}"] {
            let first = append(text, &["hooks", "Stop"], &ours).unwrap();
            let second = append(&first, &["hooks", "Start"], &ours).unwrap();
            let held = value(&second).unwrap();
            assert_eq!(held["hooks"]["Start"], json!([ours]), "{second}");
            let stops = held["hooks"]["Stop"].as_array().unwrap();
            assert_eq!(stops.last(), Some(&ours), "{second}");
            let back = remove(&second, &["hooks", "Start"], 0).unwrap();
            let back = remove(&back, &["hooks", "Stop"], stops.len() - 1).unwrap();
            let mut wanted = value(text).unwrap();
            // What has become empty goes too.
            if wanted["hooks"]["Stop"].as_array().is_none_or(Vec::is_empty) {
                wanted.as_object_mut().unwrap().remove("hooks");
            }
            assert_eq!(value(&back).unwrap(), wanted, "{back}");
            for comment in ["// mine", "/* and */", "// loud"] {
                assert_eq!(back.contains(comment), text.contains(comment), "{back}");
            }
        }
        let added = append(THEIRS, &["hooks", "Stop"], &ours).unwrap();
        assert_eq!(remove(&added, &["hooks", "Stop"], 1).unwrap(), THEIRS);
    }

    #[test]
    fn the_layout_is_the_files_own() {
        let text = append("{\n\t\"a\": 1\n}\n", &["hooks", "Stop"], &json!({"b": 2})).unwrap();
        assert_eq!(
            text,
            "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"b\": 2\n\t\t\t}\n\t\t]\n\t}\n}\n"
        );
        let text = replace(&text, &["hooks", "Stop"], 0, &json!({"c": 3})).unwrap();
        assert!(text.contains("\t\t\t{\n\t\t\t\t\"c\": 3\n\t\t\t}"), "{text}");
        assert_eq!(set_if_missing("", "version", &json!(1)).unwrap(), "{\n  \"version\": 1\n}\n");
        assert_eq!(set_if_missing("{\"version\": 2}", "version", &json!(1)).unwrap(), "{\"version\": 2}");
    }

    #[test]
    fn what_is_not_json_is_left_alone_with_its_place() {
        let error = append("{\n  \"a\": 1\n  \"b\"\n}", &["hooks"], &json!(1)).unwrap_err();
        assert_eq!(error.to_string(), "line 3: a comma or the end is missing");
        assert!(
            append("{\"hooks\": []}", &["hooks", "Stop"], &json!(1))
                .unwrap_err()
                .to_string()
                .contains("`hooks` is no object")
        );
        assert!(append("{\"hooks\": {\"Stop\": 1}}", &["hooks", "Stop"], &json!(1)).is_err());
        for text in ["{", "{\"a", "[1", "{\"a\":}", "{} {}", "/* x", "{\"a\\"] {
            assert!(value(text).is_err(), "{text}");
        }
        assert!(value(&"[".repeat(100_000)).is_err());
    }
}
