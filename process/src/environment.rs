//! What a program learns from our environment.

use std::ffi::OsString;

/// Which of our environment variables a program gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Environment {
    /// Only what every program needs: paths, home, language, time zone, terminal.
    #[default]
    Plain,
    /// All but those whose names speak of secrets: keys, tokens, passwords.
    WithoutSecrets,
    /// All: for programs that the user wrote for this very purpose.
    All,
}

const PLAIN: [&str; 11] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "PWD"];

/// Parts of names that speak of secrets. Whole words between underscores, so that `KEYBOARD` may pass.
const SECRET: [&str; 11] = [
    "KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
];

impl Environment {
    fn passes(self, name: &str) -> bool {
        match self {
            Self::Plain => PLAIN.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_"),
            Self::WithoutSecrets => !name.to_ascii_uppercase().split('_').any(|word| SECRET.contains(&word)),
            Self::All => true,
        }
    }

    /// The variables of this process that pass. A name that is not text passes only where all do.
    pub fn variables(self) -> impl Iterator<Item = (OsString, OsString)> {
        std::env::vars_os().filter(move |(name, _)| match name.to_str() {
            Some(name) => self.passes(name),
            None => self == Self::All,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_out() {
        for (name, plain, without) in [
            ("PATH", true, true),
            ("LC_ALL", true, true),
            ("OPENAI_API_KEY", false, false),
            ("GITHUB_TOKEN", false, false),
            ("aws_secret_access_key", false, false),
            ("KEYBOARD", false, true),
            ("CARGO_HOME", false, true),
            ("GIT_DIR", false, true),
        ] {
            assert_eq!(Environment::Plain.passes(name), plain, "{name}");
            assert_eq!(Environment::WithoutSecrets.passes(name), without, "{name}");
            assert!(Environment::All.passes(name));
        }
    }
}
