//! Sinks of every kind: at once, queued and failing in the middle, slow, panicking, coming back from within.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use crate::base::boxed::BoxError;
use crate::base::boxed::BoxFuture;
use crate::machinery::spawn::{Spawn, Threads};
use crate::session::Session;
use crate::session::timeline::{Observer, Recorded};
use crate::set::{Hooks, Registry};

use super::*;

fn session_with(sink: impl LogSink + 'static) -> Session {
    let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
    Session::builder(&hooks, "kept").log([], Some(Box::new(sink))).build()
}

fn block_on<T: Send>(future: impl Future<Output = T> + Send) -> T {
    let mut done = None;
    Threads::default().block_on(Box::pin(async { done = Some(future.await) }));
    done.unwrap()
}

fn texts(session: &Session) -> Vec<String> {
    session.log().iter().map(|message| message.content.clone()).collect()
}

fn say(session: &Session, text: &str) -> Result<Arc<Message>, LogFault> {
    session.append(Message::user(text))
}

/// A database on another machine: what is appended waits in a queue that somebody else works off. `broken` is the place of
/// the message, counted over its life, that it cannot store.
#[derive(Default)]
struct Remote {
    taken: AtomicUsize,
    queue: Mutex<VecDeque<(usize, String)>>,
    stored: Mutex<Vec<String>>,
    broken: Mutex<Option<usize>>,
    /// Whether the line is up; while it is down, whoever flushes waits.
    up: AtomicBool,
    waits: Mutex<Vec<Waker>>,
    flushes: AtomicUsize,
}

impl Remote {
    fn new(broken: Option<usize>) -> Arc<Self> {
        Arc::new(Self { broken: Mutex::new(broken), up: AtomicBool::new(true), ..Self::default() })
    }

    fn connect(&self) {
        self.up.store(true, Ordering::SeqCst);
        let waits = std::mem::take(&mut *self.waits.lock().unwrap());
        waits.into_iter().for_each(Waker::wake);
    }

    fn stored(&self) -> Vec<String> {
        self.stored.lock().unwrap().clone()
    }
}

impl LogSink for Arc<Remote> {
    fn append(&self, message: &mut Message) -> Result<(), BoxError> {
        let place = self.taken.fetch_add(1, Ordering::SeqCst);
        message.id = Some(format!("r{place}"));
        self.queue.lock().unwrap().push_back((place, message.content.clone()));
        Ok(())
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(std::future::poll_fn(|cx| {
            if !self.up.load(Ordering::SeqCst) {
                self.waits.lock().unwrap().push(cx.waker().clone());
                return Poll::Pending;
            }
            self.flushes.fetch_add(1, Ordering::SeqCst);
            let mut queue = self.queue.lock().unwrap();
            while let Some((place, text)) = queue.front() {
                if *self.broken.lock().unwrap() == Some(*place) {
                    return Poll::Ready(Err("The database is gone: connect it again.".into()));
                }
                self.stored.lock().unwrap().push(text.clone());
                queue.pop_front();
            }
            Poll::Ready(Ok(()))
        }))
    }

    fn forget(&self, taken: usize) -> usize {
        let mut queue = self.queue.lock().unwrap();
        let stored = taken - queue.len();
        queue.clear();
        stored
    }
}

#[test]
fn a_message_has_place_and_id_at_once_and_is_stored_behind_the_barrier() {
    let remote = Remote::new(None);
    let session = session_with(Arc::clone(&remote));
    let ids: Vec<_> = ["a", "b", "c"].map(|text| say(&session, text).unwrap().id.clone().unwrap()).into();
    assert_eq!(
        (ids, texts(&session).len(), remote.stored().len()),
        (vec!["r0".into(), "r1".into(), "r2".into()], 3, 0)
    );
    block_on(session.flush()).unwrap();
    assert_eq!(remote.stored(), texts(&session));
    block_on(session.flush()).unwrap();
    assert_eq!(remote.flushes.load(Ordering::SeqCst), 1, "nothing was appended since");
}

