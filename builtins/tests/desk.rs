//! Questions to clients: the hooks `server_confirm` and `server_elicit` on a real desk, answered from other tasks.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookspec::ask::{Answer, Confirmation, ElicitKind, Elicitation, FieldAnswer, FieldKind, FormField, Why};
use hookspec::points::{ELICIT, TOOL_CONFIRM};
use hookspec::session::InterruptReason;
use hookspec::{Config, Hooks, Mode, Registry, Session, ToolUse, fire};
use hookspec_builtins::beforehand::{Beforehand, Further};
use hookspec_builtins::desk::{
    Board, BoardError, Desk, ElicitReply, Ended, MOST_OF_A_SESSION, Pending, Question, ReplyError, ToolReply,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What the clients saw.
#[derive(Debug)]
// A few in one test: nothing is gained by boxes.
#[allow(clippy::large_enum_variant)]
enum Seen {
    Up(Box<Pending>),
    Down(String, Ended),
}

struct Clients(UnboundedSender<Seen>);

impl Board for Clients {
    fn up(&self, question: &Pending) -> Result<(), BoardError> {
        self.0.send(Seen::Up(Box::new(question.clone()))).map_err(|_| BoardError("everybody is gone".into()))
    }
    fn down(&self, question: &Pending, end: Ended) {
        let _ = self.0.send(Seen::Down(question.id.clone(), end));
    }
}

fn desk() -> (Arc<Desk>, UnboundedReceiver<Seen>) {
    let (sender, receiver) = unbounded_channel();
    (Arc::new(Desk::new(Clients(sender))), receiver)
}

fn hooks(settings: &str) -> Hooks {
    let mut config = Config::new();
    config.add_toml("hookspec.toml", settings, &[]).unwrap();
    Hooks::new(Registry::builder().config(config).mode(Mode::Server).build().unwrap())
}

fn session(id: &str, desk: &Arc<Desk>) -> Session {
    Session::builder(&hooks(""), id).extension(Arc::clone(desk)).build()
}

async fn confirm(session: &Session) -> Option<Confirmation> {
    let call = ToolUse::fenced("save", ["a.txt"], "new text");
    let why = Why::Policy;
    let mut fired =
        fire!(session, TOOL_CONFIRM { tool_use: &call, preview: Some("@@ a diff"), why: &why }).await;
    assert!(fired.failures().is_empty(), "{fired:?}");
    fired.take_answer().map(|(answer, _)| answer)
}

fn asking(session: &Session) -> tokio::task::JoinHandle<Option<Confirmation>> {
    let session = session.clone();
    tokio::spawn(async move { confirm(&session).await })
}

async fn elicit(session: &Session, request: &Elicitation) -> Option<Answer> {
    fire!(session, ELICIT { request }).await.take_answer().map(|(answer, _)| answer)
}

async fn up(seen: &mut UnboundedReceiver<Seen>) -> Pending {
    match seen.recv().await {
        Some(Seen::Up(pending)) => *pending,
        other => panic!("no question is up, but {other:?}"),
    }
}

async fn down(seen: &mut UnboundedReceiver<Seen>) -> (String, Ended) {
    match seen.recv().await {
        Some(Seen::Down(id, end)) => (id, end),
        other => panic!("no question went down, but {other:?}"),
    }
}

fn reply(json: Value) -> ToolReply {
    serde_json::from_value(json).unwrap()
}

fn refusal(answer: Option<Confirmation>) -> String {
    match answer {
        Some(Confirmation::Skip { reason }) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn s20_row_1_a_question_is_up_is_answered_once_and_is_gone() {
    let (desk, mut seen) = desk();
    let asked = asking(&session("s", &desk));
    let pending = up(&mut seen).await;
    assert_eq!(desk.pending("s"), [Arc::new(pending.clone())]);
    assert!(desk.pending("t").is_empty());
    let unknown = desk.confirm("s", "nonsense", ToolReply::Confirm);
    assert_eq!(unknown, Err(ReplyError::Unknown("nonsense".into())));
    assert_eq!(desk.confirm("s", &pending.id, ToolReply::Confirm), Ok(()));
    assert_eq!(asked.await.unwrap(), Some(Confirmation::Confirm));
    assert_eq!(down(&mut seen).await, (pending.id.clone(), Ended::Answered));
    assert!(desk.pending("s").is_empty());
    let again = desk.confirm("s", &pending.id, ToolReply::Skip { reason: None });
    assert_eq!(again, Err(ReplyError::Over(pending.id)));
}

#[tokio::test]
async fn s20_rows_2_and_6_nowhere_to_ask_is_a_refusal() {
    let none = Session::builder(&hooks(""), "s").build();
    assert!(refusal(confirm(&none).await).contains("nowhere to ask"));
    let (desk, seen) = desk();
    drop(seen);
    let why = refusal(confirm(&session("s", &desk)).await);
    assert!(why.contains("cannot be shown to anybody: everybody is gone"), "{why}");
    assert!(desk.pending("s").is_empty());
}

#[tokio::test]
async fn s20_row_3_what_was_confirmed_beforehand_is_not_asked() {
    let (desk, mut seen) = desk();
    let session = session("s", &desk);
    session.try_state::<Beforehand>().unwrap().allow(Further::Count(2));
    assert_eq!(confirm(&session).await, Some(Confirmation::Confirm));
    assert_eq!(confirm(&session).await, Some(Confirmation::Confirm));
    assert!(seen.try_recv().is_err(), "nobody was bothered");
    let asked = asking(&session);
    let pending = up(&mut seen).await;
    desk.confirm("s", &pending.id, reply(json!({"tool_id": pending.id, "action": "auto", "count": 1})))
        .unwrap();
    assert_eq!(asked.await.unwrap(), Some(Confirmation::Confirm));
    down(&mut seen).await;
    assert_eq!(confirm(&session).await, Some(Confirmation::Confirm), "one further call");
    let asked = asking(&session);
    let pending = up(&mut seen).await;
    desk.confirm("s", &pending.id, ToolReply::Skip { reason: Some("too dear".into()) }).unwrap();
    assert!(refusal(asked.await.unwrap()).ends_with("too dear"));
}

#[tokio::test]
async fn s20_row_4_the_question_carries_all_that_is_needed_and_goes_to_its_session() {
    let (desk, mut seen) = desk();
    let (s, t) = (session("s", &desk), session("t", &desk));
    let asked = asking(&s);
    let pending = up(&mut seen).await;
    assert_eq!((pending.session.as_str(), pending.until > pending.asked), ("s", true));
    let Question::Tool(question) = &pending.question else { panic!("{pending:?}") };
    assert_eq!((question.tool_use.tool.as_str(), question.content.as_str()), ("save", "new text"));
    assert_eq!(question.preview.as_deref(), Some("@@ a diff"));
    let foreign = desk.confirm(t.id(), &pending.id, ToolReply::Confirm);
    assert_eq!(foreign, Err(ReplyError::Unknown(pending.id.clone())), "from another session");

    let empty = desk.confirm("s", &pending.id, ToolReply::Edit { content: " ".into() });
    assert_eq!(empty, Err(ReplyError::NoContent));
    let none = desk.confirm("s", &pending.id, ToolReply::Auto { count: 0 });
    assert_eq!(none, Err(ReplyError::NoCount));
    let wrong = desk.respond("s", &pending.id, ElicitReply::Cancel).unwrap_err();
    assert!(matches!(wrong, ReplyError::WrongKind { .. }));
    let answering = Arc::clone(&desk);
    let id = pending.id.clone();
    let thread = std::thread::spawn(move || {
        answering.confirm("s", &id, ToolReply::Edit { content: "other text".into() })
    });
    thread.join().unwrap().unwrap();
    assert_eq!(asked.await.unwrap(), Some(Confirmation::Edit { content: "other text".into() }));
    down(&mut seen).await;
    assert!(seen.try_recv().is_err(), "one event up, one down");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s20_row_5_fifty_at_a_time_each_get_their_own_answer() {
    let (desk, mut seen) = desk();
    let asked: Vec<_> = (0..50).map(|n| asking(&session(&format!("s{n}"), &desk))).collect();
    for _ in 0..50 {
        let pending = loop {
            if let Seen::Up(pending) = seen.recv().await.unwrap() {
                break pending;
            }
        };
        let content = format!("for {}", pending.session);
        desk.confirm(&pending.session, &pending.id, ToolReply::Edit { content }).unwrap();
    }
    for (n, asked) in asked.into_iter().enumerate() {
        assert_eq!(asked.await.unwrap(), Some(Confirmation::Edit { content: format!("for s{n}") }));
        assert!(desk.pending(&format!("s{n}")).is_empty());
    }
}

#[tokio::test]
async fn s20_row_7_a_hook_that_is_gone_answers_nothing() {
    let (desk, _seen) = desk();
    let session = session("s", &desk);
    session.hooks().unregister("server_confirm.ask").unwrap();
    assert_eq!(confirm(&session).await, None, "which the engine takes as a refusal");
}

#[tokio::test]
async fn the_time_out_is_a_refusal_that_says_so() {
    let (desk, mut seen) = desk();
    let hooks = hooks("[hooks.server_confirm]\ntimeout_s = 0\n[hooks.server_elicit]\ntimeout_s = 0\n");
    let session = Session::builder(&hooks, "s").extension(Arc::clone(&desk)).build();
    assert!(refusal(confirm(&session).await).contains("nobody answered within 0ns"));
    let pending = up(&mut seen).await;
    assert_eq!(down(&mut seen).await, (pending.id.clone(), Ended::TimedOut));
    let late = desk.confirm("s", &pending.id, ToolReply::Confirm);
    assert_eq!(late, Err(ReplyError::Over(pending.id)));
    assert_eq!(elicit(&session, &Elicitation::default()).await, Some(Answer::Cancelled));
    assert!(desk.pending("s").is_empty());
}

/// A board that answers while the question is only just being put up.
struct Eager(std::sync::OnceLock<std::sync::Weak<Desk>>);

impl Board for Eager {
    fn up(&self, question: &Pending) -> Result<(), BoardError> {
        let desk = self.0.get().and_then(std::sync::Weak::upgrade).unwrap();
        desk.confirm(&question.session, &question.id, ToolReply::Confirm).unwrap();
        Ok(())
    }
    fn down(&self, _: &Pending, end: Ended) {
        assert_eq!(end, Ended::Answered);
    }
}

#[tokio::test]
async fn an_accepted_answer_counts_also_when_the_time_is_up_at_once() {
    let eager = Arc::new(Eager(std::sync::OnceLock::new()));
    let desk = Arc::new(Desk::new(Arc::clone(&eager)));
    eager.0.set(Arc::downgrade(&desk)).unwrap();
    let hooks = hooks("[hooks.server_confirm]\ntimeout_s = 0");
    let session = Session::builder(&hooks, "s").extension(desk).build();
    assert_eq!(confirm(&session).await, Some(Confirmation::Confirm));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_clients_one_answers_and_the_other_is_told() {
    let (desk, mut seen) = desk();
    let session = session("s", &desk);
    for _ in 0..20 {
        let asked = asking(&session);
        let pending = up(&mut seen).await;
        let taken = Arc::new(AtomicUsize::new(0));
        let clients = [ToolReply::Confirm, ToolReply::Skip { reason: None }].map(|reply| {
            let (desk, id, taken) = (Arc::clone(&desk), pending.id.clone(), Arc::clone(&taken));
            std::thread::spawn(move || {
                let said = desk.confirm("s", &id, reply.clone());
                if said.is_ok() {
                    taken.fetch_add(1, Ordering::SeqCst);
                }
                (said.is_ok(), reply)
            })
        });
        let said = clients.map(|client| client.join().unwrap());
        assert_eq!(taken.load(Ordering::SeqCst), 1);
        let confirmed = said.iter().any(|(ok, reply)| *ok && *reply == ToolReply::Confirm);
        assert_eq!(asked.await.unwrap() == Some(Confirmation::Confirm), confirmed, "who was told yes counts");
        down(&mut seen).await;
    }
}

#[tokio::test]
async fn an_asker_that_is_cut_off_an_interrupt_and_a_withdrawal_leave_nothing_behind() {
    let (desk, mut seen) = desk();
    let session = session("s", &desk);
    let asked = asking(&session);
    let pending = up(&mut seen).await;
    asked.abort();
    assert!(asked.await.unwrap_err().is_cancelled());
    assert_eq!(down(&mut seen).await, (pending.id.clone(), Ended::Withdrawn));
    assert_eq!(desk.confirm("s", &pending.id, ToolReply::Confirm), Err(ReplyError::Over(pending.id)));

    let asked = asking(&session);
    up(&mut seen).await;
    session.interrupt(InterruptReason::User);
    assert!(refusal(asked.await.unwrap()).contains("interrupted"));
    assert_eq!(down(&mut seen).await.1, Ended::Interrupted);
    session.resume();

    let asked = asking(&session);
    up(&mut seen).await;
    assert_eq!((desk.withdraw("other"), desk.withdraw("s")), (0, 1));
    assert!(refusal(asked.await.unwrap()).contains("taken back"));
    assert_eq!(down(&mut seen).await.1, Ended::Withdrawn);
    assert!(desk.pending("s").is_empty());
}

#[tokio::test]
async fn a_session_cannot_pile_up_questions_without_end() {
    let (desk, mut seen) = desk();
    let session = session("s", &desk);
    let asked: Vec<_> = (0..MOST_OF_A_SESSION).map(|_| asking(&session)).collect();
    for _ in 0..MOST_OF_A_SESSION {
        up(&mut seen).await;
    }
    assert!(refusal(confirm(&session).await).contains("64 questions wait"));
    let order: Vec<_> = desk.pending("s").iter().map(|pending| pending.id.clone()).collect();
    assert_eq!(order.len(), MOST_OF_A_SESSION);
    desk.withdraw("s");
    for asked in asked {
        refusal(asked.await.unwrap());
    }
}

fn form() -> Elicitation {
    let field = |name: &str, kind| FormField {
        name: name.into(),
        prompt: name.into(),
        kind,
        options: Vec::new(),
        required: true,
        default: None,
    };
    Elicitation {
        kind: ElicitKind::Form,
        prompt: "Sign in".into(),
        fields: vec![field("user", FieldKind::Text), field("password", FieldKind::Secret)],
        description: Some("To publish.".into()),
        ..Elicitation::default()
    }
}

fn choice() -> Elicitation {
    Elicitation {
        kind: ElicitKind::MultiChoice,
        prompt: "Which?".into(),
        options: vec!["a".into(), "b".into()],
        default: Some("a".into()),
        ..Elicitation::default()
    }
}

#[tokio::test]
async fn s21_rows_2_and_7_without_a_desk_the_question_is_left_to_others() {
    let none = Session::builder(&hooks(""), "s").build();
    assert_eq!(elicit(&none, &choice()).await, None);
    let (desk, seen) = desk();
    drop(seen);
    assert_eq!(elicit(&session("s", &desk), &choice()).await, Some(Answer::Cancelled));
}

#[tokio::test]
async fn s21_rows_1_3_4_5_and_8_the_question_is_whole_and_its_answer_checked() {
    let (desk, mut seen) = desk();
    let session = session("s", &desk);
    let rows = [
        (json!({"action": "accept", "values": ["b", "a"]}), Answer::Many(vec!["a".into(), "b".into()])),
        (json!({"action": "accept", "value": "b"}), Answer::Many(vec!["b".into()])),
        (json!({"action": "accept"}), Answer::Many(vec!["a".into()])),
        (json!({"action": "decline"}), Answer::Declined),
        (json!({"action": "cancel"}), Answer::Cancelled),
    ];
    for (body, answer) in rows {
        let other = session.clone();
        let asked = tokio::spawn(async move { elicit(&other, &choice()).await });
        let pending = up(&mut seen).await;
        let question = serde_json::to_value(&pending.question).unwrap();
        assert_eq!(
            question,
            json!({"elicit": {"kind": "multi_choice", "prompt": "Which?", "options": ["a", "b"], "default": "a"}})
        );
        let unfit = ElicitReply::Accept { value: Some(json!("z")), values: None };
        assert!(
            matches!(desk.respond("s", &pending.id, unfit), Err(ReplyError::Unfit(_))),
            "and asked still"
        );
        assert!(desk.confirm("s", &pending.id, ToolReply::Confirm).is_err());
        desk.respond("s", &pending.id, serde_json::from_value(body.clone()).unwrap()).unwrap();
        assert_eq!(asked.await.unwrap(), Some(answer), "{body}");
        down(&mut seen).await;
    }
    for bad in [json!({"action": "maybe"}), json!({"value": "x"}), json!({})] {
        assert!(serde_json::from_value::<ElicitReply>(bad).is_err());
    }
}

#[tokio::test]
async fn s21_a_forms_secret_reaches_who_asked_and_no_log() {
    let (desk, mut seen) = desk();
    let session = session("s", &desk);
    let other = session.clone();
    let asked = tokio::spawn(async move { elicit(&other, &form()).await });
    let pending = up(&mut seen).await;
    let value = Some(json!({"user": "ada", "password": "hunter2"}));
    desk.respond("s", &pending.id, ElicitReply::Accept { value, values: None }).unwrap();
    let answer = asked.await.unwrap().unwrap();
    let Answer::Form(fields) = &answer else { panic!("{answer:?}") };
    assert!(matches!(&fields["password"], FieldAnswer::Secret(secret) if secret.reveal() == "hunter2"));
    let logged = format!("{answer:?} {} {desk:?}", serde_json::to_string(&answer).unwrap());
    assert!(logged.contains("<secret provided>") && !logged.contains("hunter2"), "{logged}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s21_row_6_ten_at_a_time() {
    let (desk, mut seen) = desk();
    let line = Elicitation { prompt: "Name?".into(), ..Elicitation::default() };
    let asked: Vec<_> = (0..10)
        .map(|n| {
            let (session, line) = (session(&format!("s{n}"), &desk), line.clone());
            tokio::spawn(async move { elicit(&session, &line).await })
        })
        .collect();
    let mut answered = 0;
    while answered < 10 {
        if let Seen::Up(pending) = seen.recv().await.unwrap() {
            let value = Some(json!(pending.session));
            desk.respond(&pending.session, &pending.id, ElicitReply::Accept { value, values: None }).unwrap();
            answered += 1;
        }
    }
    for (n, asked) in asked.into_iter().enumerate() {
        assert_eq!(asked.await.unwrap(), Some(Answer::Text(format!("s{n}"))));
    }
}
