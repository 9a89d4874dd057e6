//! What is kept of a program's output.

use std::collections::VecDeque;

/// The first and the last bytes of a stream, and how many were left out between them.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(unix), allow(dead_code))]
pub struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
    most: usize,
}

#[cfg_attr(not(unix), allow(dead_code))] // nothing runs there that writes
impl Kept {
    pub(crate) fn at_most(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let half = self.most.div_ceil(2);
        let (first, rest) = bytes.split_at(half.saturating_sub(self.head.len()).min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.most - half);
        self.tail.drain(..over);
        self.dropped += over as u64;
    }

    /// How many bytes were left out.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }

    /// The bytes, without those that were left out.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.head.iter().chain(&self.tail).copied().collect()
    }

    /// The output as text, with a note where bytes were left out; what is not UTF-8 is marked.
    #[must_use]
    pub fn text(&self) -> String {
        if self.dropped == 0 {
            return String::from_utf8_lossy(&self.bytes()).into_owned();
        }
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        format!("{head}\n… {} bytes left out …\n{tail}", self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept_and_the_rest_is_counted() {
        let mut kept = Kept::at_most(6);
        kept.add(b"ab");
        kept.add(b"cdefgh");
        kept.add(b"ij");
        assert_eq!((kept.bytes(), kept.dropped()), (b"abchij".to_vec(), 4));
        assert_eq!(kept.text(), "abc\n… 4 bytes left out …\nhij");
        let mut none = Kept::at_most(0);
        none.add(b"x");
        assert_eq!((none.bytes().len(), none.dropped()), (0, 1));
    }
}
