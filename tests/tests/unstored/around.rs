//! What hooks around something say is stored before what they stand around is run.

use hookspec::hooks::BoxFuture;
use hookspec::model::Response;
use hookspec::points::{EndReason, GENERATION, TOOL_EXECUTE};
use hookspec::{Around, Hook, Message};

use super::common::say;
use super::{BROKEN, Play, save};

#[tokio::test(flavor = "multi_thread")]
async fn what_hooks_around_something_say_is_stored_before_it_is_run_again_or_answered_in_its_place() {
    for queues in [false, true] {
        let play = Play::new(queues, &[save("a"), say("done")]);
        let twice = Hook::around(GENERATION, "stage.twice", |_, session, next| -> BoxFuture<'_, ()> {
            let session = session.clone();
            Box::pin(async move {
                let mut next = next.repeatable();
                next.run().await.ok();
                let _ = session.append(Message::system("once more"));
                next.run().await.ok();
            })
        });
        let mut agent = play.open(play.hooks(true).register(twice)).await;
        play.small.set_room(1);
        assert_eq!(agent.prompt(Message::user("go")).await, BROKEN, "{queues}");
        assert_eq!((play.watch.count("generating"), play.watch.has("answered")), (1, false), "{queues}");
        play.check(&agent);
        play.small.set_room(usize::MAX);
        agent.end(EndReason::Exit).await;

        let play = Play::new(queues, &[save("a"), say("done")]);
        let twice = Hook::around(TOOL_EXECUTE, "stage.twice", |_, session, next| -> BoxFuture<'_, ()> {
            let session = session.clone();
            Box::pin(async move {
                let mut next = next.repeatable();
                next.run().await.ok();
                let _ = session.append(Message::system("once more"));
                next.run().await.ok();
            })
        });
        let mut agent = play.open(play.hooks(true).register(twice)).await;
        play.small.set_room(2);
        assert_eq!(agent.prompt(Message::user("go")).await, BROKEN, "{queues}");
        assert_eq!((play.watch.count("tool save"), play.watch.has("result")), (1, false), "{queues}");
        play.check(&agent);
        play.small.set_room(usize::MAX);
        agent.end(EndReason::Exit).await;

        let play = Play::new(queues, &[say("never asked")]);
        let canned = Hook::around_now(GENERATION, "stage.canned", |_, session, _| {
            let _ = session.append(Message::system("from the shelf"));
            Around(Ok(Response { text: "canned".into(), ..Response::default() }))
        });
        let mut agent = play.open(play.hooks(true).register(canned)).await;
        play.small.set_room(1);
        assert_eq!(agent.prompt(Message::user("go")).await, BROKEN, "{queues}");
        assert_eq!((play.watch.count("generating"), play.watch.has("answered")), (0, false), "{queues}");
        play.small.set_room(usize::MAX);
        agent.end(EndReason::Exit).await;
    }
}
