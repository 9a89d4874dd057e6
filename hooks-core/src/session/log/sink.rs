//! Sinks: what keeps a conversation, and how it may fail.

use std::error::Error;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use crate::base::boxed::BoxError;
use crate::base::boxed::BoxFuture;
use crate::base::guard::{self, drop_quietly};
use crate::plain::message::Message;

/// Keeps a conversation: a file, a database. The host brings it.
///
/// A sink either stores in [`append`](Self::append), as one that writes a file does, and leaves the rest as it is; or it
/// takes messages into a queue there, stores them meanwhile, and says in [`flush`](Self::flush) how that went: a database on
/// another machine. "The log" in `docs/hosting.md` has one of that kind.
///
/// No call of `append` or `forget` overlaps another one, and no `flush` another `flush`. A panic in any of them is an error
/// of the sink. So is it if a sink appends to the session that it keeps, or flushes it: that message is not stored.
pub trait LogSink: Send + Sync {
    /// Stores one message, or takes it into the sink's queue. The sink fills in what the message lacks (`id`, `timestamp`):
    /// what it is when this returns is what hooks and models see.
    ///
    /// # Errors
    /// If it is not taken. The log has no such message then.
    fn append(&self, message: &mut Message) -> Result<(), BoxError>;

    /// Completes when every message that was taken before this was called is stored. It may be dropped half-way: what is
    /// queued stays queued then.
    ///
    /// # Errors
    /// If one of them could not be stored. [`forget`](Self::forget) follows.
    fn flush(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// After a `flush` that failed: forgets what is queued, and must store nothing of it any more. `taken` messages were
    /// taken since the last flush that did not fail; gives how many of them are stored all the same, from the oldest on. The
    /// log keeps those and forgets the others.
    ///
    /// As it is, it says that all are: right for a sink that stores in `append`.
    fn forget(&self, taken: usize) -> usize {
        taken
    }
}

/// Messages that could not be stored. They are not in the log: what cannot be stored did not happen.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}. {source}", self.what())]
#[non_exhaustive]
pub struct LogFault {
    /// The session.
    pub session: String,
    /// How many messages are lost; 0 where a sink failed that has stored them all.
    pub lost: usize,
    /// What the sink said of the first one.
    pub source: Cause,
}

/// What a sink said.
pub(super) type Cause = Arc<dyn Error + Send + Sync>;

impl LogFault {
    fn what(&self) -> String {
        let session = &self.session;
        match self.lost {
            0 => format!("The log of the session `{session}` is stored and could not be made safe"),
            1 => format!("A message of the session `{session}` could not be stored and is left out"),
            lost => {
                format!("{lost} messages of the session `{session}` could not be stored and are left out")
            }
        }
    }
}

/// What a sink may not do, and how it ends where it does.
#[derive(Debug, thiserror::Error)]
pub(super) enum Misuse {
    #[error("The sink of the log panicked: {0}; this is a bug in it.")]
    Panic(String),
    #[error("Its error has no text: showing it panicked; this is a bug in the sink of the log.")]
    Mute,
    #[error(
        "What keeps or watches the log, while it was told of one message, added another one to the same session: let it do so later, from another thread or task."
    )]
    Within,
    #[error("The sink of the log waited for its own log to be flushed: let whoever appends flush it.")]
    FlushWithin,
}

/// What a sink does without unwinding into the session.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, BoxError>) -> Result<T, Cause> {
    match guard::guarded(work) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(shown(error)),
        Err(panic) => Err(Arc::new(Misuse::Panic(panic))),
    }
}

/// Flushes a sink, without unwinding. `around` each poll.
pub(super) async fn flushed(sink: &dyn LogSink, around: impl Fn(&mut dyn FnMut())) -> Result<(), Cause> {
    let mut flush = guarded(|| Ok(sink.flush()))?;
    let ended = poll_fn(|cx| {
        let mut polled = Poll::Pending;
        around(&mut || {
            polled = match guarded(|| Ok(flush.as_mut().poll(cx))) {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(ended)) => Poll::Ready(ended.map_err(shown)),
                Err(panicked) => Poll::Ready(Err(panicked)),
            };
        });
        polled
    })
    .await;
    drop_quietly(flush, "the flush of a sink");
    ended
}

/// An error as it can be shown by everybody, whatever its `Display` does.
fn shown(error: BoxError) -> Cause {
    match guard::guarded(|| error.to_string()) {
        Ok(_) => error.into(),
        Err(_) => {
            drop_quietly(error, "an error of a sink");
            Arc::new(Misuse::Mute)
        }
    }
}
