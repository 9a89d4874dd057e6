//! What cannot be stored did not happen: a disk that fills up at any message of a turn, under a storage that stores at once and
//! under one that queues.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on has failed

mod common;

#[path = "unstored/around.rs"]
mod around;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookspec::hooks::BoxFuture;
use hookspec::points::{
    CACHE_INVALIDATED, ERROR, EndReason, LOOP_CONTINUE, MESSAGE_PRE_PROCESS, SESSION_START, STEP_PRE,
    StartReason, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE, TURN_POST, TurnOutcome,
};
use hookspec::registry::RegistryBuilder;
use hookspec::tool::ToolStatus;
use hookspec::{Hook, Message, Mode, Registry, Role, ToolUse};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Frontend, OpenError, Opening, TurnEnd};
use hookspec_agent::log::{Conversation, ConversationConfig, LogError, Rewrite, Storage};
use serde_json::{Value, json};

use common::{Stage, call, say};

const RESTED: TurnEnd = TurnEnd::Rested(TurnOutcome::Complete);
const BROKEN: TurnEnd = TurnEnd::Rested(TurnOutcome::Error);

/// A conversation on a disk that takes so many further messages.
#[derive(Debug)]
struct Small {
    files: Conversation,
    room: AtomicUsize,
    /// Whether messages wait in a queue until somebody flushes.
    queues: bool,
    queue: Mutex<VecDeque<Message>>,
    stored: Mutex<HashSet<String>>,
    given: AtomicUsize,
    /// Losses that the user was not told yet.
    lost: AtomicUsize,
    /// Whether flushes wait.
    slow: AtomicBool,
}

impl Small {
    fn new(stage: &Stage, queues: bool) -> Arc<Self> {
        let files = Conversation::create(&stage.logs(), "test", &ConversationConfig::default()).unwrap();
        Arc::new(Self {
            files,
            room: AtomicUsize::new(usize::MAX),
            queues,
            queue: Mutex::default(),
            stored: Mutex::default(),
            given: AtomicUsize::new(0),
            lost: AtomicUsize::new(0),
            slow: AtomicBool::new(false),
        })
    }

    fn full(&self) -> LogError {
        self.lost.fetch_add(1, Ordering::SeqCst);
        LogError::DiskFull { path: PathBuf::from("conversation.jsonl") }
    }

    fn write(&self, message: &mut Message) -> Result<(), LogError> {
        let room = self.room.load(Ordering::SeqCst);
        if room == 0 {
            return Err(self.full());
        }
        self.files.append(message)?;
        self.room.store(room - 1, Ordering::SeqCst);
        self.stored.lock().unwrap().extend(message.id.clone());
        Ok(())
    }

    fn set_room(&self, room: usize) {
        // What is lost right after a loss that was told (what hooks say at `ERROR`) is not told again.
        self.lost.store(0, Ordering::SeqCst);
        self.room.store(room, Ordering::SeqCst);
    }

    /// Whether something was said that is not stored, and the user does not know.
    fn is_behind(&self) -> bool {
        self.lost.load(Ordering::SeqCst) > 0 || !self.queue.lock().unwrap().is_empty()
    }

    fn holds(&self, message: &Message) -> bool {
        message.id.as_ref().is_some_and(|id| self.stored.lock().unwrap().contains(id))
    }
}

impl Storage for Small {
    fn id(&self) -> &str {
        self.files.id()
    }
    fn append(&self, message: &mut Message) -> Result<(), LogError> {
        if !self.queues {
            return self.write(message);
        }
        let given = self.given.fetch_add(1, Ordering::SeqCst);
        message.id.get_or_insert_with(|| format!("q{given}"));
        self.queue.lock().unwrap().push_back(message.clone());
        Ok(())
    }
    fn queues(&self) -> bool {
        self.queues
    }
    fn flush(&self) -> BoxFuture<'_, Result<(), LogError>> {
        Box::pin(async {
            while self.slow.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            let mut queue = self.queue.lock().unwrap();
            while let Some(message) = queue.front_mut() {
                self.write(message)?;
                queue.pop_front();
            }
            Ok(())
        })
    }
    fn forget(&self, taken: usize) -> usize {
        let mut queue = self.queue.lock().unwrap();
        let stored = taken - queue.len();
        queue.clear();
        stored
    }
    fn rewrite(&self, messages: &mut [Message], why: Rewrite) -> Result<(), LogError> {
        assert!(self.queue.lock().unwrap().is_empty(), "the barrier is passed before");
        self.files.rewrite(messages, why).map(drop)
    }
    fn save_state(&self, _: &BTreeMap<String, Value>) -> Result<(), LogError> {
        Ok(())
    }
    fn save_model(&self, _: &str) -> Result<(), LogError> {
        Ok(())
    }
}

