//! What fits a question: the same rules for a person at the terminal and for a client of the server.

use std::collections::BTreeMap;

use hookspec::ask::{Answer, ElicitKind, Elicitation, FieldAnswer, FieldKind, FormField, Secret};
use serde_json::{Map, Number, Value};

/// A reply that does not fit its question; each says what would.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// Nothing was said where something has to be.
    #[error("`{0}` must be answered")]
    Required(String),
    /// Not a number.
    #[error("`{0}` takes a number, as in 4, -0.5 or 1e3")]
    Number(String),
    /// Neither yes nor no.
    #[error("`{0}` takes yes or no")]
    Boolean(String),
    /// None of the options.
    #[error("`{name}` takes one of: {}", options.join(", "))]
    Option {
        /// The question or field.
        name: String,
        /// What there is to choose from.
        options: Vec<String>,
    },
    /// Another kind of value altogether.
    #[error("`{name}` takes {wanted}")]
    Shape {
        /// The question or field.
        name: String,
        /// In words.
        wanted: &'static str,
    },
    /// A field that the form has not.
    #[error("the form has no field `{0}`")]
    UnknownField(String),
}

/// Reads a client's reply to a question: a string, an array for several choices, an object for a form (or the same
/// as a JSON string). `null` takes the question's default.
///
/// # Errors
/// If the reply does not fit; the question is then still unanswered.
pub fn accept(request: &Elicitation, reply: &Value) -> Result<Answer, Unfit> {
    let shape = |wanted| Unfit::Shape { name: request.prompt.clone(), wanted };
    match request.kind {
        ElicitKind::Form if !request.fields.is_empty() => form(&request.fields, reply),
        ElicitKind::MultiChoice if !request.options.is_empty() => match reply {
            Value::Array(items) => {
                let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                many(request, &texts.ok_or_else(|| shape("a list of texts"))?)
            }
            Value::String(one) if !one.is_empty() => many(request, &[one.as_str()]),
            Value::String(_) | Value::Null => line(request, ""),
            _ => Err(shape("a list of texts")),
        },
        ElicitKind::Confirmation if reply.is_boolean() => Ok(yes_no(reply == &Value::Bool(true))),
        _ => match reply {
            Value::String(text) => line(request, text),
            Value::Null => line(request, ""),
            _ => Err(shape("a text")),
        },
    }
}

/// Reads a reply to a question, or to one that has one line for an answer: an empty one takes the default.
pub(super) fn line(request: &Elicitation, text: &str) -> Result<Answer, Unfit> {
    let trimmed = text.trim();
    let given = if trimmed.is_empty() { request.default.as_deref().unwrap_or("").trim() } else { trimmed };
    match request.kind {
        // A secret is taken to the letter.
        ElicitKind::Secret => {
            let secret = if text.is_empty() { request.default.as_deref().unwrap_or("") } else { text };
            Ok(Answer::Secret(Secret::new(secret)))
        }
        ElicitKind::Choice if !request.options.is_empty() => {
            choose(&request.prompt, &request.options, given).map(Answer::Text)
        }
        ElicitKind::MultiChoice if !request.options.is_empty() => {
            let texts: Vec<&str> = given.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
            many(request, &texts)
        }
        ElicitKind::Confirmation if given.is_empty() => Ok(yes_no(true)),
        ElicitKind::Confirmation => {
            boolean(given).map(yes_no).ok_or_else(|| Unfit::Boolean(request.prompt.clone()))
        }
        _ => Ok(Answer::Text(given.to_owned())),
    }
}

fn yes_no(yes: bool) -> Answer {
    Answer::Text(if yes { "yes" } else { "no" }.to_owned())
}

/// Several options, each once, in the order in which they were offered.
fn many(request: &Elicitation, texts: &[&str]) -> Result<Answer, Unfit> {
    let chosen: Result<Vec<String>, Unfit> =
        texts.iter().map(|text| choose(&request.prompt, &request.options, text)).collect();
    let chosen = chosen?;
    Ok(Answer::Many(request.options.iter().filter(|option| chosen.contains(option)).cloned().collect()))
}

