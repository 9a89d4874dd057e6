//! `elicitation`: asks the person at the terminal what a tool or a hook wants to know.
//!
//! **Watches** `ELICIT` in an interactive terminal program; chosen by that mode, and no allowlist takes it away.
//! **Speaks** through the session's [`Terminal`]: shows the explanation, asks, and where the reply does not fit
//! says why and asks again, at most five times. **Keeps** nothing. **Costs** as long as a person takes; it
//! waits on a thread that may block, and other sessions go on.
//!
//! | kind | how it is asked | answer |
//! |---|---|---|
//! | text | a line; empty takes the default | the line, trimmed |
//! | secret | a line that is not shown | a secret, to the letter |
//! | choice | a menu, or a list and a line with a number or a text; without options as text | the option |
//! | multi choice | a menu, or a list and a line with numbers or texts between commas | the options, in their order |
//! | confirmation | `y` or `n`; empty takes the default, which is yes unless the question says no | `yes` or `no` |
//! | form | field by field; without fields as text | what was said in each field |
//!
//! A form's field that is not required may be left empty and is then left out. Numbers are whole, or have a
//! fraction or an exponent (`4`, `4.5`, `1e3`). The end of the input, Esc and Ctrl-C cancel the whole question.
//!
//! Different from gptme: `required` is enforced and the description shown; what does not fit (`maybe` for a yes or
//! no, `9` of two options, a number that is none) is asked again instead of taken for something else; a
//! form's secrets reach the caller, and nobody else: they write themselves as `<secret provided>`.

mod accept;

use hookspec::ask::{Answer, ElicitKind, Elicitation, FieldAnswer, FieldKind, FormField, Secret};
use hookspec::points::ELICIT;
use hookspec::{First, Session, hook};

use crate::cli_confirm::{AskError, Terminal};

pub use accept::{Unfit, accept};

/// How often one question is asked before it counts as broken off.
const TRIES: usize = 5;

/// Asks the person at the terminal.
#[hook(ELICIT, name = "elicitation.ask", aliases = ["cli_elicit"], modes = [interactive], confirmation, blocking, budget = "1440m")]
fn ask(request: &Elicitation, session: &Session) -> Option<First<Answer>> {
    let Some(terminal) = session.extension::<Terminal>() else {
        tracing::warn!(session = session.id(), "a question was not asked: there is no terminal");
        return None;
    };
    Some(First(converse(request, &terminal, session).unwrap_or_else(|error| {
        terminal.say(&format!("not answered: {error}"));
        tracing::info!(session = session.id(), %error, "a question was cancelled");
        Answer::Cancelled
    })))
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Cancelled {
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error("{TRIES} replies in a row did not fit")]
    TooOften,
}

fn converse(request: &Elicitation, terminal: &Terminal, session: &Session) -> Result<Answer, Cancelled> {
    terminal.forget_typed_ahead();
    if let Some(description) = &request.description {
        terminal.say(description);
    }
    if request.kind != ElicitKind::Form || request.fields.is_empty() {
        return question(request, terminal, session);
    }
    terminal.say(&request.prompt);
    let mut answers = std::collections::BTreeMap::new();
    for field in &request.fields {
        answers.extend(ask_field(field, terminal, session)?.map(|said| (field.name.clone(), said)));
    }
    Ok(Answer::Form(answers))
}

