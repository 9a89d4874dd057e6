//! Views: a conversation as it was at one moment, and the buffer that views of one conversation share.
//!
//! The log only grows at its end, so a view is the shared buffer and a length: taking one copies nothing, and appending
//! while others look copies nothing either. The buffer is a list of blocks, each twice as long as the one before it, whose
//! places are filled once: nothing is ever moved. What is cut off or replaced goes on in a new buffer: a view never changes.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{Index, Range};
use std::sync::{Arc, OnceLock};

use crate::plain::message::Message;

/// Places of the first block.
const FIRST: usize = 32;
/// So many blocks hold more messages than a machine does.
const BLOCKS: usize = 26;

type Place = OnceLock<Arc<Message>>;

#[derive(Default)]
struct Buffer([OnceLock<Box<[Place]>>; BLOCKS]);

/// The block that an index is in, and its place there.
fn position(index: usize) -> (usize, usize) {
    let block = (index / FIRST + 1).ilog2();
    (block as usize, index - FIRST * ((1 << block) - 1))
}

impl Buffer {
    fn get(&self, index: usize) -> Option<&Arc<Message>> {
        let (block, place) = position(index);
        self.0.get(block)?.get()?.get(place)?.get()
    }

    /// Fills a place. Gives the message back where it is taken.
    fn fill(&self, index: usize, message: Arc<Message>) -> Result<(), Arc<Message>> {
        let (block, place) = position(index);
        let made = || std::iter::repeat_with(Place::new).take(FIRST << block).collect();
        match self.0.get(block).and_then(|held| held.get_or_init(made).get(place)) {
            Some(place) => place.set(message),
            None => Err(message),
        }
    }
}

/// A moment of a conversation: the messages as they were when it was taken, oldest first. Cheap to clone.
///
/// ```
/// use hookspec::{session::LogView, Message};
/// let log: LogView = [Message::user("hi"), Message::assistant("hello")].into_iter().collect();
/// assert_eq!(log.len(), 2);
/// assert_eq!(log[0].content, "hi");
/// assert_eq!(log.last().map(|message| message.content.as_str()), Some("hello"));
/// assert!(log.iter().rev().any(|message| message.content == "hi"));
/// ```
#[derive(Clone, Default)]
pub struct LogView {
    /// The first `length` places are filled, and stay as they are.
    buffer: Arc<Buffer>,
    length: usize,
}

impl LogView {
    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing has been said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The message at an index, counted from 0 at the oldest.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Arc<Message>> {
        if index < self.length { self.buffer.get(index) } else { None }
    }

    /// The oldest message.
    #[must_use]
    pub fn first(&self) -> Option<&Arc<Message>> {
        self.get(0)
    }

    /// The latest message.
    #[must_use]
    pub fn last(&self) -> Option<&Arc<Message>> {
        self.get(self.length.checked_sub(1)?)
    }

    /// The messages, oldest first.
    #[must_use]
    pub fn iter(&self) -> LogIter<'_> {
        LogIter { view: self, left: 0..self.length }
    }

    /// The oldest `length` messages, or all where there are fewer. Copies nothing.
    #[must_use]
    pub fn prefix(&self, length: usize) -> Self {
        Self { buffer: Arc::clone(&self.buffer), length: length.min(self.length) }
    }

    /// Copies of the messages, oldest first: to change them, or to send them.
    #[must_use]
    pub fn to_messages(&self) -> Vec<Message> {
        self.iter().map(|message| (**message).clone()).collect()
    }

    /// Adds a message at the end: for the one view that a log grows by.
    pub(super) fn push(&mut self, message: Arc<Message>) {
        // A place may be taken: by a log that goes on with the same messages, or by what was cut off here.
        if let Err(message) = self.buffer.fill(self.length, message) {
            let own = self.iter().cloned().collect::<Self>();
            // In a buffer of its own nothing is in the way.
            drop(own.buffer.fill(own.length, message));
            *self = own;
        }
        self.length += 1;
    }
}

impl fmt::Debug for LogView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl Index<usize> for LogView {
    type Output = Arc<Message>;

    /// # Panics
    /// If there is no message of that index; [`get`](Self::get) does not.
    #[track_caller]
    fn index(&self, index: usize) -> &Arc<Message> {
        match self.get(index) {
            Some(message) => message,
            None => panic!("the log has {} messages, so there is none of index {index}", self.length),
        }
    }
}