/// One option: by its text, by its number from 1, or by its text in any case where only one fits.
fn choose(name: &str, options: &[String], text: &str) -> Result<String, Unfit> {
    let text = text.trim();
    let exact = || options.iter().find(|option| option.trim() == text);
    let number = || text.parse::<usize>().ok().and_then(|n| options.get(n.checked_sub(1)?));
    let similar = || {
        let mut fitting = options.iter().filter(|option| option.trim().to_lowercase() == text.to_lowercase());
        fitting.next().filter(|_| fitting.next().is_none())
    };
    if text.is_empty() {
        return Err(Unfit::Required(name.to_owned()));
    }
    let chosen = exact().or_else(number).or_else(similar);
    chosen.cloned().ok_or_else(|| Unfit::Option { name: name.to_owned(), options: options.to_vec() })
}

fn form(fields: &[FormField], reply: &Value) -> Result<Answer, Unfit> {
    let wanted = || Unfit::Shape { name: "form".to_owned(), wanted: "an object with a value for each field" };
    let parsed;
    let given = match reply {
        Value::Object(given) => given,
        Value::String(text) => {
            parsed = serde_json::from_str::<Map<String, Value>>(text).map_err(|_| wanted())?;
            &parsed
        }
        _ => return Err(wanted()),
    };
    if let Some(unknown) = given.keys().find(|key| !fields.iter().any(|field| field.name == **key)) {
        return Err(Unfit::UnknownField(unknown.clone()));
    }
    let mut answers = BTreeMap::new();
    for field in fields {
        let said = match given.get(&field.name) {
            None | Some(Value::Null) => field_line(field, "")?,
            Some(Value::String(text)) => field_line(field, text)?,
            Some(Value::Bool(yes)) if field.kind == FieldKind::Boolean => Some(FieldAnswer::Boolean(*yes)),
            Some(Value::Number(number)) if field.kind == FieldKind::Number => {
                Some(FieldAnswer::Number(number.clone()))
            }
            Some(_) => {
                return Err(Unfit::Shape { name: field.name.clone(), wanted: in_words(field.kind) });
            }
        };
        answers.extend(said.map(|said| (field.name.clone(), said)));
    }
    Ok(Answer::Form(answers))
}

fn in_words(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text | FieldKind::Secret => "a text",
        FieldKind::Choice => "one of its options, as a text",
        FieldKind::Boolean => "true or false",
        FieldKind::Number => "a number",
    }
}

/// Reads what was said in one field. An empty line takes the field's default; without one it leaves the field
/// out, or does not fit where the field is required.
pub(super) fn field_line(field: &FormField, text: &str) -> Result<Option<FieldAnswer>, Unfit> {
    let name = || field.name.clone();
    if field.kind == FieldKind::Secret && !text.is_empty() {
        return Ok(Some(FieldAnswer::Secret(Secret::new(text))));
    }
    let trimmed = text.trim();
    let given = if trimmed.is_empty() { field.default.as_deref().unwrap_or("").trim() } else { trimmed };
    if given.is_empty() {
        return if field.required { Err(Unfit::Required(name())) } else { Ok(None) };
    }
    Ok(Some(match field.kind {
        FieldKind::Secret => FieldAnswer::Secret(Secret::new(given)),
        FieldKind::Boolean => FieldAnswer::Boolean(boolean(given).ok_or_else(|| Unfit::Boolean(name()))?),
        FieldKind::Number => FieldAnswer::Number(number(given).ok_or_else(|| Unfit::Number(name()))?),
        FieldKind::Choice if !field.options.is_empty() => {
            FieldAnswer::Text(choose(&field.name, &field.options, given)?)
        }
        FieldKind::Text | FieldKind::Choice => FieldAnswer::Text(given.to_owned()),
    }))
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "true" | "1" => Some(true),
        "n" | "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// A whole number where it is one, else a finite one with a fraction or an exponent.
fn number(text: &str) -> Option<Number> {
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    whole.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}
