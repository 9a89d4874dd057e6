//! Our rows.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookspec::points::FILE_POST_SAVE;
use hookspec::hooks::BoxError;
use hookspec::registry::Handle;
use hookspec::session::{LogSink, LogView};
use hookspec::timeline::{Observer, Timeline};
use hookspec::{Hook, Hooks, Message, Registry, Session, fire, fire_now};
use hookspec_agent::engine::TimelineFile;

use crate::by_hand;
use crate::hooks::{limited, ready as ready_hooks, settled, silent, speaking, stateful};
use crate::measure::{Contestant, keep, ready};
use crate::observers::{Gathered, Nobody};
use crate::work::{event, work};

/// Registers what is named, and nothing else; `closures` more are registered by hand.
fn registry(names: &[&str], closures: usize) -> Registry {
    let mut builder = Registry::builder().plugins(hookspec::plugins![]);
    for number in 0..closures {
        builder = builder.register(Hook::new(FILE_POST_SAVE, format!("closure.h{number:02}"), |event, _| {
            work(event.path, event.created)
        }));
    }
    let closures = (0..closures).map(|number| format!("closure.h{number:02}"));
    builder.allow(names.iter().map(|&name| name.to_owned()).chain(closures)).build().unwrap()
}

struct Bench {
    session: Session,
    handle: Handle<FILE_POST_SAVE::Point>,
}

impl Bench {
    fn new(registry: Registry) -> Self {
        let handle = registry.handle(FILE_POST_SAVE);
        Self { session: Session::builder(&Hooks::new(registry), "bench").build(), handle }
    }

    fn of(names: &[&str]) -> Self {
        Self::new(registry(names, 0))
    }

    fn watched(names: &[&str], observer: Arc<dyn Observer>) -> Self {
        let registry = registry(names, 0);
        let handle = registry.handle(FILE_POST_SAVE);
        Self { session: Session::builder(&Hooks::new(registry), "bench").observer(observer).build(), handle }
    }

    #[inline]
    fn fire_now(&self) {
        keep(self.handle.fire_now(&self.session, event()));
    }

    #[inline]
    fn fire(&self) {
        keep(ready(self.handle.fire(&self.session, event())));
    }

    /// Fires, and empties the log every thousand messages, so that it does not grow for ever.
    fn speak(self, hooks: usize) -> impl FnMut() {
        let mut fired = 0;
        move || {
            self.fire_now();
            fired += hooks;
            if fired > 1_000 {
                self.session.replace_log(LogView::default());
                fired = 0;
            }
        }
    }
}

struct Sink(u64);

impl LogSink for Sink {
    fn append(&self, message: &mut Message) -> Result<(), BoxError> {
        message.id = message.id.take().or_else(|| Some(self.0.to_string()));
        Ok(())
    }
}

pub const HANDLE: &str = "ours: by handle, fire_now";