#[test]
fn a_queue_that_fails_in_the_middle_takes_the_log_back_to_what_is_stored() {
    let remote = Remote::new(Some(3));
    let session = session_with(Arc::clone(&remote));
    say(&session, "one").unwrap();
    block_on(session.flush()).unwrap();
    for text in ["two", "three", "four", "five"] {
        say(&session, text).unwrap();
    }
    let before = session.log();
    let fault = block_on(session.flush()).unwrap_err();
    assert_eq!((fault.lost, fault.session.as_str()), (2, "kept"));
    assert_eq!(
        fault.to_string(),
        "2 messages of the session `kept` could not be stored and are left out. The database is gone: connect it again."
    );
    assert_eq!(texts(&session), ["one", "two", "three"]);
    assert_eq!(remote.stored(), ["one", "two", "three"]);
    assert_eq!(before.len(), 5, "a view stays as it was");
    block_on(session.flush()).unwrap();

    say(&session, "six").unwrap();
    block_on(session.flush()).unwrap();
    assert_eq!(texts(&session), ["one", "two", "three", "six"]);
    assert_eq!(remote.stored(), texts(&session));
    assert_eq!(before[3].content, "four");
}

/// Takes what has no `!` in it.
struct AtOnce;

impl LogSink for AtOnce {
    fn append(&self, message: &mut Message) -> Result<(), BoxError> {
        if message.content.contains('!') { Err("The disk is full.".into()) } else { Ok(()) }
    }
}

#[test]
fn what_could_not_be_stored_is_not_in_the_log_and_the_barrier_tells_it_once() {
    let session = session_with(AtOnce);
    say(&session, "one").unwrap();
    let fault = say(&session, "two!").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "A message of the session `kept` could not be stored and is left out. The disk is full."
    );
    say(&session, "three!").unwrap_err();
    say(&session, "four").unwrap();
    assert_eq!(texts(&session), ["one", "four"]);
    assert_eq!(block_on(session.flush()).unwrap_err().lost, 2);
    block_on(session.flush()).unwrap();
    assert_eq!(texts(&session), ["one", "four"], "what was stored stays");
}

#[test]
fn messages_of_one_hook_go_in_together_up_to_the_first_that_is_lost() {
    let session = session_with(AtOnce);
    let messages = ["one", "two!", "three"].map(Message::user).to_vec();
    let mut seen = Vec::new();
    let (stored, fault) = session.append_all(messages, |stored| {
        seen.extend(stored.iter().map(|message| message.content.clone()));
    });
    assert_eq!((stored.len(), seen, fault.unwrap().lost), (1, vec!["one".to_owned()], 2));
    assert_eq!(texts(&session), ["one"]);
    assert_eq!(block_on(session.flush()).unwrap_err().lost, 2);
}

#[test]
fn store_is_append_and_barrier() {
    let session = session_with(AtOnce);
    assert_eq!(block_on(session.store(Message::user("one"))).unwrap().content, "one");
    assert_eq!(block_on(session.store(Message::user("two!"))).unwrap_err().lost, 1);
    block_on(session.flush()).unwrap();
    assert_eq!(texts(&session), ["one"]);
}

/// An error that cannot be shown, and panics again when it goes.
#[derive(Debug)]
struct Rude;
impl fmt::Display for Rude {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no text")
    }
}
impl Error for Rude {}
impl Drop for Rude {
    fn drop(&mut self) {
        panic!("nor an end")
    }
}

enum Manner {
    PanicIn(&'static str),
    RudeIn(&'static str),
}

struct Unmannered(Manner);

impl Unmannered {
    fn at(&self, place: &str) -> Result<(), BoxError> {
        match self.0 {
            Manner::PanicIn(here) if here == place => std::panic::panic_any(Rude),
            Manner::RudeIn(here) if here == place => Err(Box::new(Rude)),
            _ => Ok(()),
        }
    }
}

impl LogSink for Unmannered {
    fn append(&self, _: &mut Message) -> Result<(), BoxError> {
        self.at("append")
    }
    fn flush(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        let begun = self.at("flush");
        Box::pin(async move {
            begun?;
            self.at("poll")?;
            if matches!(self.0, Manner::PanicIn("forget")) { Err("gone".into()) } else { Ok(()) }
        })
    }
    fn forget(&self, taken: usize) -> usize {
        if self.at("forget").is_ok() { 0 } else { taken }
    }
}

#[test]
fn a_sink_that_panics_is_an_error_and_nothing_unwinds() {
    let manners = ["append", "flush", "poll", "forget"].map(Manner::PanicIn).into_iter();
    for manner in manners.chain(["append", "flush", "poll"].map(Manner::RudeIn)) {
        let session = session_with(Unmannered(manner));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let _ = say(&session, "one");
            let fault = block_on(session.flush()).unwrap_err();
            assert_eq!(fault.lost, 1, "{fault}");
            assert!(fault.to_string().len() > 70, "{fault}");
        }));
        assert!(ended.is_ok());
        assert!(texts(&session).is_empty());
    }
}

