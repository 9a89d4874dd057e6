//! Event streams: what clients that come late, go away or are slow get.

use std::time::Duration;

use hookspec_server::Bounds;
use serde_json::json;

use crate::stage::{Setting, Stage, say, slowly, streamed, types};

const LONG: &str =
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_comes_back_in_mid_stream_misses_nothing() {
    let stage = Stage::new(&[slowly(LONG, 20)]).await;
    stage.create("a").await;
    let mut first = stage.listen("a").await;
    stage.prompt("a", "hi").await;
    let mut told = first.until("generation_progress").await;
    let mut last = first.last_id.clone().unwrap();
    drop(first);
    // Again and again: each time where it was.
    let mut rested = false;
    while !rested {
        let mut again = stage.listen_from("a", "", Some(&last)).await;
        assert_eq!((&again.connected["missed"], &again.connected["partial"]), (&json!(false), &json!("")));
        for _ in 0..2 {
            let event = again.next().await.unwrap();
            rested |= event["type"] == "rested";
            told.push(event);
            if rested {
                break;
            }
        }
        last = again.last_id.clone().unwrap();
        assert!(told.len() < 1000);
    }
    assert_eq!(streamed(&told), LONG);
    assert_eq!(
        types(&told),
        ["message_added", "generation_started", "generation_progress", "generation_complete", "rested"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_before_the_first_event_comes_back_to_its_place() {
    let stage = Stage::new(&[say("hello")]).await;
    stage.create("a").await;
    let last = stage.listen("a").await.last_id.unwrap();
    let mut other = stage.listen("a").await;
    stage.prompt("a", "hi").await;
    other.until("rested").await;
    let mut again = stage.listen_from("a", "", Some(&last)).await;
    assert_eq!(again.next().await.unwrap()["type"], "message_added");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_names_the_session_gets_the_turn_from_its_beginning() {
    let stage = Stage::new(&[say("one"), say("two")]).await;
    let session = stage.create("a").await;
    let mut events = stage.listen("a").await;
    for text in ["first", "second"] {
        stage.prompt("a", text).await;
        events.until("rested").await;
    }
    // As gptme's client does: it asks for the step first and listens then.
    let mut late = stage.listen_from("a", &format!("?session_id={session}"), None).await;
    let told = late.until("rested").await;
    assert_eq!(streamed(&told), "two");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_are_told_the_same_and_a_late_one_gets_the_answer_so_far() {
    let stage = Stage::new(&[slowly(LONG, 20)]).await;
    stage.create("a").await;
    let mut one = stage.listen("a").await;
    let mut two = stage.listen("a").await;
    stage.prompt("a", "hi").await;
    let mut told = one.until("generation_progress").await;
    let mut late = stage.listen("a").await;
    assert_eq!(late.connected["generating"], true);
    let partial = late.connected["partial"].as_str().unwrap().to_owned();
    assert!(!partial.is_empty() && LONG.starts_with(&partial), "{partial}");
    told.extend(one.until("rested").await);
    assert_eq!(two.until("rested").await, told);
    assert_eq!(partial + &streamed(&late.until("rested").await), LONG);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_away_too_long_or_in_another_life_is_told_so() {
    let stage = Stage::new(&[say("hello"), say("again")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "hi").await;
    events.until("rested").await;
    for last in ["feedbeef-1", "nonsense", "-", "feedbeef-99999999999999999999999"] {
        let mut again = stage.listen_from("a", "", Some(last)).await;
        assert_eq!(again.connected["missed"], true, "{last}");
        // And is told what comes from then on.
        drop(again.last_id.take());
    }
    let last = events.last_id.clone().unwrap();
    drop(events);
    let folder = stage.stop().await;
    let stage = Stage::on(folder, Setting::default()).await;
    let mut again = stage.listen_from("a", "", Some(&last)).await;
    assert_eq!(again.connected["missed"], true);
    assert_eq!(stage.texts("a").await, ["hi", "hello"]);
    stage.prompt("a", "and?").await;
    assert_eq!(streamed(&again.until("rested").await), "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quiet_stream_shows_that_it_lives() {
    let bounds = Bounds { ping: Duration::from_millis(20), ..Bounds::default() };
    let stage = Stage::with(&[slowly("a b c d e f", 200)], bounds).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", "hi").await;
    events.until("rested").await;
    assert!(events.raw.contains(r#"{"type":"ping"}"#), "{}", events.raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_conversation() {
    let stage = Stage::new(&[say("x")]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.delete("/conversations/a").await;
    assert_eq!(events.next().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_looks_like_an_event_in_a_message_is_text() {
    let evil = "x\n\ndata: {\"type\":\"rested\"}\n\nid: 7\r\revent: x\u{2028}";
    let stage = Stage::new(&[say(evil)]).await;
    stage.create("a").await;
    let mut events = stage.listen("a").await;
    stage.prompt("a", evil).await;
    let told = events.until("rested").await;
    assert_eq!(told[0]["message"]["content"], evil);
    assert_eq!(streamed(&told), evil);
    assert_eq!(told.last().unwrap()["outcome"], "complete", "the real one");
}
