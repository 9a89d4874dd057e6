//! A process group.

use std::io::{self, PipeReader};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use tokio::net::unix::pipe::Receiver;

/// What a command writes.
pub(crate) type Pipe = Receiver;

pub(crate) fn pipe(reader: PipeReader) -> io::Result<Pipe> {
    Receiver::from_owned_fd(reader.into())
}

/// Starts a command as the leader of a group.
pub(crate) fn start(command: &mut CommandWrap) -> io::Result<Box<dyn ChildWrapper>> {
    command.wrap(ProcessGroup::leader()).spawn()
}

/// Asks the group to end, then kills it.
pub(crate) async fn end(child: &mut dyn ChildWrapper, grace: Duration) {
    const TERM: i32 = 15;
    if child.signal(TERM).is_ok() && tokio::time::timeout(grace, child.wait()).await.is_ok() {
        // The leader is gone; whoever of the group ignored the signal goes now.
        let _ = child.start_kill();
        return;
    }
    if let Err(error) = child.start_kill() {
        tracing::warn!(%error, "a command could not be killed");
    }
    let _ = tokio::time::timeout(grace, child.wait()).await;
}
