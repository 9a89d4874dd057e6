//! A database that cannot be used: told once, with its file and a way out, and the session goes on.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookspec::points::{EndReason, MESSAGE_POST_PROCESS, MESSAGE_PRE_PROCESS, SESSION_START, StartReason};
use hookspec::{Message, Session, fire};
use hookspec_process::Program;
use hookspec_session_buddy::store::Store;
use rusqlite::Connection;
use serde_json::json;

use crate::stage::{Stage, builder, run, say, shell};

/// A session, and what its user is told.
fn session(stage: &Stage, id: &str) -> (Session, Arc<Mutex<Vec<String>>>) {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let tell = Arc::clone(&told);
    let lend = |session: hookspec::session::SessionBuilder| {
        session.notices(move |text| tell.lock().unwrap().push(text.to_owned()))
    };
    (stage.lent(builder(), id, lend), told)
}

/// Some of what happens in a session; gives the failures of hooks.
async fn live(session: &Session) -> Vec<String> {
    let mut failures = Vec::new();
    let reason = StartReason::New;
    let fired = fire!(session, SESSION_START { resumed: false, reason, initial: &[] }).await;
    failures.extend(fired.failures().iter().map(ToString::to_string));
    for _ in 0..3 {
        let message = Message::user("hello");
        let fired = fire!(session, MESSAGE_PRE_PROCESS { message: &message }).await;
        failures.extend(fired.failures().iter().map(ToString::to_string));
        let message = Message::assistant("hi");
        let fired = fire!(session, MESSAGE_POST_PROCESS { message: &message }).await;
        failures.extend(fired.failures().iter().map(ToString::to_string));
    }
    failures
}

fn database(stage: &Stage) -> PathBuf {
    stage.path().join("state/session-buddy.sqlite")
}

/// Each trouble that stays is told once, names the file and says what can be done.
async fn told_once(stage: &Stage, parts: &[&str]) {
    let (session, told) = session(stage, "a");
    let failures = live(&session).await;
    let told = told.lock().unwrap().clone();
    assert_eq!((told.len(), failures.len()), (1, 1), "{told:?} {failures:?}");
    let path = database(stage).display().to_string();
    for part in parts.iter().copied().chain([path.as_str()]) {
        assert!(told[0].contains(part), "{part:?} is not in {}", told[0]);
    }
    assert!(!told[0].contains('\n'), "{}", told[0]);
    let asked = run(&session, "store_reflection", json!({ "text": "x y" })).await.unwrap_err();
    assert!(asked.contains(&path), "who asks is told again: {asked}");
    let resumed = stage.lent(builder(), "a", |builder| builder.states(session.save_states()));
    assert_eq!(live(&resumed).await, [""; 0], "a resumed session was told");
}

#[tokio::test]
async fn a_damaged_database_is_told_once_and_stays() {
    let stage = Stage::new();
    drop(stage.store());
    std::fs::write(database(&stage), "no database at all, and long enough to be looked at\n".repeat(100))
        .unwrap();
    told_once(&stage, &["is damaged", "Move it away", ".recover"]).await;
    assert!(
        std::fs::read_to_string(database(&stage)).unwrap().starts_with("no database"),
        "it is not touched"
    );
}

#[tokio::test]
async fn a_database_with_a_damaged_page_is_told_once() {
    let stage = Stage::new();
    drop(stage.store());
    // Every page but the first, so that it opens.
    let mut bytes = std::fs::read(database(&stage)).unwrap();
    bytes[4096..].fill(0xa5);
    std::fs::write(database(&stage), bytes).unwrap();
    told_once(&stage, &["is damaged", "Move it away"]).await;
}