/// Sees to it that nothing is done or shown before its log has it.
#[derive(Debug)]
struct Watch {
    small: Arc<Small>,
    seen: Mutex<Vec<String>>,
}

impl Watch {
    fn see(&self, what: String) {
        self.seen.lock().unwrap().push(what);
    }
    fn done(&self, what: String) {
        assert!(!self.small.is_behind(), "{what}: the log is behind");
        self.see(what);
    }
    fn shown(&self, what: &str, message: &Message) {
        assert!(self.small.holds(message), "{what}: {message:?} is not stored");
        self.see(format!("{what} {}", message.content));
    }
    fn count(&self, what: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|seen| seen.starts_with(what)).count()
    }
    fn has(&self, what: &str) -> bool {
        self.count(what) > 0
    }
}

impl Frontend for Watch {
    fn accepted(&self, message: &Message) {
        self.shown("accepted", message);
        self.done("accepted".into());
    }
    fn generating(&self, _: u32) {
        self.done("generating".into());
    }
    fn answered(&self, message: &Message) {
        self.shown("answered", message);
    }
    fn message(&self, message: &Message) {
        self.shown("message", message);
    }
    fn tool(&self, call: &ToolUse) {
        self.done(format!("tool {}", call.tool));
    }
    fn result(&self, _: &ToolUse, status: ToolStatus, _: Duration) {
        self.done(format!("result {status:?}"));
    }
    fn notice(&self, text: &str) {
        if text.contains("could not be stored") {
            self.small.lost.store(0, Ordering::SeqCst);
        }
        self.see(format!("! {text}"));
    }
}

struct Play {
    stage: Stage,
    small: Arc<Small>,
    watch: Arc<Watch>,
    /// What hooks at `ERROR` were told.
    errors: Arc<Mutex<Vec<String>>>,
}

impl Play {
    fn new(queues: bool, script: &[String]) -> Self {
        let stage = Stage::new(script);
        let small = Small::new(&stage, queues);
        let watch = Arc::new(Watch { small: Arc::clone(&small), seen: Mutex::default() });
        Self { stage, small, watch, errors: Arc::default() }
    }

    /// The built-in tools, confirmed beforehand, and hooks that speak wherever they can, unless `quiet`.
    fn hooks(&self, quiet: bool) -> RegistryBuilder {
        let errors = Arc::clone(&self.errors);
        let note = Hook::new(ERROR, "stage.notes", move |event, _| {
            errors.lock().unwrap().push(event.error.to_owned());
            (!quiet).then(|| Message::system("at error"))
        });
        let builder = Registry::builder()
            .plugins(hookspec::plugins![hookspec_builtins])
            .mode(Mode::Cli)
            .allow(["stage"])
            .no_confirm(true)
            .register(note);
        if quiet {
            return builder;
        }
        builder
            .register(Hook::new(MESSAGE_PRE_PROCESS, "stage.prompt", |_, _| Message::system("at prompt")))
            .register(Hook::new(STEP_PRE, "stage.step", |_, _| Message::system("at step")))
            .register(Hook::new(TOOL_PRE_EXECUTE, "stage.tool", |_, _| Message::system("at tool")))
            .register(Hook::new(TOOL_POST_EXECUTE, "stage.ran", |_, _| Message::system("at result")))
            .register(Hook::new(TURN_POST, "stage.turn", |_, _| Message::system("at end")))
            .register(Hook::new(LOOP_CONTINUE, "stage.rest", |_, _| Message::system("at rest")))
    }

    fn opening(&self, hooks: RegistryBuilder) -> Opening {
        let storage = Arc::clone(&self.small) as Arc<dyn Storage>;
        let begin = Begin::Stored { storage, loaded: Box::default(), reason: StartReason::New };
        Opening { frontend: Arc::clone(&self.watch) as Arc<dyn Frontend>, ..self.stage.opening(hooks, begin) }
    }

    async fn open(&self, hooks: RegistryBuilder) -> Agent {
        Agent::open(self.opening(hooks), |session| session).await.unwrap()
    }

