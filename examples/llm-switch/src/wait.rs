//! The wait for a server, with a word to the user now and then.
//!
//! What is said goes out as notices of the session, which each host shows in its own way and which no conversation keeps.

use std::time::{Duration, Instant};

use hookspec::Session;

use crate::config::Config;
use crate::error::StartError;
use crate::keeper::{Phase, Serving, Status};
use crate::switch::Switch;

/// Waits for the server of the model `key`; `None` when the session was interrupted meanwhile.
pub(crate) async fn ensure(
    switch: &Switch,
    session: &Session,
    config: &Config,
    key: &str,
) -> Option<Result<Serving, StartError>> {
    let before = switch.status();
    let waits = before.phase != Phase::Ready || before.key.as_deref() != Some(key);
    if waits {
        session.notice(&format!("the server of the local model `{key}` is started; the call waits for it"));
    }
    let began = Instant::now();
    let mut ensured = std::pin::pin!(switch.ensure(session, config, key));
    loop {
        tokio::select! {
            ensured = &mut ensured => {
                if waits && ensured.is_ok() {
                    session.notice(&format!("the local model `{key}` is ready"));
                }
                return Some(ensured);
            }
            _ = session.until_interrupted() => return None,
            () = session.sleep(switch.tell()) => session.notice(&progress(&switch.status(), key, began.elapsed())),
        }
    }
}

fn progress(status: &Status, key: &str, waited: Duration) -> String {
    let what = match (&status.key, &status.doing) {
        (Some(other), _) if other != key => format!("`{other}` is in use or being stopped"),
        (_, Some(doing)) => format!("when last asked, {doing}"),
        _ => "its server is being started".to_owned(),
    };
    format!("the local model `{key}` is not ready after {} s: {what}", waited.as_secs())
}
