//! The desk: questions to whoever watches a session, and their answers, for hosts with many sessions.
//!
//! A server makes one [`Desk`] and lends it to each session (`.extension(desk.clone())`); its own part is the
//! [`Board`], two calls that tell clients that a question is up and that it is down again. The hooks
//! `server_confirm` and `server_elicit` put questions up and wait without holding a thread. The server's end points
//! hand a client's reply to [`Desk::confirm`] or [`Desk::respond`].
//!
//! What holds: each question is answered at most once, and whoever answers knows whether it was; an answer that
//! was accepted is the one that counts, also when the time runs out at that moment; a question belongs to its
//! session and cannot be answered from another; a question goes down exactly once for each time that it was
//! put up, however its hook ended; a client that goes away changes nothing, and another one finds the
//! question in [`Desk::pending`].

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use hookspec::ask::{Answer, Elicitation, Why};
use hookspec::session::InterruptReason;
use hookspec::{Session, ToolUse};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::elicitation::{Unfit, accept};

/// How many questions may be up at a time, of all sessions.
pub const MOST_OPEN: usize = 4096;
/// How many questions of one session may be up at a time.
pub const MOST_OF_A_SESSION: usize = 64;
/// How many answered questions are remembered, to tell "answered" from "never heard of".
const REMEMBERED: usize = 1024;

/// The host's part: shows questions to the clients that watch a session.
///
/// Both are called from the task that asks and must not block: put an event into a channel.
pub trait Board: Send + Sync {
    /// A question is up. Clients that come later find it in [`Desk::pending`].
    ///
    /// # Errors
    /// If nobody will ever see it (the session is gone, say). The question is then refused at once.
    fn up(&self, question: &Pending) -> Result<(), BoardError>;

    /// A question is down: it can no longer be answered.
    fn down(&self, question: &Pending, end: Ended);
}

impl<B: Board + ?Sized> Board for Arc<B> {
    fn up(&self, question: &Pending) -> Result<(), BoardError> {
        (**self).up(question)
    }

    fn down(&self, question: &Pending, end: Ended) {
        (**self).down(question, end);
    }
}

/// A question that cannot be shown to anybody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the question cannot be shown to anybody: {0}")]
pub struct BoardError(
    /// Why, in words.
    pub String,
);

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Somebody answered.
    Answered,
    /// Nobody did in time.
    TimedOut,
    /// The session was interrupted.
    Interrupted,
    /// The host took it back, or whoever asked no longer waits.
    Withdrawn,
}

/// A question that waits for an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pending {
    /// Its id: `tool_id` or `elicit_id` for clients. Random, so no client of an earlier process hits it.
    pub id: String,
    /// The session that asks.
    pub session: String,
    /// When it was put up.
    pub asked: Timestamp,
    /// When it turns into a refusal.
    pub until: Timestamp,
    /// What is asked.
    pub question: Question,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// May this tool call run? Answered by [`Desk::confirm`].
    Tool(ToolQuestion),
    /// Anything else. Answered by [`Desk::respond`].
    Elicit(Elicitation),
}

/// May this tool call run?
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolQuestion {
    /// The call.
    pub tool_use: ToolUse,
    /// What an edit replaces: the file, the patch, the command.
    pub content: String,
    /// What to show instead, where that is something else: a diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Who wants it confirmed.
    pub why: Why,
}

/// A client's reply to a tool call's question: the body of `tool/confirm` beside `tool_id`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ToolReply {
    /// Run it.
    Confirm,
    /// Do not.
    Skip {
        /// Why not, for the model.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Run it with this content, which must not be empty.
    Edit {
        /// The whole content, never the preview.
        content: String,
    },
    /// Run it, and so many further ones of this session, at least 1.
    Auto {
        /// How many further ones.
        #[serde(default = "one")]
        count: u32,
    },
}

fn one() -> u32 {
    1
}

/// A client's reply to any other question: the body of `elicit/respond` beside `elicit_id`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ElicitReply {
    /// The answer: `value` is a text, a yes or no, or a form's object; `values` are several choices.
    Accept {
        /// One value.
        #[serde(default)]
        value: Option<Value>,
        /// Several choices.
        #[serde(default)]
        values: Option<Vec<String>>,
    },
    /// The user will not say.
    Decline,
    /// The user broke off.
    Cancel,
}