    fn file(&self) -> Vec<Message> {
        let text = self.stage.log_text();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Log and file are the same.
    fn check(&self, agent: &Agent) {
        let texts = |messages: &[Message]| -> Vec<_> {
            messages.iter().map(|message| (message.id.clone(), message.content.clone())).collect()
        };
        assert_eq!(texts(&agent.session().log().to_messages()), texts(&self.file()));
    }
}

fn save(path: &str) -> String {
    call("save", json!({ "path": path, "content": "x" }))
}

#[tokio::test(flavor = "multi_thread")]
async fn wherever_the_disk_fills_up_nothing_goes_on_and_the_next_message_works() {
    for queues in [false, true] {
        let mut full = 0;
        for room in 0.. {
            let play = Play::new(queues, &[save("a"), say("done"), say("and again"), say("and more")]);
            let mut agent = play.open(play.hooks(false)).await;
            play.small.set_room(room);
            let end = agent.prompt(Message::user("first")).await;
            play.check(&agent);
            let told = play.watch.count("! ");
            assert_eq!(play.errors.lock().unwrap().len(), told, "each is told to the hooks too");
            let (generated, ran) = (play.watch.count("generating"), play.watch.has("tool save"));
            assert_eq!(play.stage.workspace().join("a").exists(), ran);
            if end == RESTED {
                assert_eq!((told, generated, ran), (0, 2, true), "{queues} {room}");
                agent.end(EndReason::Exit).await;
                break;
            }
            full += 1;
            assert_eq!(told, 1, "{queues} {room}: {:?}", play.watch.seen);
            let notice = play.watch.seen.lock().unwrap().iter().find(|seen| seen.starts_with("! ")).cloned();
            let notice = notice.unwrap();
            assert!(
                notice.contains("conversation.jsonl is full") && notice.contains("free some space"),
                "{notice}"
            );
            match end {
                // `at prompt` and the prompt itself.
                TurnEnd::NotStored { reason } => {
                    assert!(room < 2 && notice.contains(&reason), "{reason}");
                    assert!(!play.watch.has("accepted") && generated == 0);
                }
                end => assert!(end == BROKEN && room >= 2, "{room} {end:?}"),
            }

            play.small.set_room(usize::MAX);
            assert_eq!(agent.prompt(Message::user("second")).await, RESTED, "{queues} {room}");
            play.check(&agent);
            assert_eq!(play.watch.count("! "), 1, "told once: {:?}", play.watch.seen);
            let log = agent.session().log();
            let mut users = log.iter().filter(|message| message.role == Role::User);
            assert_eq!(users.next_back().unwrap().content, "second");
            let calls = hookspec_agent::log::close_unanswered(&log.to_messages(), |_| true);
            assert!(calls.is_empty(), "{queues} {room}: {calls:?}");
            agent.end(EndReason::Exit).await;
        }
        // at prompt, first, at step, answer, at tool, at result, result, at step, done, at end, at rest
        assert_eq!(full, 11);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_is_lost_is_closed_as_unanswered_before_the_next_message() {
    for queues in [false, true] {
        let play = Play::new(queues, &[save("a"), say("I see.")]);
        let mut agent = play.open(play.hooks(true)).await;
        play.small.set_room(2);
        assert_eq!(agent.prompt(Message::user("go")).await, BROKEN);
        assert!(play.stage.workspace().join("a").exists(), "it ran");
        assert!(play.watch.has("tool save") && !play.watch.has("result"), "and is not shown as done");
        play.small.set_room(usize::MAX);
        assert_eq!(agent.prompt(Message::user("and?")).await, RESTED);
        let log = agent.session().log();
        let texts: Vec<&str> = log.iter().skip(1).map(|message| message.content.as_str()).collect();
        assert_eq!((texts[0], texts[1], texts[3], texts[4]), ("go", "On it.", "and?", "I see."));
        assert!(texts[2].starts_with("Interrupted") && log[3].call_id.is_some(), "{texts:?}");
        play.check(&agent);
        agent.end(EndReason::Exit).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_stays_full_is_told_once_for_each_message_and_asks_no_model() {
    let play = Play::new(false, &[say("one")]);
    let mut agent = play.open(play.hooks(false)).await;
    play.small.set_room(0);
    for round in 1..=3 {
        let end = agent.prompt(Message::user("go")).await;
        assert!(matches!(end, TurnEnd::NotStored { .. }), "{end:?}");
        assert_eq!((play.watch.count("! "), play.errors.lock().unwrap().len()), (round, round));
    }
    assert_eq!(agent.run().await, BROKEN, "the barrier before the model holds too");
    assert!(!play.watch.has("generating"));
    play.small.set_room(usize::MAX);
    assert_eq!(agent.prompt(Message::user("now")).await, RESTED);
    assert!(play.watch.has("answered one"), "the script's first answer was still there");
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_prompt_cannot_be_stored_does_not_open_and_does_later() {
    let play = Play::new(false, &[say("one")]);
    play.small.set_room(0);
    let error = Agent::open(play.opening(play.hooks(true)), |session| session).await.unwrap_err();
    assert!(matches!(error, OpenError::NotStored(_)), "{error}");
    assert!(error.to_string().contains("free some space"), "{error}");
    assert!(play.file().is_empty());
    play.small.set_room(usize::MAX);
    let mut agent = play.open(play.hooks(true)).await;
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    assert_eq!(agent.session().log().first().map(|message| message.role), Some(Role::System));
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hook_says_as_the_session_starts_and_is_lost_is_told() {
    let play = Play::new(false, &[say("one")]);
    play.small.set_room(1);
    let start = Hook::new(SESSION_START, "stage.starts", |_, _| Message::system("at start"));
    let mut agent = play.open(play.hooks(true).register(start)).await;
    assert_eq!((play.watch.count("! "), agent.session().log().len()), (1, 1));
    play.small.set_room(usize::MAX);
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_store_holds_back_what_follows_and_not_the_thread() {
    let play = Play::new(true, &[say("one")]);
    let mut agent = play.open(play.hooks(true)).await;
    play.small.slow.store(true, Ordering::SeqCst);
    let session = agent.session().clone();
    let observe = async {
        while session.log().len() < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!play.watch.has("accepted") && !play.watch.has("generating"));
        play.small.slow.store(false, Ordering::SeqCst);
    };
    let (end, ()) = tokio::join!(agent.prompt(Message::user("go")), observe);
    assert_eq!(end, RESTED);
    play.check(&agent);
    agent.end(EndReason::Exit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_stores_what_is_queued_first() {
    let play = Play::new(true, &[say("one")]);
    let undone = Hook::new(CACHE_INVALIDATED, "stage.undone", |_, _| Message::system("at undo"));
    let mut agent = play.open(play.hooks(true).register(undone)).await;
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    agent.session().append(Message::system("aside")).unwrap();
    assert_eq!(agent.undo().await.unwrap(), 3);
    agent.session().flush().await.unwrap();
    play.check(&agent);
    assert_eq!(agent.session().log().len(), 2);
    // Where it cannot, nothing is taken back.
    agent.session().append(Message::user("more")).unwrap();
    play.small.set_room(0);
    assert!(matches!(agent.undo().await, Err(LogError::Fault(_))));
    play.check(&agent);
    play.small.set_room(usize::MAX);
    agent.end(EndReason::Exit).await;
}

/// The real files, and the system's own word for a full disk.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_full_is_named_and_the_file_goes_on_whole() {
    let stage = Stage::new(&[say("one")]);
    let opening = stage.opening(
        Registry::builder()
            .plugins(hookspec::plugins![hookspec_builtins])
            .allow(["tool.read"])
            .mode(Mode::Cli),
        Begin::New("test".into()),
    );
    let mut agent = Agent::open(opening, |session| session).await.unwrap();
    let path = stage.logs().join("test/conversation.jsonl");
    let aside = path.with_extension("aside");
    std::fs::rename(&path, &aside).unwrap();
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let TurnEnd::NotStored { reason } = agent.prompt(Message::user("lost")).await else {
        panic!("it is full")
    };
    assert_eq!(
        reason,
        format!(
            "A message of the session `test` could not be stored and is left out. The disk that holds {} is full, so nothing was stored there: free some space and try again.",
            path.display()
        )
    );
    assert_eq!(*stage.shown.0.lock().unwrap(), [format!("! {reason}")]);
    std::fs::rename(&aside, &path).unwrap();
    assert_eq!(agent.prompt(Message::user("go")).await, RESTED);
    assert_eq!(common::texts(&agent), ["go", "one"]);
    assert_eq!(stage.log_text().lines().count(), 3);
    assert!(!stage.log_text().contains("lost"));
    agent.end(EndReason::Exit).await;
}