/// Appends to the session that it keeps, and flushes it.
#[derive(Clone, Default)]
struct Within {
    session: Arc<OnceLock<Session>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Within {
    fn tries(&self) {
        let Some(session) = self.session.get() else { return };
        let lost = say(session, "from within").unwrap_err();
        let (none, lost_too) = session.append_all(vec![Message::user("a"), Message::user("b")], |_| ());
        assert!(none.is_empty());
        let flush = block_on(session.flush()).unwrap_err().to_string();
        let mut seen = self.seen.lock().unwrap();
        seen.extend([
            lost.to_string(),
            lost_too.unwrap().to_string(),
            flush,
            session.log().len().to_string(),
        ]);
    }
}

impl LogSink for Within {
    fn append(&self, _: &mut Message) -> Result<(), BoxError> {
        self.tries();
        Ok(())
    }
}

#[test]
fn a_sink_that_appends_to_the_session_it_keeps_is_told_so_and_does_not_hang() {
    let sink = Within::default();
    let session = session_with(sink.clone());
    assert!(sink.session.set(session.clone()).is_ok());
    say(&session, "one").unwrap();
    assert_eq!(texts(&session), ["one"]);
    let seen = sink.seen.lock().unwrap().clone();
    assert!(seen[0].contains("while it was told of one message, added another one"), "{seen:?}");
    assert!(seen[1].starts_with("2 messages of the session `kept`"), "{seen:?}");
    assert!(seen[2].contains("waited for its own log to be flushed"), "{seen:?}");
    assert_eq!(seen[3], "0", "it reads the log as it was");
    assert_eq!(block_on(session.flush()).unwrap_err().lost, 3);
    block_on(session.flush()).unwrap();
}

/// Flushes the session in its own flush.
struct FlushWithin(Arc<OnceLock<Session>>, Arc<Mutex<String>>);

impl LogSink for FlushWithin {
    fn append(&self, _: &mut Message) -> Result<(), BoxError> {
        Ok(())
    }
    fn flush(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async {
            if let Some(session) = self.0.get() {
                *self.1.lock().unwrap() = session.flush().await.unwrap_err().to_string();
            }
            Ok(())
        })
    }
}

#[test]
fn a_sink_that_waits_for_its_own_flush_is_told_so() {
    let (own, seen) = (Arc::<OnceLock<Session>>::default(), Arc::<Mutex<String>>::default());
    let session = session_with(FlushWithin(Arc::clone(&own), Arc::clone(&seen)));
    assert!(own.set(session.clone()).is_ok());
    say(&session, "one").unwrap();
    block_on(session.flush()).unwrap();
    assert!(seen.lock().unwrap().contains("waited for its own log to be flushed"));
}