fn question(request: &Elicitation, terminal: &Terminal, session: &Session) -> Result<Answer, Cancelled> {
    let default = request.default.as_deref();
    let start = |text: &str| request.options.iter().position(|option| option == text);
    match request.kind {
        ElicitKind::Secret => {
            let said = secret(&request.prompt, terminal)?;
            let default = || default.unwrap_or("").to_owned();
            return Ok(Answer::Secret(Secret::new(if said.is_empty() { default() } else { said })));
        }
        ElicitKind::Choice if !request.options.is_empty() => {
            let start = default.and_then(start).unwrap_or(0);
            let picked = terminal.menu(&request.prompt, &request.options, start)?;
            if let Some(option) = picked.and_then(|index| request.options.get(index)) {
                return Ok(Answer::Text(option.clone()));
            }
        }
        ElicitKind::MultiChoice if !request.options.is_empty() => {
            let chosen: Vec<usize> =
                default.unwrap_or("").split(',').filter_map(|text| start(text.trim())).collect();
            let picked = terminal.menu_of_many(&request.prompt, &request.options, &chosen)?;
            if let Some(picked) = picked {
                let options = picked.iter().filter_map(|index| request.options.get(*index));
                return Ok(Answer::Many(options.cloned().collect()));
            }
        }
        _ => {}
    }
    let hint = match request.kind {
        ElicitKind::Confirmation => yes_no_hint(default.or(Some("yes"))),
        _ => default.map(|default| format!("[{default}]")),
    };
    let listed = matches!(request.kind, ElicitKind::Choice | ElicitKind::MultiChoice);
    let options: &[String] = if listed { &request.options } else { &[] };
    until_it_fits((terminal, session), &prompt(&request.prompt, hint), options, |line| {
        accept::line(request, line)
    })
}

fn ask_field(
    field: &FormField,
    terminal: &Terminal,
    session: &Session,
) -> Result<Option<FieldAnswer>, Cancelled> {
    let default = field.default.as_deref();
    let hint = match (field.kind, default) {
        (FieldKind::Boolean, _) => yes_no_hint(default),
        (FieldKind::Secret, _) | (_, None) => None,
        (_, Some(default)) => Some(format!("[{default}]")),
    };
    let hint = hint.or_else(|| (!field.required).then(|| "(optional)".to_owned()));
    let asked = prompt(&field.prompt, hint);
    if field.kind == FieldKind::Secret {
        for _ in 0..TRIES {
            match accept::field_line(field, &secret(&asked, terminal)?) {
                Ok(said) => return Ok(said),
                Err(unfit) => terminal.say(&unfit.to_string()),
            }
        }
        return Err(Cancelled::TooOften);
    }
    let options: &[String] = if field.kind == FieldKind::Choice { &field.options } else { &[] };
    if !options.is_empty() && field.required {
        let start = options.iter().position(|option| Some(option.as_str()) == default).unwrap_or(0);
        let picked = terminal.menu(&field.prompt, options, start)?;
        if let Some(option) = picked.and_then(|index| options.get(index)) {
            return Ok(Some(FieldAnswer::Text(option.clone())));
        }
    }
    until_it_fits((terminal, session), &asked, options, |line| accept::field_line(field, line))
}

fn secret(asked: &str, terminal: &Terminal) -> Result<String, AskError> {
    terminal.secret(&format!("{} ", asked.trim_end()))
}

fn prompt(text: &str, hint: Option<String>) -> String {
    hint.into_iter().fold(text.trim_end().to_owned(), |text, hint| format!("{text} {hint}"))
}

fn yes_no_hint(default: Option<&str>) -> Option<String> {
    let hint = match default.map(str::to_lowercase).as_deref() {
        Some("y" | "yes" | "true" | "1") => "[Y/n]",
        Some("n" | "no" | "false" | "0") => "[y/N]",
        _ => "[y/n]",
    };
    Some(hint.to_owned())
}

/// Lists the options, and asks for a line until one fits.
fn until_it_fits<T>(
    (terminal, session): (&Terminal, &Session),
    prompt: &str,
    options: &[String],
    read: impl Fn(&str) -> Result<T, Unfit>,
) -> Result<T, Cancelled> {
    for (number, option) in options.iter().enumerate() {
        terminal.say(&format!("  {}. {option}", number + 1));
    }
    for _ in 0..TRIES {
        match read(&terminal.ask(&format!("{prompt} "), session)?) {
            Ok(answer) => return Ok(answer),
            Err(unfit) => terminal.say(&unfit.to_string()),
        }
    }
    Err(Cancelled::TooOften)
}

#[cfg(test)]
mod tests;
