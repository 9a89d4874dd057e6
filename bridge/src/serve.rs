//! A whole process: one event in, one answer out.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use crate::bridge::{Bridge, Event, unreadable};
use crate::client::Client;
use crate::edge::Stdout;
use crate::input::{self, Limits};

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
    let stdout = match Stdout::take() {
        Ok(stdout) => stdout,
        Err(error) => {
            tracing::error!(%error, "standard output cannot be had, so this event is refused");
            return 2;
        }
    };
    let (bytes, read) = input::read(std::io::stdin(), &Limits::default());
    let map = match read.and_then(|()| input::parse(&bytes)) {
        Ok(map) => map,
        Err(error) => return stdout.give(&unreadable(client, name, &bytes, &error)),
    };
    drop(bytes);
    let event = Event::read(client, map, name);
    match bridge(&event) {
        Ok(bridge) if !bridge.is_heard(&event) => stdout.give(&event.unheard()),
        Ok(bridge) => within(stdout, &bridge, &event),
        Err(error) => stdout.give(&event.failed(&format!("the hooks cannot be run: {error}"))),
    }
}

/// Answers before the deadline: hooks run on this thread, and another one watches. Whoever is first has the word; the
/// watcher ends the process, since hooks that overrun cannot be stopped.
fn within(stdout: Stdout, bridge: &Bridge, event: &Event) -> u8 {
    let word = Arc::new(Mutex::new(Some(stdout)));
    let take = |word: &Mutex<Option<Stdout>>| word.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (watched, late, deadline) = (Arc::clone(&word), event.clone(), bridge.deadline);
    let watcher = std::thread::Builder::new().stack_size(256 * 1024).spawn(move || {
        std::thread::sleep(deadline);
        if let Some(stdout) = take(&watched) {
            let code = stdout.give(&late.overdue(deadline));
            std::process::exit(code.into());
        }
    });
    let answer = match watcher {
        // Core catches what hooks do; what is left would be a mistake of the bridge, and refuses too.
        Ok(_) => catch_unwind(AssertUnwindSafe(|| bridge.answer_here(event)))
            .unwrap_or_else(|_| event.failed("the hooks ended without an answer")),
        Err(error) => event.failed(&format!("no thread could be had to watch the deadline: {error}")),
    };
    match take(&word) {
        Some(stdout) => stdout.give(&answer),
        // The deadline was over in this moment: the watcher answers, and ends the process.
        None => loop {
            std::thread::park();
        },
    }
}
