//! Bevy: observers of an event, in a world of their own.

use std::path::Path;

use bevy_ecs::prelude::*;

use crate::measure::{Contestant, keep};
use crate::work::{event, work};

#[derive(Event)]
struct Saved {
    path: &'static Path,
    created: bool,
}

pub(super) fn row(hooks: usize) -> Contestant<'static> {
    let mut world = World::new();
    for _ in 0..hooks {
        world.add_observer(|saved: On<Saved>| keep(work(saved.path, saved.created)));
    }
    world.flush();
    Contestant::new("bevy_ecs: observers", hooks, move || {
        let event = event();
        world.trigger(Saved { path: event.path, created: event.created });
    })
}
