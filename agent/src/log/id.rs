//! Conversation ids: names of folders, so that a person finds a conversation by looking.
//!
//! An id comes from people and from the network and becomes part of a path. Only plain characters are
//! allowed, so no id leads out of the logs folder.

use jiff::Timestamp;
use jiff::tz::Offset;

use super::LogError;

/// Longest id, in bytes.
const LONGEST: usize = 128;

/// Checks that `id` is made of `A-Z a-z 0-9 . _ -`, has 1 to 128 of them, and neither starts nor ends with a dot.
///
/// # Errors
/// [`LogError::BadId`], with what is wrong.
pub fn check_id(id: &str) -> Result<(), LogError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let why = if id.is_empty() {
        "it is empty"
    } else if id.len() > LONGEST {
        "it is longer than 128 bytes"
    } else if !id.bytes().all(plain) {
        "only letters, digits, dots, underscores and hyphens are allowed"
    } else if id.starts_with('.') || id.ends_with('.') {
        "it starts or ends with a dot"
    } else {
        return Ok(());
    };
    Err(LogError::BadId { id: id.to_owned(), why })
}

/// A fresh id such as `2026-01-31-brave-otter-k3f`: the day (UTC), so that folders sort by age, two words to
/// say aloud, and three characters against collisions. [`Conversation::create`](super::Conversation::create)
/// still refuses an id that is taken.
#[must_use]
pub fn new_id(now: Timestamp) -> String {
    let day = Offset::UTC.to_datetime(now).date();
    let mut id = format!("{day}-{}-{}-", pick(&ADJECTIVES), pick(&ANIMALS));
    id.extend((0..3).map(|_| {
        let digit = fastrand::u32(0..36);
        char::from_digit(digit, 36).unwrap_or('0')
    }));
    id
}

fn pick<const N: usize>(words: &[&'static str; N]) -> &'static str {
    words.get(fastrand::usize(0..N)).copied().unwrap_or("plain")
}

#[rustfmt::skip]
const ADJECTIVES: [&str; 32] = [
    "amber", "brave", "bright", "calm", "clever", "cosy", "crisp", "curious", "dapper", "eager", "early",
    "fair", "gentle", "glad", "golden", "happy", "keen", "kind", "lively", "lucky", "mellow", "merry", "neat",
    "nimble", "patient", "quick", "quiet", "silver", "steady", "sunny", "swift", "witty",
];

#[rustfmt::skip]
const ANIMALS: [&str; 32] = [
    "badger", "beaver", "bison", "crane", "deer", "dolphin", "falcon", "ferret", "finch", "fox", "gecko",
    "hare", "hedgehog", "heron", "ibex", "jackdaw", "koala", "lark", "lynx", "marten", "mole", "newt", "otter",
    "owl", "panda", "puffin", "raven", "robin", "seal", "stork", "swan", "wren",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_lead_elsewhere_are_refused() {
        let long = "a".repeat(129);
        for id in ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "dot.", "a b", "a\0", "é", "C:x", &long]
        {
            assert!(check_id(id).is_err(), "{id:?}");
        }
        for id in ["a", "2026-01-31-brave-otter", "A_b.c-1", &long[1..]] {
            check_id(id).unwrap();
        }
    }

    #[test]
    fn a_new_id_is_valid_dated_and_new() {
        let now = "2026-01-31T23:59:59Z".parse().unwrap();
        let ids: std::collections::BTreeSet<_> = (0..50).map(|_| new_id(now)).collect();
        assert!(ids.len() > 45, "{ids:?}");
        for id in ids {
            check_id(&id).unwrap();
            assert!(id.starts_with("2026-01-31-"), "{id}");
        }
    }
}