/// A reply that was not taken. The question, where there is one, is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// The session has no such question.
    #[error("this session has no pending question `{0}`; read its events again to see which it has")]
    Unknown(String),
    /// It is down already: answered by somebody else, timed out, interrupted.
    #[error("the question `{0}` is no longer pending: it was answered, or its time was up")]
    Over(String),
    /// A tool's answer to an elicitation, or the other way round.
    #[error("the question `{id}` is answered by `{by}`")]
    WrongKind {
        /// The question.
        id: String,
        /// The end point that answers it.
        by: &'static str,
    },
    /// An edit without content.
    #[error("an edit needs content that is not empty; skip the call to run nothing")]
    NoContent,
    /// An `auto` that confirms nothing.
    #[error("`count` is how many further calls are confirmed: at least 1; use `confirm` for this one only")]
    NoCount,
    /// The answer does not fit the question.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoAnswer {
    /// Nobody answered in time.
    #[error("nobody answered within {0:?}")]
    TimedOut(Duration),
    /// The session was interrupted meanwhile.
    #[error("the session was interrupted")]
    Interrupted(InterruptReason),
    /// The host took the question back.
    #[error("the question was taken back")]
    Withdrawn,
    /// Too many wait already.
    #[error("{0} questions wait for an answer already")]
    Full(usize),
    /// It could not be shown.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// Where a host's questions wait for their answers.
pub struct Desk {
    board: Box<dyn Board>,
    books: Mutex<Books>,
}

#[derive(Default)]
struct Books {
    open: HashMap<String, Slot>,
    /// Questions that are down, with their sessions, the oldest first.
    over: VecDeque<(String, String)>,
    /// How many there ever were.
    count: u64,
}

struct Slot {
    pending: Arc<Pending>,
    number: u64,
    waiter: Waiter,
}

enum Waiter {
    Tool(oneshot::Sender<ToolReply>),
    Elicit(oneshot::Sender<Answer>),
}

impl Desk {
    /// An empty desk.
    pub fn new(board: impl Board + 'static) -> Self {
        Self { board: Box::new(board), books: Mutex::default() }
    }

    /// The questions of a session that wait for an answer, in the order in which they were asked.
    #[must_use]
    pub fn pending(&self, session: &str) -> Vec<Arc<Pending>> {
        let books = self.books();
        let mut slots: Vec<_> = books.open.values().filter(|slot| slot.pending.session == session).collect();
        slots.sort_unstable_by_key(|slot| slot.number);
        slots.into_iter().map(|slot| Arc::clone(&slot.pending)).collect()
    }

    /// Answers a tool call's question. `Ok` means that this reply is the one that counts.
    ///
    /// # Errors
    /// If the session has no such question, or the reply does not fit it.
    pub fn confirm(&self, session: &str, id: &str, reply: ToolReply) -> Result<(), ReplyError> {
        match &reply {
            ToolReply::Edit { content } if content.trim().is_empty() => return Err(ReplyError::NoContent),
            ToolReply::Auto { count: 0 } => return Err(ReplyError::NoCount),
            _ => {}
        }
        let wrong = || ReplyError::WrongKind { id: id.to_owned(), by: "elicit/respond" };
        let mut books = self.books();
        match books.find(session, id)?.waiter {
            Waiter::Tool(_) => {}
            Waiter::Elicit(_) => return Err(wrong()),
        }
        // Sent under the lock: who times out at this moment finds either the question or the reply.
        match books.close(id).map(|slot| slot.waiter) {
            Some(Waiter::Tool(waiter)) => waiter.send(reply).map_err(|_| ReplyError::Over(id.to_owned())),
            _ => Err(wrong()),
        }
    }

    /// Answers any other question. `Ok` means that this reply is the one that counts.
    ///
    /// # Errors
    /// If the session has no such question, or the answer does not fit it; it may then be tried again.
    pub fn respond(&self, session: &str, id: &str, reply: ElicitReply) -> Result<(), ReplyError> {
        let wrong = || ReplyError::WrongKind { id: id.to_owned(), by: "tool/confirm" };
        let mut books = self.books();
        let slot = books.find(session, id)?;
        let Question::Elicit(request) = &slot.pending.question else { return Err(wrong()) };
        let answer = match reply {
            ElicitReply::Decline => Answer::Declined,
            ElicitReply::Cancel => Answer::Cancelled,
            ElicitReply::Accept { values: Some(values), .. } => {
                accept(request, &values.into_iter().map(Value::String).collect())?
            }
            ElicitReply::Accept { value, .. } => accept(request, &value.unwrap_or(Value::Null))?,
        };
        match books.close(id).map(|slot| slot.waiter) {
            Some(Waiter::Elicit(waiter)) => waiter.send(answer).map_err(|_| ReplyError::Over(id.to_owned())),
            _ => Err(wrong()),
        }
    }