/// All rows at this number of hooks; timelines are written into `folder`.
pub fn rows(hooks: usize, folder: &Path) -> Vec<Contestant<'static>> {
    let mut rows = Vec::new();
    let mut row = |name, trigger: Box<dyn FnMut()>| rows.push(Contestant::new(name, hooks, trigger));
    let names = &silent::NAMES[..hooks];

    let bench = Bench::of(names);
    row(HANDLE, Box::new(move || bench.fire_now()));
    let bench = Bench::of(names);
    row("ours: by handle, fire().await", Box::new(move || bench.fire()));
    let session = Bench::of(names).session;
    row(
        "ours: fire_now!",
        Box::new(move || {
            let e = event();
            keep(fire_now!(session, FILE_POST_SAVE { path: e.path, content: e.content, created: e.created }));
        }),
    );
    let session = Bench::of(names).session;
    row(
        "ours: fire!",
        Box::new(move || {
            let e = event();
            keep(ready(async {
                fire!(session, FILE_POST_SAVE { path: e.path, content: e.content, created: e.created }).await
            }));
        }),
    );

    let bench = Bench::watched(names, Arc::new(Nobody));
    row("ours: an observer that looks away", Box::new(move || bench.fire_now()));
    let bench = Bench::watched(names, Arc::new(Timeline::new(4096)));
    row("ours: Timeline", Box::new(move || bench.fire_now()));
    let gathered = Arc::new(Gathered::default());
    let bench = Bench::watched(names, Arc::clone(&gathered) as _);
    row(
        "ours: as the server's Record",
        Box::new(move || {
            bench.fire_now();
            gathered.empty_when_full();
        }),
    );

    let with_other = |hooks: &[&'static str]| [hooks, &["hooks.elsewhere"]].concat();
    let bench = Bench::of(&with_other(names));
    assert!(bench.session.set_hook_enabled("hooks.elsewhere", false));
    row("ours: one off elsewhere, this session", Box::new(move || bench.fire_now()));
    let bench = Bench::of(&with_other(names));
    bench.session.hooks().disable("hooks.elsewhere").unwrap();
    row("ours: one off elsewhere, everywhere", Box::new(move || bench.fire_now()));
    if hooks < 100 {
        let bench = Bench::of(&silent::NAMES[..=hooks]);
        bench.session.hooks().disable(silent::NAMES[hooks]).unwrap();
        row("ours: one more that is off", Box::new(move || bench.fire_now()));
        let bench = Bench::of(&silent::NAMES[..=hooks]);
        assert!(bench.session.set_hook_enabled(silent::NAMES[hooks], false));
        row("ours: one more that is off, this session", Box::new(move || bench.fire_now()));
    } else {
        let bench = Bench::of(names);
        bench.session.hooks().disable(silent::NAMES[50]).unwrap();
        row("ours: one more that is off", Box::new(move || bench.fire_now()));
        let bench = Bench::of(names);
        assert!(bench.session.set_hook_enabled(silent::NAMES[50], false));
        row("ours: one more that is off, this session", Box::new(move || bench.fire_now()));
    }

    if hooks > 0 {
        let bench = Bench::new(registry(&names[1..], 1));
        row("ours: one a closure", Box::new(move || bench.fire_now()));
        let bench = Bench::new(registry(&[], hooks));
        row("ours: all closures", Box::new(move || bench.fire_now()));
    }

    let bench = Bench::of(&ready_hooks::NAMES[..hooks]);
    row("ours: async, ready at once", Box::new(move || bench.fire()));
    let bench = Bench::of(&limited::NAMES[..hooks]);
    row("ours: async with a timeout, ready at once", Box::new(move || bench.fire()));
    let bench = Bench::watched(&ready_hooks::NAMES[..hooks], Arc::new(Timeline::new(4096)));
    row("ours: async, ready at once, Timeline", Box::new(move || bench.fire()));

    let bench = Bench::of(&speaking::NAMES[..hooks]);
    row("ours: each a message", Box::new(bench.speak(hooks)));
    let registry_of = registry(&speaking::NAMES[..hooks], 0);
    let handle = registry_of.handle(FILE_POST_SAVE);
    let session =
        Session::builder(&Hooks::new(registry_of), "bench").log([], Some(Box::new(Sink(7)))).build();
    let bench = Bench { session, handle };
    row("ours: each a message, with a sink", Box::new(bench.speak(hooks)));
    let bench = Bench::of(&stateful::NAMES[..hooks]);
    row("ours: each a state", Box::new(move || bench.fire_now()));
    let bench = Bench::of(&settled::NAMES[..hooks]);
    row("ours: each reads settings", Box::new(move || bench.fire_now()));
    rows.extend(files(hooks, folder));
    rows
}

/// Chat's timeline: what the one who fires pays, with rounds that its queue can hold, and what it costs until it is in the file.
fn files(hooks: usize, folder: &Path) -> [Contestant<'static>; 2] {
    let open = |name: &str| {
        let file = Arc::new(TimelineFile::open(&folder.join(format!("{name}{hooks}.jsonl"))).unwrap());
        (Bench::watched(&silent::NAMES[..hooks], Arc::clone(&file) as _), file)
    };
    let most = 4096 / (hooks as u64 + 1);
    let (bench, file) = open("queued");
    let queued = Contestant::new("ours: chat's TimelineFile", hooks, move || bench.fire_now());
    let (bench, written) = open("written");
    let mut fired = 0;
    let until_written = Contestant::new("ours: chat's TimelineFile, until it is written", hooks, move || {
        bench.fire_now();
        fired += 1;
        if fired % most == 0 {
            written.flush();
        }
    });
    [queued.in_between(most / 2, move || file.flush()), until_written]
}

/// Whose work is the same.
pub fn peer_of(row: &str) -> &'static str {
    let Some(row) = row.strip_prefix("ours: ") else { return by_hand::POINTERS };
    match row {
        row if row.contains("imeline") || row.contains("Record") || row.contains("observer") => {
            by_hand::TIMED
        }
        "all closures" | "one a closure" | "each reads settings" => by_hand::BOXES,
        row if row.starts_with("async") => by_hand::FUTURES,
        row if row.starts_with("each a message") => by_hand::SPEAKING,
        "each a state" => by_hand::STATES,
        _ => by_hand::POINTERS,
    }
}

/// A session whose log has this many messages, and whose registry has no hooks.
pub fn session_with(messages: usize) -> Session {
    let log = (0..messages).map(|number| Message::user(format!("message {number}")));
    Session::builder(&Hooks::new(registry(&[], 0)), "bench").log(log, None).build()
}

/// A session with one background hook, and the handle to fire it.
pub fn background(queue: usize) -> (Session, Handle<FILE_POST_SAVE::Point>) {
    let mut config = hookspec::Config::new();
    config.add_toml("bench", &format!("[background]\nqueue = {queue}"), &[]).unwrap();
    let registry = Registry::builder()
        .plugins(hookspec::plugins![])
        .config(config)
        .allow(["hooks.beside"])
        .build()
        .unwrap();
    let handle = registry.handle(FILE_POST_SAVE);
    (Session::builder(&Hooks::new(registry), "bench").build(), handle)
}

/// Waits until the session's background work is done.
pub fn drain(session: &Session, deadline: Duration) {
    let left = session.drain_now(deadline);
    assert!(left.is_empty(), "{left:?}");
}
