//! Where a command cannot be ended with all that it started.

use std::io::{self, PipeReader};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};

/// What a command would write.
pub(crate) type Pipe = tokio::io::Empty;

fn unsupported() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "commands are run on Unix only, for here one could not be ended with all that it starts",
    )
}

pub(crate) fn pipe(_: PipeReader) -> io::Result<Pipe> {
    Err(unsupported())
}

pub(crate) fn start(_: &mut CommandWrap) -> io::Result<Box<dyn ChildWrapper>> {
    Err(unsupported())
}

pub(crate) async fn end(_: &mut dyn ChildWrapper, _: Duration) {}