    /// Takes back all questions of a session, as on its end. Returns how many there were.
    pub fn withdraw(&self, session: &str) -> usize {
        let mut books = self.books();
        let ids: Vec<String> = books
            .open
            .iter()
            .filter(|(_, slot)| slot.pending.session == session)
            .map(|(id, _)| id.clone())
            .collect();
        ids.iter().filter_map(|id| books.close(id)).count()
    }

    /// Puts a tool call's question up and waits for the reply.
    ///
    /// # Errors
    /// If there will be none.
    pub async fn ask_tool(
        &self,
        session: &Session,
        question: ToolQuestion,
        timeout: Duration,
    ) -> Result<ToolReply, NoAnswer> {
        self.wait(session, Question::Tool(question), timeout, Waiter::Tool).await
    }

    /// Puts any other question up and waits for the answer.
    ///
    /// # Errors
    /// If there will be none.
    pub async fn ask(
        &self,
        session: &Session,
        request: Elicitation,
        timeout: Duration,
    ) -> Result<Answer, NoAnswer> {
        self.wait(session, Question::Elicit(request), timeout, Waiter::Elicit).await
    }

    async fn wait<T>(
        &self,
        session: &Session,
        question: Question,
        timeout: Duration,
        waiter: fn(oneshot::Sender<T>) -> Waiter,
    ) -> Result<T, NoAnswer> {
        let (sender, mut receiver) = oneshot::channel();
        let asked = session.clock().now();
        let pending = Arc::new(Pending {
            id: uuid::Uuid::new_v4().to_string(),
            session: session.id().to_owned(),
            asked,
            until: asked.saturating_add(timeout).unwrap_or(Timestamp::MAX),
            question,
        });
        self.books().put(&pending, waiter(sender))?;
        let mut open = Open { desk: self, pending: &pending, up: false, end: Ended::Withdrawn };
        self.board.up(&pending)?;
        open.up = true;

        let mut alarm = session.sleep(timeout);
        let mut interrupt = pin!(session.until_interrupted());
        let none = poll_fn(|cx| {
            if let Poll::Ready(reply) = Pin::new(&mut receiver).poll(cx) {
                return Poll::Ready(reply.map_err(|_| (Ended::Withdrawn, NoAnswer::Withdrawn)));
            }
            if let Poll::Ready(reason) = interrupt.as_mut().poll(cx) {
                return Poll::Ready(Err((Ended::Interrupted, NoAnswer::Interrupted(reason))));
            }
            alarm.as_mut().poll(cx).map(|()| Err((Ended::TimedOut, NoAnswer::TimedOut(timeout))))
        })
        .await;
        let (end, error) = match none {
            Ok(reply) => {
                open.end = Ended::Answered;
                return Ok(reply);
            }
            Err(none) => none,
        };
        // Somebody may have answered between the alarm and here; what they were told holds.
        let closed = self.books().close(&pending.id);
        if closed.is_none()
            && let Ok(reply) = receiver.try_recv()
        {
            open.end = Ended::Answered;
            return Ok(reply);
        }
        open.end = end;
        Err(error)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn put(&mut self, pending: &Arc<Pending>, waiter: Waiter) -> Result<(), NoAnswer> {
        let of_session = self.open.values().filter(|slot| slot.pending.session == pending.session).count();
        if of_session >= MOST_OF_A_SESSION || self.open.len() >= MOST_OPEN {
            return Err(NoAnswer::Full(of_session.max(self.open.len())));
        }
        self.count += 1;
        let slot = Slot { pending: Arc::clone(pending), number: self.count, waiter };
        self.open.insert(pending.id.clone(), slot);
        Ok(())
    }

    fn find(&self, session: &str, id: &str) -> Result<&Slot, ReplyError> {
        if let Some(slot) = self.open.get(id).filter(|slot| slot.pending.session == session) {
            return Ok(slot);
        }
        let over = self.over.iter().any(|(whose, which)| which == id && whose == session);
        Err(if over { ReplyError::Over(id.to_owned()) } else { ReplyError::Unknown(id.to_owned()) })
    }

    fn close(&mut self, id: &str) -> Option<Slot> {
        let slot = self.open.remove(id)?;
        if self.over.len() == REMEMBERED {
            self.over.pop_front();
        }
        self.over.push_back((slot.pending.session.clone(), id.to_owned()));
        Some(slot)
    }
}

/// A question that is up. Takes it down when its asker is done, also when that is cut off.
struct Open<'a> {
    desk: &'a Desk,
    pending: &'a Pending,
    up: bool,
    end: Ended,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.desk.books().close(&self.pending.id);
        if self.up {
            self.desk.board.down(self.pending, self.end);
        }
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("open", &self.books().open.len()).finish_non_exhaustive()
    }
}