impl FromIterator<Arc<Message>> for LogView {
    fn from_iter<I: IntoIterator<Item = Arc<Message>>>(messages: I) -> Self {
        let mut view = Self::default();
        messages.into_iter().for_each(|message| view.push(message));
        view
    }
}

impl FromIterator<Message> for LogView {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        messages.into_iter().map(Arc::new).collect()
    }
}

impl<'a> IntoIterator for &'a LogView {
    type Item = &'a Arc<Message>;
    type IntoIter = LogIter<'a>;
    fn into_iter(self) -> LogIter<'a> {
        self.iter()
    }
}

/// The messages of a [`LogView`], oldest first.
#[derive(Clone, Debug)]
pub struct LogIter<'a> {
    view: &'a LogView,
    left: Range<usize>,
}

impl<'a> Iterator for LogIter<'a> {
    type Item = &'a Arc<Message>;
    // Of the places that a view looks at each is filled: `get` ends no iteration before its end.
    fn next(&mut self) -> Option<Self::Item> {
        self.view.get(self.left.next()?)
    }
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.view.get(self.left.nth(n)?)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for LogIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.view.get(self.left.next_back()?)
    }
    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        self.view.get(self.left.nth_back(n)?)
    }
}

impl ExactSizeIterator for LogIter<'_> {}
impl FusedIterator for LogIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(view: &LogView) -> Vec<&str> {
        view.iter().map(|message| message.content.as_str()).collect()
    }

    fn numbered(count: usize) -> impl Iterator<Item = Message> {
        (0..count).map(|number| Message::user(number.to_string()))
    }

    #[test]
    fn a_view_stays_as_it_was_when_the_log_grows_past_several_buffers() {
        let mut log = LogView::default();
        let mut views = vec![log.clone()];
        for message in numbered(10_000) {
            log.push(Arc::new(message));
            if log.len().is_multiple_of(97) || log.len() < 40 {
                views.push(log.clone());
            }
        }
        let whole: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
        assert_eq!(texts(&log), whole);
        for view in &views {
            assert_eq!(texts(view), whole[..view.len()], "{}", view.len());
        }
    }

    #[test]
    fn every_index_has_a_place_of_its_own_behind_the_one_before_it() {
        let mut next = (0, 0);
        for index in 0..FIRST * 1023 {
            assert_eq!(position(index), next);
            next.1 += 1;
            if next.1 == FIRST << next.0 {
                next = (next.0 + 1, 0);
            }
        }
    }

    #[test]
    fn a_view_that_was_cut_back_grows_beside_the_old_one() {
        let mut log: LogView = numbered(3).collect();
        log.push(Arc::new(Message::user("3")));
        let old = log.clone();
        let mut cut = log.prefix(2);
        cut.push(Arc::new(Message::user("two")));
        log.push(Arc::new(Message::user("4")));
        assert_eq!(texts(&old), ["0", "1", "2", "3"]);
        assert_eq!(texts(&cut), ["0", "1", "two"]);
        assert_eq!(texts(&log), ["0", "1", "2", "3", "4"]);
        assert_eq!(log.prefix(99).len(), 5);
    }

    #[test]
    fn it_is_read_from_both_ends_and_says_how_much_is_left() {
        let log: LogView = numbered(5).collect();
        let mut iter = log.iter();
        assert_eq!(iter.len(), 5);
        assert_eq!(iter.next().unwrap().content, "0");
        assert_eq!(iter.next_back().unwrap().content, "4");
        assert_eq!(iter.nth(1).unwrap().content, "2");
        assert_eq!((iter.len(), iter.rposition(|message| message.content == "3")), (1, Some(0)));
        assert!(iter.next().is_none() && iter.next_back().is_none());
        assert_eq!((&log).into_iter().count(), 5);
        assert!(log.get(5).is_none() && LogView::default().last().is_none() && LogView::default().is_empty());
    }

    #[test]
    #[should_panic(expected = "the log has 2 messages, so there is none of index 2")]
    fn an_index_that_is_not_there_is_named() {
        let log: LogView = numbered(2).collect();
        let _ = &log[2];
    }
}
