//! A whole process: one event in, one answer out.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::bridge::{Bridge, Event, unreadable};
use crate::client::Client;
use crate::edge::Stdout;
use crate::input::{self, InputError, Limits};
use crate::lower::Answer;

/// Answers the event on standard input and gives the exit code, with which the program should end at once: hooks
/// that were left behind may still be running.
///
/// `name` is the event's name as the configuration gives it. `bridge` selects the hooks when the event is known;
/// where it fails, what waits for a permission is refused.
pub fn serve<E: Display>(
    client: Client,
    name: Option<&str>,
    bridge: impl FnOnce(&Event) -> Result<Bridge, E>,
) -> u8 {
    let Some(stdout) = own_stdout() else { return 2 };
    let (bytes, read) = input::read(std::io::stdin(), &Limits::default());
    judge(client, name, &bytes, read, bridge, move |answer| stdout.give(answer))
}

/// Standard output, for the answer alone; without it the event is refused by the exit code.
pub(crate) fn own_stdout() -> Option<Stdout> {
    let stdout = Stdout::take();
    if let Err(error) = &stdout {
        tracing::error!(%error, "standard output cannot be had, so this event is refused");
    }
    stdout.ok()
}

/// Judges what was read, and gives the answer once, whatever happens; what `give` returns is the exit code.
pub(crate) fn judge<E: Display>(
    client: Client,
    name: Option<&str>,
    bytes: &[u8],
    read: Result<(), InputError>,
    bridge: impl FnOnce(&Event) -> Result<Bridge, E>,
    give: impl FnOnce(&Answer) -> u8 + Send + 'static,
) -> u8 {
    let map = match read.and_then(|()| input::parse(bytes)) {
        Ok(map) => map,
        Err(error) => return give(&unreadable(client, name, bytes, &error)),
    };
    let event = Event::read(client, map, name);
    match bridge(&event) {
        Ok(bridge) if !bridge.is_heard(&event) => give(&event.unheard()),
        Ok(bridge) => within(give, &bridge, &event),
        Err(error) => give(&event.failed(&format!("the hooks cannot be run: {error}"))),
    }
}

/// Answers before the deadline: hooks run on this thread, and another one watches. Whoever is first has the word; the
/// watcher ends the process, since hooks that overrun cannot be stopped.
fn within(give: impl FnOnce(&Answer) -> u8 + Send + 'static, bridge: &Bridge, event: &Event) -> u8 {
    let word = Arc::new(Mutex::new(Some(give)));
    let (watched, late, deadline) = (Arc::clone(&word), event.clone(), bridge.deadline);
    let (in_time, over) = channel::<()>();
    let watcher = std::thread::Builder::new().stack_size(256 * 1024).spawn(move || {
        if over.recv_timeout(deadline) == Err(RecvTimeoutError::Timeout)
            && let Some(give) = taken(&watched)
        {
            let code = give(&late.overdue(deadline));
            std::process::exit(code.into());
        }
    });
    let answer = match watcher {
        // Core catches what hooks do; what is left would be a mistake of the bridge, and refuses too.
        Ok(_) => catch_unwind(AssertUnwindSafe(|| bridge.answer_here(event)))
            .unwrap_or_else(|_| event.failed("the hooks ended without an answer")),
        Err(error) => event.failed(&format!("no thread could be had to watch the deadline: {error}")),
    };
    let Some(give) = taken(&word) else {
        // The deadline was over in this moment: the watcher answers, and ends the process.
        loop {
            std::thread::park();
        }
    };
    let code = give(&answer);
    drop(in_time);
    code
}

fn taken<T>(word: &Mutex<Option<T>>) -> Option<T> {
    word.lock().unwrap_or_else(PoisonError::into_inner).take()
}
