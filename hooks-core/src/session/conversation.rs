//! The conversation of a session, as hooks and hosts read it and add to it.

use std::sync::Arc;

use crate::plain::message::Message;

use super::Session;
use super::log::{LogFault, LogPart, LogPlace, LogView};

impl Session {
    /// The conversation so far, with what earlier hooks of a running chain emitted.
    #[must_use]
    pub fn log(&self) -> LogView {
        self.0.log.view()
    }

    /// The conversation from a place on, and the place behind it: for a hook that comes from outside and keeps how far it has read.
    ///
    /// ```
    /// use hookspec::session::LogPlace;
    /// use hookspec::{Hooks, Message, Registry, Session};
    ///
    /// let session = Session::builder(&Hooks::new(Registry::builder().linked(false).build()?), "s").build();
    /// session.append(Message::user("one"))?;
    /// let read = session.log_since(LogPlace::default());
    /// session.append(Message::user("two"))?;
    /// let more = session.log_since(read.place);
    /// assert_eq!((more.messages.len(), &*more.messages[0].content, more.afresh), (1, "two", false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn log_since(&self, place: LogPlace) -> LogPart {
        self.0.log.since(place)
    }

    /// Stores a message at the end of the conversation and returns it as it is there: it has its place now, and its id where
    /// the log's sink gives one. A sink that only queues it stores it later: what must not be lost is followed by
    /// [`flush`](Self::flush), or goes by [`store`](Self::store).
    ///
    /// # Errors
    /// If the sink did not take it. It is not in the log then. The next [`flush`](Self::flush) tells it too, so a caller
    /// without a better answer may leave it to the host.
    pub fn append(&self, message: Message) -> Result<Arc<Message>, LogFault> {
        self.0.log.append(&self.0.id, message)
    }

    /// Appends the messages of one hook, up to the first that cannot be stored, and gives those that were.
    ///
    /// `then` gets them before anybody else may append: what it records is in the log's order.
    pub(crate) fn append_all(
        &self,
        messages: Vec<Message>,
        then: impl FnOnce(&[Arc<Message>]),
    ) -> (Vec<Arc<Message>>, Option<LogFault>) {
        self.0.log.append_all(&self.0.id, messages, then)
    }

    /// The barrier: completes when everything that was appended is stored. A host passes it before it calls a model, runs a
    /// tool or acknowledges something. Ready at once where nothing was appended since the last time, or the sink stores at once.
    ///
    /// # Errors
    /// If something could not be stored, since this was last called: also what an [`append`](Self::append) told
    /// its caller, or a hook said. The log holds what is stored and nothing else then, and the next call starts
    /// afresh. Every call that waits meanwhile has the same error.
    pub async fn flush(&self) -> Result<(), LogFault> {
        self.0.log.flush(&self.0.id).await
    }

    /// [`append`](Self::append), and complete when it is stored: the same as `append` and [`flush`](Self::flush), also where
    /// others flush the session meanwhile.
    ///
    /// # Errors
    /// As for [`flush`](Self::flush).
    pub async fn store(&self, message: Message) -> Result<Arc<Message>, LogFault> {
        self.0.log.store(&self.0.id, message).await
    }

    /// Tells the user something that the conversation need not keep: that a wait goes on, and what for. A host that has no place
    /// for it gets it as a line of its log.
    pub fn notice(&self, text: &str) {
        self.0.notices.show(&self.0.id, text);
    }

    /// Puts another conversation in place of this one, in memory: after a compaction or an undo that the
    /// host has stored. Flush the session before you store that: what is still queued would come behind it.
    pub fn replace_log(&self, messages: LogView) {
        self.0.log.replace(messages);
    }
}
