//! The signature of a hook at a point, to paste: the `use` lines, every parameter, and what this point takes as a return.

use std::collections::BTreeSet;

use hookspec::point::PointInfo;
use serde_json::{Value, json};

use crate::screen::{columns, wrap};

/// The types that points name, by where they are. Others are declared where the point is.
const PATHS: &[(&str, &[&str])] = &[
    ("std::path", &["Path", "PathBuf"]),
    ("std::time", &["Duration"]),
    ("hookspec", &["Around", "First", "Fold", "Gate", "Message", "Session", "ToolUse"]),
    ("hookspec::ask", &["Answer", "Confirmation", "Continue", "Elicitation", "Why"]),
    ("hookspec::hooks", &["CannotWait"]),
    (
        "hookspec::model",
        &["ChunkKind", "FinishReason", "GenerationResult", "MicroDollars", "Request", "Response", "Usage"],
    ),
    ("hookspec::session", &["InterruptReason"]),
    ("hookspec::tool", &["ToolResult", "ToolStatus"]),
];

/// Always in scope.
const PRELUDE: &[&str] = &["Option", "Vec", "String", "Box", "Result"];

/// What a hook at such a point returns, and a body that says nothing.
fn answer(verdict: &str, is_async: bool) -> (String, &'static str) {
    match verdict {
        around if is_around(around) && is_async => (around.to_owned(), "Around(next.run().await)"),
        around if is_around(around) => {
            (format!("Result<{around}, CannotWait>"), "Ok(Around(next.run_now()?))")
        }
        "Messages" => ("Option<Message>".to_owned(), "None"),
        both if both.starts_with("Gate + ") => {
            (format!("(Option<Gate>, Option<{}>)", both.trim_start_matches("Gate + ")), "(None, None)")
        }
        one => (format!("Option<{one}>"), "None"),
    }
}

/// Whether hooks there stand around work.
fn is_around(verdict: &str) -> bool {
    verdict.starts_with("Around<")
}

/// The names of types in `text`.
fn types(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()) && !PRELUDE.contains(word))
}

/// `use` lines as rustfmt has them: one for a module, the standard library first, broken where it is too long.
fn imports(info: &PointInfo, signature: &str, columns: usize) -> String {
    let krate = info.package.replace('-', "_");
    let home = if krate == "hookspec" { "hookspec::points".to_owned() } else { krate };
    let mut wanted: BTreeSet<(String, &str)> = BTreeSet::from([(home.clone(), info.name)]);
    for name in types(signature).filter(|name| *name != info.name && *name != "Next") {
        let known =
            PATHS.iter().find(|(_, names)| names.contains(&name)).map(|(module, _)| (*module).to_owned());
        wanted.insert((known.unwrap_or_else(|| home.clone()), name));
    }
    wanted.insert(("hookspec".to_owned(), "hook"));
    let modules: BTreeSet<&str> = wanted.iter().map(|(module, _)| module.as_str()).collect();
    let (of_std, mut others): (Vec<&str>, Vec<&str>) =
        modules.iter().copied().partition(|m| m.starts_with("std"));
    // `hookspec::points` before `hookspec::{…}`, as rustfmt sorts them.
    others.sort_by_key(|module| (*module == "hookspec", *module));
    let line = |module: &&str| {
        let names: Vec<&str> = wanted.iter().filter(|(m, _)| m == module).map(|(_, name)| *name).collect();
        match &*names {
            [one] => format!("use {module}::{one};\n"),
            many => {
                let line = format!("use {module}::{{{}}};\n", many.join(", "));
                if line.chars().count() <= columns + 1 {
                    return line;
                }
                let names = wrap(&format!("{},", many.join(", ")), columns.saturating_sub(4));
                format!("use {module}::{{\n    {}\n}};\n", names.join("\n    "))
            }
        }
    };
    let mut text: String = of_std.iter().map(line).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text.extend(others.iter().map(line));
    text
}

/// Columns of a line of code, as rustfmt counts them.
const CODE: usize = 100;

/// A whole hook at the point, as a plain function or an `async` one.
fn signature(info: &PointInfo, is_async: bool, columns: usize) -> String {
    let (returns, body) = answer(info.verdict, is_async);
    let next = is_around(info.verdict).then(|| format!("next: {}::Next<'_>", info.name));
    let fields = info.fields.iter().map(|field| format!("{}: {}", field.name, field.ty));
    let parameters: Vec<String> =
        next.into_iter().chain(fields).chain(["session: &Session".to_owned()]).collect();
    let word = if is_async { "async fn" } else { "fn" };
    let one_line = format!("{word} my_hook({}) -> {returns} {{", parameters.join(", "));
    // Where it is too long, a parameter a line, as rustfmt writes it.
    let head = if one_line.chars().count() <= columns {
        one_line
    } else {
        let lines: String = parameters.iter().map(|parameter| format!("    {parameter},\n")).collect();
        format!("{word} my_hook(\n{lines}) -> {returns} {{")
    };
    let uses = imports(info, &format!("{} {returns}", parameters.join(" ")), columns);
    format!("{uses}\n#[hook({})]\n{head}\n    {body}\n}}\n", info.name)
}

/// As data: the plain function, and the `async` one where one may listen.
pub(crate) fn both(info: &PointInfo) -> Value {
    json!({ "fn": signature(info, false, CODE), "async fn": (!info.sync).then(|| signature(info, true, CODE)) })
}

/// As text, with what else may stand there.
pub(crate) fn to_paste(info: &PointInfo) -> String {
    let around = is_around(info.verdict) && !info.sync;
    let how = match (info.sync, around) {
        (true, _) => "only a plain `fn` may listen here",
        (false, true) => "a plain `fn` has `next.run_now()`",
        (false, false) => "it may be an `async fn`",
    };
    let note =
        format!("Leave out what you do not need. `state: &mut T` and `settings: &T` may be added; {how}.");
    let note = columns().map_or_else(|| vec![note.clone()], |columns| wrap(&note, columns.saturating_sub(3)));
    let code = signature(info, around, columns().map_or(CODE, |columns| columns.min(CODE)));
    format!("// {}\n{code}", note.join("\n// "))
}