#[tokio::test]
async fn a_damaged_database_that_is_moved_away_is_begun_anew_in_the_same_session() {
    let stage = Stage::new();
    drop(stage.store());
    std::fs::write(database(&stage), "no database\n".repeat(500)).unwrap();
    let (session, told) = session(&stage, "a");
    live(&session).await;
    std::fs::rename(database(&stage), stage.path().join("away")).unwrap();
    assert_eq!(live(&session).await, [""; 0]);
    assert_eq!(stage.store().history("a").unwrap().len(), 6);
    assert_eq!(told.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn another_versions_database_is_told_once_and_stays() {
    let stage = Stage::new();
    drop(stage.store());
    Connection::open(database(&stage)).unwrap().pragma_update(None, "user_version", 99).unwrap();
    told_once(&stage, &["version 99", "use a newer program", "name another file as `database`"]).await;
}

#[tokio::test]
async fn another_programs_database_is_told_once_and_not_touched() {
    for version in [0, 1, 2] {
        let stage = Stage::new();
        std::fs::create_dir(stage.path().join("state")).unwrap();
        let theirs = Connection::open(database(&stage)).unwrap();
        theirs
            .execute_batch(&format!("CREATE TABLE songs (name); PRAGMA user_version = {version};"))
            .unwrap();
        drop(theirs);
        let before = std::fs::read(database(&stage)).unwrap();
        told_once(&stage, &["the database of another program", "name another file"]).await;
        assert_eq!(std::fs::read(database(&stage)).unwrap(), before);
    }
}

#[tokio::test]
async fn a_folder_in_the_place_of_the_database_is_told_once() {
    let stage = Stage::new();
    std::fs::create_dir_all(database(&stage)).unwrap();
    told_once(&stage, &["cannot be used", "Name another as `database`"]).await;
}

#[tokio::test]
async fn a_database_that_somebody_holds_is_told_once_and_does_not_hold_up_each_call() {
    let stage = Stage::new();
    let store = stage.store();
    let holder = Connection::open(database(&stage)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = Instant::now();
    told_once(&stage, &["is locked by another process", "fuser"]).await;
    // One wait of five seconds each: of the session, of whoever asks, and of the resumed one.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    drop(store);
}

#[tokio::test]
async fn a_database_that_is_free_again_is_used_again() {
    let stage = Stage::new();
    drop(stage.store());
    let holder = Connection::open(database(&stage)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (session, told) = session(&stage, "a");
    live(&session).await;
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(live(&session).await, [""; 0]);
    assert_eq!((stage.store().history("a").unwrap().len(), told.lock().unwrap().len()), (6, 1));
}

const FOLDER: &str = "BUDDY_TEST_SMALL_DISK";

/// Not a test of its own: what the next test runs, with a disk of a megabyte at its folder.
#[tokio::test]
#[ignore = "the next test runs it"]
async fn on_a_small_disk() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let mut stage = Stage::new();
    let file = folder.join("small.sqlite");
    stage.settings = format!("database = '{}'", file.display());
    drop(Store::open(&file).unwrap());
    fill(&folder);
    let (session, told) = session(&stage, "a");
    let failures = live(&session).await;
    let told = told.lock().unwrap().clone();
    assert_eq!((told.len(), failures.len()), (1, 1), "{told:?} {failures:?}");
    for part in ["no room left", &file.display().to_string(), "Make room on its disk"] {
        assert!(told[0].contains(part), "{part:?} is not in {}", told[0]);
    }
    std::fs::remove_file(folder.join("filler")).unwrap();
    assert_eq!(live(&session).await, [""; 0]);
    assert_eq!(Store::open(&file).unwrap().history("a").unwrap().len(), 6, "once there is room, it goes on");
    println!("told of the full disk");
}

fn fill(folder: &Path) {
    let mut filler = std::fs::File::create(folder.join("filler")).unwrap();
    while std::io::Write::write_all(&mut filler, &[0; 512]).is_ok() {}
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_once_and_later_room_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=1m none \"$1\" && exec \"$2\" --exact trouble::on_a_small_disk --ignored --nocapture";
    let own = std::env::current_exe().unwrap();
    let ended = Program::new("unshare")
        .args(["-rm", "sh", "-c", script, "sh"])
        .args([folder.path(), &own])
        .env(FOLDER, folder.path())
        .deadline(Duration::from_secs(60))
        .run()
        .unwrap();
    let said = ended.stdout.text() + &ended.stderr.text();
    if said.contains("unshare failed") || said.contains("Operation not permitted") {
        return; // this system lets nobody have a disk of their own
    }
    assert!(said.contains("told of the full disk"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_goes_on_without_its_database() {
    let stage = Stage::new();
    drop(stage.store());
    std::fs::write(database(&stage), "no database\n".repeat(500)).unwrap();
    let (mut agent, timeline) = stage.agent(builder(), "a", &[shell("exit 1"), say("So be it.")]).await;
    agent.prompt(Message::user("go")).await;
    assert!(crate::stage::log(&agent).iter().any(|text| text == "So be it."));
    agent.end(EndReason::Exit).await;
    let errors: Vec<String> = timeline.runs().into_iter().filter_map(|run| run.error).collect();
    assert_eq!(errors.len(), 1, "{errors:#?}");
}
