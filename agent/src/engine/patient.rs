//! Waiting for work that hooks stand around.

use std::pin::pin;
use std::time::Duration;

use hookspec::Session;

/// Waits for work with hooks around it. At an interrupt the work ends by itself; hooks that go on for longer than `wind_down` are dropped,
/// and with them what they hold. `None`: they were.
pub(super) async fn patient<T>(
    session: &Session,
    wind_down: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = pin!(work);
    tokio::select! {
        biased;
        done = &mut work => Some(done),
        _ = session.until_interrupted() => tokio::time::timeout(wind_down, work).await.ok(),
    }
}
