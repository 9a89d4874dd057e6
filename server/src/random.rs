//! Random text that nobody can guess: tokens, session ids.

use std::fmt::Write;

/// The system gives no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("The system gives no random numbers: {0}. Without them there are no tokens.")]
pub struct RandomError(getrandom::Error);

/// So many random bytes, as hexadecimal digits.
pub(crate) fn random_text(bytes: usize) -> Result<String, RandomError> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(RandomError)?;
    let mut text = String::with_capacity(2 * bytes);
    for byte in random {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}
