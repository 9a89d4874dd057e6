//! What a trigger costs, per hook, beside peers.
//!
//! All contestants run in turn, many rounds, in this one process (the Python and Node peers in theirs); a
//! figure is the median of its rounds. So a machine whose speed drifts cannot favour anybody.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hookspec::points::{FILE_POST_SAVE, FilePostSave};
use hookspec::{Call, Hook, Hooks, Message, Options, Outcome, Placement, Registry, Session, fire_now};

/// Rounds of each contestant.
const ROUNDS: usize = 41;
/// Triggers of a round are so many that it takes about a millisecond.
const ROUND: Duration = Duration::from_millis(1);

/// What every hook does, whoever calls it: looks at the event and says nothing.
static COUNT: AtomicU64 = AtomicU64::new(0);

#[inline(never)]
fn work(path: &Path, created: bool) -> Option<Message> {
    if black_box(created) && path.as_os_str().is_empty() {
        COUNT.fetch_add(1, Ordering::Relaxed);
        return Some(Message::system("never"));
    }
    None
}

type Out = Vec<Message>;

fn plain(event: &FilePostSave<'_>, out: &mut Out) {
    if let Some(message) = work(event.path, event.created) {
        out.push(message);
    }
}

fn ours(event: &FilePostSave<'_>, _: &Session, out: &mut Outcome<hookspec::Messages>) {
    hookspec::IntoOutcome::into_outcome(work(event.path, event.created), out);
}

fn registry(hooks: usize, options: Options) -> Registry {
    let mut builder = Registry::builder().linked(false);
    for number in 0..hooks {
        let hook =
            Hook::from_call(format!("bench.hook_{number:05}"), Call::<FILE_POST_SAVE::Point>::Sync(ours));
        builder = builder.register(hook.options(options));
    }
    builder.build().unwrap()
}

/// Nanoseconds of one call of `trigger`, from one round of many.
fn round(trigger: &mut dyn FnMut(), calls: u64) -> f64 {
    let began = Instant::now();
    for _ in 0..calls {
        trigger();
    }
    began.elapsed().as_secs_f64() * 1e9 / calls as f64
}