struct Nothing;
impl Wake for Nothing {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_flush_that_is_dropped_leaves_what_is_queued_and_lets_the_next_one_through() {
    let remote = Remote::new(None);
    remote.up.store(false, Ordering::SeqCst);
    let session = session_with(Arc::clone(&remote));
    say(&session, "one").unwrap();
    let waker = Waker::from(Arc::new(Nothing));
    let mut cx = Context::from_waker(&waker);
    {
        let mut first = pin!(session.flush());
        let mut second = pin!(session.flush());
        assert!(first.as_mut().poll(&mut cx).is_pending());
        assert!(second.as_mut().poll(&mut cx).is_pending());
        assert_eq!(remote.waits.lock().unwrap().len(), 1, "one flush at a time");
    }
    say(&session, "two").unwrap();
    remote.connect();
    block_on(session.flush()).unwrap();
    assert_eq!(remote.stored(), ["one", "two"]);
}

#[test]
fn whoever_waits_while_another_flush_fails_is_told_too_and_those_after_it_are_not() {
    let remote = Remote::new(Some(0));
    remote.up.store(false, Ordering::SeqCst);
    let session = session_with(Arc::clone(&remote));
    let waker = Waker::from(Arc::new(Nothing));
    let mut cx = Context::from_waker(&waker);
    let mut storing = pin!(session.store(Message::user("one")));
    assert!(storing.as_mut().poll(&mut cx).is_pending());
    say(&session, "two").unwrap();
    let mut second = pin!(session.flush());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    // Appended while the flush runs that fails.
    say(&session, "three").unwrap();
    remote.connect();
    let Poll::Ready(Err(first)) = storing.as_mut().poll(&mut cx) else { panic!("it is ready and failed") };
    let Poll::Ready(Err(second)) = second.as_mut().poll(&mut cx) else { panic!("it is ready and failed") };
    assert_eq!((first.lost, second.lost), (3, 3));
    assert!(texts(&session).is_empty() && remote.stored().is_empty());
    block_on(session.flush()).unwrap();
    assert_eq!(block_on(session.store(Message::user("four"))).unwrap().content, "four");
    assert_eq!(remote.stored(), ["four"]);
}

/// Writes down what it is told, in the order in which it is told.
#[derive(Clone, Debug, Default)]
struct Book(Arc<Mutex<Vec<String>>>);

impl LogSink for Book {
    fn append(&self, message: &mut Message) -> Result<(), BoxError> {
        let mut book = self.0.lock().unwrap();
        message.id = Some(format!("m{}", book.len()));
        book.push(message.content.clone());
        Ok(())
    }
}

impl Observer for Book {
    fn record(&self, _: Recorded) {}
}

#[test]
fn log_sink_and_observer_have_one_order_however_many_append() {
    const THREADS: usize = 8;
    const ROUNDS: usize = 500;
    let (sink, observer) = (Book::default(), Book::default());
    let hooks = Hooks::new(Registry::builder().linked(false).build().unwrap());
    let session = Session::builder(&hooks, "kept")
        .log([], Some(Box::new(sink.clone())))
        .observer(Arc::new(observer.clone()))
        .build();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (session, observer) = (&session, &observer);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    if round % 3 == 0 {
                        say(session, &format!("{thread} {round} alone")).unwrap();
                        continue;
                    }
                    let pair = [0, 1].map(|part| Message::user(format!("{thread} {round} {part}"))).to_vec();
                    let (_, fault) = session.append_all(pair, |stored| {
                        let texts = stored.iter().map(|message| message.content.clone());
                        observer.0.lock().unwrap().extend(texts);
                    });
                    assert!(fault.is_none());
                }
            });
        }
    });
    let log = texts(&session);
    assert_eq!(*sink.0.lock().unwrap(), log);
    assert!(session.log().iter().enumerate().all(|(place, message)| message.id == Some(format!("m{place}"))));
    let spoken: Vec<_> = log.iter().filter(|text| !text.ends_with("alone")).cloned().collect();
    assert_eq!(*observer.0.lock().unwrap(), spoken);
    let together = spoken.chunks(2).all(|pair| pair[0].strip_suffix('0') == pair[1].strip_suffix('1'));
    assert!(together, "messages of one hook stand side by side");
}

#[test]
fn nobody_who_reads_waits_for_a_slow_sink() {
    struct Slow(Arc<Mutex<()>>, AtomicBool);
    impl LogSink for Arc<Slow> {
        fn append(&self, _: &mut Message) -> Result<(), BoxError> {
            self.1.store(true, Ordering::SeqCst);
            drop(self.0.lock().unwrap());
            Ok(())
        }
    }
    let disk = Arc::<Mutex<()>>::default();
    let slow = Arc::new(Slow(Arc::clone(&disk), AtomicBool::new(false)));
    let session = session_with(Arc::clone(&slow));
    let busy = disk.lock().unwrap();
    thread::scope(|scope| {
        let appends = scope.spawn(|| say(&session, "one").unwrap());
        while !slow.1.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        assert!(session.log().is_empty(), "it is not stored yet");
        drop(busy);
        appends.join().unwrap();
    });
    assert_eq!(texts(&session), ["one"]);
}

#[test]
fn another_log_in_its_place_counts_as_stored_and_an_older_view_stays() {
    let remote = Remote::new(Some(1));
    let session = session_with(Arc::clone(&remote));
    say(&session, "one").unwrap();
    block_on(session.flush()).unwrap();
    let before = session.log();
    session.replace_log([Message::user("two"), Message::user("three")].into_iter().collect());
    block_on(session.flush()).unwrap();
    say(&session, "four").unwrap();
    assert_eq!(block_on(session.flush()).unwrap_err().lost, 1);
    assert_eq!(texts(&session), ["two", "three"]);
    assert_eq!(before.len(), 1);
    // A log that goes on with another session's messages does not write into that one.
    let other = session_with(AtOnce);
    other.replace_log(session.log());
    say(&other, "other").unwrap();
    *remote.broken.lock().unwrap() = None;
    say(&session, "own").unwrap();
    assert_eq!(
        (texts(&other).pop().unwrap(), texts(&session).pop().unwrap()),
        ("other".into(), "own".into())
    );
}
