//! Tokens: who may do what they like with which conversations.
//!
//! A token opens exactly the conversations of its owner. Only digests are held in memory, and all of them are compared,
//! each in constant time, so that neither the answer's delay nor a memory dump says what a token is.

use std::path::{Path, PathBuf};

use hookspec::ask::Secret;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::random::{RandomError, random_text};
use crate::store::Owner;

/// Whose conversations they are where a server has one token only.
const SOLE: &str = "local";
/// Shorter tokens can be guessed.
const SHORTEST: usize = 16;

/// A token file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It cannot be read.
    #[error("The token file {} cannot be read: {source}. Name one that can.", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Others may read it.
    #[cfg(unix)]
    #[error("Others on this machine may read the token file {}: run `chmod 600` on it.", .0.display())]
    Exposed(PathBuf),
    /// A line is wrong.
    #[error("The token file {}, line {line}: {why}.", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it; never the token.
        why: String,
    },
    /// It has no token.
    #[error("The token file {} has no token: write one a line, as `NAME TOKEN`.", .0.display())]
    Empty(PathBuf),
    /// The system gives no random numbers.
    #[error(transparent)]
    Random(#[from] RandomError),
}

/// The tokens that a server takes.
#[derive(Debug)]
pub struct Tokens(Vec<(Owner, [u8; 32])>);

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

impl Tokens {
    /// One fresh token, and the only place where it can be read.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn fresh() -> Result<(Self, Secret), RandomError> {
        let token = random_text(32)?;
        Ok((Self::sole(&token), Secret::new(token)))
    }

    /// One token.
    #[must_use]
    pub fn sole(token: &str) -> Self {
        Self(vec![(Owner(SOLE.to_owned()), digest(token))])
    }

    /// The tokens in a file: one a line, as `NAME TOKEN`, or a token alone. Lines that begin with `#` are left out.
    ///
    /// # Errors
    /// If it cannot be read, others may read it, or a line is no such pair.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let failed = |source| TokenError::Read { path: path.to_owned(), source };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if std::fs::metadata(path).map_err(failed)?.permissions().mode() & 0o077 != 0 {
                return Err(TokenError::Exposed(path.to_owned()));
            }
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let mut tokens: Vec<(Owner, [u8; 32])> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let wrong = |why: String| TokenError::Line { path: path.to_owned(), line: index + 1, why };
            let mut words = line.split_whitespace().take_while(|word| !word.starts_with('#'));
            let (name, token) = match (words.next(), words.next(), words.next()) {
                (None, ..) => continue,
                (Some(token), None, _) => (SOLE, token),
                (Some(name), Some(token), None) => (name, token),
                _ => return Err(wrong("it has more than a name and a token".into())),
            };
            if token.len() < SHORTEST {
                return Err(wrong(format!("the token has less than {SHORTEST} characters")));
            }
            let token = digest(token);
            if tokens.iter().any(|(_, held)| *held == token) {
                return Err(wrong("this token is there already".into()));
            }
            tokens.push((Owner(name.to_owned()), token));
        }
        if tokens.is_empty() { Err(TokenError::Empty(path.to_owned())) } else { Ok(Self(tokens)) }
    }

    /// Whose token this is.
    #[must_use]
    pub fn owner(&self, token: &str) -> Option<&Owner> {
        let given = digest(token);
        let mut found = None;
        for (owner, held) in &self.0 {
            let equal: Choice = held.ct_eq(&given);
            if bool::from(equal) {
                found = Some(owner);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tokens, TokenError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        Tokens::read(&path)
    }

    #[test]
    fn each_token_has_its_owner() {
        let tokens =
            read("# ours\nann 0123456789abcdef\nben fedcba9876543210\n\naaaaaaaaaaaaaaaa\n").unwrap();
        let owner = |token| tokens.owner(token).map(|owner| owner.0.as_str());
        assert_eq!(owner("0123456789abcdef"), Some("ann"));
        assert_eq!(owner("fedcba9876543210"), Some("ben"));
        assert_eq!(owner("aaaaaaaaaaaaaaaa"), Some("local"));
        for wrong in ["", "0123456789abcde", "0123456789abcdef0", "ann", "0123456789ABCDEF"] {
            assert_eq!(owner(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_bad_file_is_refused_without_showing_its_tokens() {
        for (text, why) in [
            ("ann short", "less than 16"),
            ("a b 0123456789abcdef", "more than a name"),
            ("# nothing\n", "no token"),
            ("a 0123456789abcdef\nb 0123456789abcdef", "line 2"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
            assert!(!error.contains("0123456789abcdef") && !error.contains("short"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, "0123456789abcdef").unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        assert!(matches!(Tokens::read(&path), Err(TokenError::Exposed(_))));
    }

    #[test]
    fn a_fresh_token_is_long_new_and_not_shown() {
        let (tokens, token) = Tokens::fresh().unwrap();
        assert_eq!(token.reveal().len(), 64);
        assert!(tokens.owner(token.reveal()).is_some());
        assert!(!format!("{tokens:?} {token:?}").contains(token.reveal()));
        assert_ne!(Tokens::fresh().unwrap().1, token);
    }
}
