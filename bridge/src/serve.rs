//! A whole process: one event in, one answer out.

use std::fmt::Display;

use crate::bridge::{Bridge, Event, unreadable};
use crate::client::Client;
use crate::edge::Stdout;
use crate::input::{self, Limits};
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
    let stdout = match Stdout::take() {
        Ok(stdout) => stdout,
        Err(error) => {
            tracing::error!(%error, "standard output cannot be had, so this event is refused");
            return 2;
        }
    };
    let answer = answer(client, name, bridge);
    stdout.give(&answer)
}

fn answer<E: Display>(
    client: Client,
    name: Option<&str>,
    bridge: impl FnOnce(&Event) -> Result<Bridge, E>,
) -> Answer {
    let (bytes, read) = input::read(std::io::stdin(), &Limits::default());
    let map = match read.and_then(|()| input::parse(&bytes)) {
        Ok(map) => map,
        Err(error) => return unreadable(client, name, &bytes, &error),
    };
    drop(bytes);
    let event = Event::read(client, map, name);
    match bridge(&event) {
        Ok(bridge) => bridge.answer(&event),
        Err(error) => event.failed(&format!("the hooks cannot be run: {error}")),
    }
}
