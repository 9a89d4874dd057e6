//! Wishes: what a call asks to have opened, as its `opens` says it.

use std::path::PathBuf;

use hookspec::Session;
use hookspec_process::sandbox::Grant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tools::resolve;

/// What a call asks to have opened. A list, or one text in which commas separate: `read .env, network`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Words", into = "Vec<String>")]
#[schemars(with = "Vec<String>")]
pub(crate) struct Wishes(Vec<String>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "a list of texts such as \"read .env\"")]
enum Words {
    List(Vec<String>),
    Text(String),
}

impl From<Words> for Wishes {
    fn from(words: Words) -> Self {
        let all: Vec<String> = match words {
            Words::List(list) => list,
            Words::Text(text) => text.split(',').map(str::to_owned).collect(),
        };
        Self(all.into_iter().filter(|wish| !wish.trim().is_empty()).collect())
    }
}

impl From<Wishes> for Vec<String> {
    fn from(wishes: Wishes) -> Self {
        wishes.0
    }
}

/// A wish that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is nothing that can be opened; `opens` takes `read PATH`, `write PATH`, `network`, `variable NAME` and `everything`"
)]
pub(crate) struct Unknown(String);

impl Wishes {
    /// What they mean in the session's directory.
    ///
    /// # Errors
    /// If one means nothing.
    pub(crate) fn grants(&self, session: &Session) -> Result<Vec<Grant>, Unknown> {
        self.0.iter().map(|wish| grant(wish, |path| resolve(session, path))).collect()
    }
}

/// How a call asks for something.
pub(super) fn wish(grant: &Grant) -> String {
    match grant {
        Grant::Read(path) => format!("read {}", path.display()),
        Grant::Write(path) => format!("write {}", path.display()),
        Grant::Network => "network".to_owned(),
        Grant::Variable(name) => format!("variable {name}"),
        _ => "everything".to_owned(),
    }
}

fn grant(wish: &str, path: impl Fn(&str) -> PathBuf) -> Result<Grant, Unknown> {
    let unknown = || Unknown(wish.trim().to_owned());
    let (verb, what) = wish.trim().split_once(char::is_whitespace).unwrap_or((wish.trim(), ""));
    // As the sandbox names it, and as a model repeats it.
    let what = what.trim().trim_matches(['`', '"', '\'']);
    match (verb.to_ascii_lowercase().as_str(), what) {
        ("read", what) if !what.is_empty() => Ok(Grant::Read(path(what))),
        ("write", what) if !what.is_empty() => Ok(Grant::Write(path(what))),
        ("variable", name) if !name.is_empty() && !name.contains(['=', '\0']) => {
            Ok(Grant::Variable(name.trim_start_matches('$').to_owned()))
        }
        ("network", "") | ("use", "the network") => Ok(Grant::Network),
        ("everything", "") | ("run", "outside the sandbox") => Ok(Grant::Everything),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: serde_json::Value) -> Result<Vec<Grant>, Unknown> {
        let wishes: Wishes = serde_json::from_value(value).unwrap();
        wishes.0.iter().map(|wish| grant(wish, |path| PathBuf::from("/w").join(path))).collect()
    }

    #[test]
    fn wishes_are_read_however_they_are_written() {
        let env = Grant::Read("/w/.env".into());
        for value in [
            serde_json::json!(["read .env"]),
            serde_json::json!("read .env"),
            serde_json::json!(["Read `.env`"]),
            serde_json::json!([" read  '.env' ", ""]),
        ] {
            assert_eq!(read(value.clone()).unwrap(), std::slice::from_ref(&env), "{value}");
        }
        let several = read(serde_json::json!("write /a b, network,variable $KEY, everything")).unwrap();
        assert_eq!(
            several,
            [Grant::Write("/a b".into()), Grant::Network, Grant::Variable("KEY".into()), Grant::Everything]
        );
        // A comma in a list is a part of the name.
        assert_eq!(read(serde_json::json!(["read a,b"])).unwrap(), [Grant::Read("/w/a,b".into())]);
    }

    #[test]
    fn what_a_result_names_is_what_a_call_can_ask_for() {
        for grant in [
            Grant::Read("/w/a b".into()),
            Grant::Write("/w/x".into()),
            Grant::Network,
            Grant::Variable("KEY".into()),
            Grant::Everything,
        ] {
            assert_eq!(read(serde_json::json!([wish(&grant)])).unwrap(), std::slice::from_ref(&grant));
            if !matches!(grant, Grant::Variable(_)) {
                assert_eq!(
                    read(serde_json::json!([grant.to_string()])).unwrap(),
                    [grant],
                    "as it is told to people"
                );
            }
        }
    }

    #[test]
    fn what_means_nothing_is_told_with_what_would() {
        for wrong in ["bash", "read", "write ", "network on", "everything else", "variable", "variable A=b"] {
            let error = read(serde_json::json!([wrong])).unwrap_err().to_string();
            assert!(
                error.contains(&format!("`{}`", wrong.trim())) && error.contains("`read PATH`"),
                "{error}"
            );
        }
    }
}