fn calls_for(trigger: &mut dyn FnMut()) -> u64 {
    let mut calls = 1;
    while round(trigger, calls) * (calls as f64) < ROUND.as_secs_f64() * 1e9 && calls < 1 << 24 {
        calls *= 2;
    }
    calls
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A name, and one trigger.
type Contestant<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// Runs the contestants in turn and gives the median of each.
fn contest(contestants: &mut [Contestant<'_>]) -> Vec<f64> {
    let calls: Vec<u64> = contestants.iter_mut().map(|(_, trigger)| calls_for(trigger)).collect();
    let mut figures = vec![Vec::new(); contestants.len()];
    for _ in 0..ROUNDS {
        for (index, (_, trigger)) in contestants.iter_mut().enumerate() {
            figures[index].push(round(trigger, calls[index]));
        }
    }
    figures.into_iter().map(median).collect()
}

fn dispatch() {
    println!("nanoseconds per trigger (median of {ROUNDS} rounds)");
    println!(
        "{:>6} {:>14} {:>14} {:>14} {:>14} {:>9}",
        "hooks", "ours: handle", "ours: fire_now", "fn pointers", "Box<dyn Fn>", "ratio"
    );
    let path = Path::new("/tmp/a.py");
    for hooks in [0_usize, 1, 10, 100] {
        let registry = registry(hooks, Options::DEFAULT);
        let handle = registry.handle(FILE_POST_SAVE);
        let session = Session::builder(&Hooks::new(registry), "bench").build();
        let pointers: Vec<fn(&FilePostSave<'_>, &mut Out)> = black_box(vec![plain; hooks]);
        type Boxed = Box<dyn Fn(&FilePostSave<'_>, &mut Out)>;
        let boxes: Vec<Boxed> = black_box((0..hooks).map(|_| Box::new(plain) as Boxed).collect());
        let event = || black_box(FilePostSave { path, content: "abc", created: true });
        let medians = contest(&mut [
            (
                "handle",
                Box::new(|| {
                    let _ = black_box(handle.fire_now(&session, event()));
                }),
            ),
            (
                "fire_now",
                Box::new(|| {
                    let FilePostSave { path, content, created } = event();
                    let _ = black_box(fire_now!(session, FILE_POST_SAVE { path, content, created }));
                }),
            ),
            (
                "pointers",
                Box::new(|| {
                    let (event, mut out) = (event(), Out::new());
                    for hook in &pointers {
                        hook(&event, &mut out);
                    }
                    black_box(out);
                }),
            ),
            (
                "boxes",
                Box::new(|| {
                    let (event, mut out) = (event(), Out::new());
                    for hook in &boxes {
                        hook(&event, &mut out);
                    }
                    black_box(out);
                }),
            ),
        ]);
        println!(
            "{hooks:>6} {:>14.2} {:>14.2} {:>14.2} {:>14.2} {:>9.3}",
            medians[0],
            medians[1],
            medians[2],
            medians[3],
            medians[0] / medians[2]
        );
    }
}

/// A point where nobody listens, on an event that is there anyway, less what the empty loop costs.
fn empty() {
    let registry = registry(0, Options::DEFAULT);
    let handle = registry.handle(FILE_POST_SAVE);
    let session = Session::builder(&Hooks::new(registry), "bench").build();
    let event = FilePostSave { path: Path::new("/tmp/a.py"), content: "abc", created: true };
    let medians = contest(&mut [
        (
            "empty",
            Box::new(|| {
                let _ = black_box(handle.fire_now(black_box(&session), event));
            }),
        ),
        (
            "loop",
            Box::new(|| {
                black_box(black_box(&session));
            }),
        ),
    ]);
    println!("\nan empty point: {:.2} ns (the loop alone {:.2} ns)", medians[0], medians[1]);
}

fn gathering() {
    let mut figures = Vec::new();
    for _ in 0..15 {
        let mut builder = Registry::builder().linked(false);
        for number in (0..10_000).rev() {
            let hook =
                Hook::from_call(format!("bench.hook_{number:05}"), Call::<FILE_POST_SAVE::Point>::Sync(ours));
            builder = builder.register(hook);
        }
        let began = Instant::now();
        let registry = black_box(builder.build().unwrap());
        figures.push(began.elapsed().as_secs_f64() * 1e3);
        assert_eq!(registry.handle(FILE_POST_SAVE).names()[0], "bench.hook_00000");
    }
    println!("\ngathering and sorting 10 000 hooks: {:.2} ms", median(figures));
}

fn enqueue() {
    let options = Options { placement: Placement::Background, ..Options::DEFAULT };
    let mut config = hookspec::Config::new();
    config.add_toml("bench", "[background]\nqueue = 1000000", &[]).unwrap();
    let hook =
        Hook::from_call("bench.background", Call::<FILE_POST_SAVE::Point>::Sync(ours)).options(options);
    let registry = Registry::builder().linked(false).config(config).register(hook).build().unwrap();
    let handle = registry.handle(FILE_POST_SAVE);
    let session = Session::builder(&Hooks::new(registry), "bench").build();
    let event = FilePostSave { path: Path::new("/tmp/a.py"), content: "abc", created: true };
    let mut figures = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for _ in 0..2_000 {
            let _ = black_box(handle.fire_now(&session, event));
        }
        figures.push(began.elapsed().as_secs_f64() * 1e9 / 2_000.0);
        assert_eq!(session.drain(Duration::from_secs(20)), 0);
    }
    println!("enqueueing a background hook: {:.0} ns", median(figures));
}

/// Peers in other languages, where they are installed: each prints nanoseconds per trigger for 0, 1, 10 and
/// 100 hooks.
fn peers() {
    println!("\npeers in other languages, nanoseconds per trigger");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let peers = [
        ("pluggy", "python3", "pluggy_peer.py"),
        ("gptme", "python3", "gptme_peer.py"),
        ("tapable", "node", "tapable_peer.mjs"),
    ];
    for (name, program, script) in peers {
        let output = Command::new(program).arg(folder.join(script)).output();
        match output {
            Ok(output) if output.status.success() => {
                print!("{name:>10}: {}", String::from_utf8_lossy(&output.stdout));
            }
            Ok(output) => {
                let error = String::from_utf8_lossy(&output.stderr);
                println!("{name:>10}: not measured: {}", error.lines().last().unwrap_or("it failed"));
            }
            Err(error) => println!("{name:>10}: not measured: {program}: {error}"),
        }
    }
}

fn main() {
    // `cargo test` runs benches too, to see that they build: there is nothing to measure then.
    if std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions) {
        return;
    }
    dispatch();
    empty();
    gathering();
    enqueue();
    peers();
}
