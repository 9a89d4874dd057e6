//! The contest. Without arguments: the whole table, then the single figures and the peers in other languages; a part of a row's
//! name: the table of those rows. With `--by-turns`: one round a line of standard input, for `compare.py`, which lets two builds run by turns.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fmt::Write;
use std::hint::black_box;
use std::io::{BufRead, stdin};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec::points::FILE_POST_SAVE;
use hookspec::{Hook, Message, Registry};
use hookspec_dispatch_bench::measure::{Contestant, SIZES, contest, keep, print};
use hookspec_dispatch_bench::work::event;
use hookspec_dispatch_bench::{by_hand, ours};

/// Rounds of each contestant.
const ROUNDS: usize = 61;

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Adds our rows and those by hand, and runs them all.
fn everybody(rivals: Vec<Contestant<'_>>) {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for hooks in SIZES {
        all.extend(ours::rows(hooks, folder.path()));
        all.extend(by_hand::rows(hooks));
    }
    all.extend(rivals);
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    all.retain(|one| wanted.is_empty() || wanted.iter().any(|wanted| one.row.contains(wanted)));
    if std::env::args().any(|argument| argument == "--by-turns") {
        by_turns(&mut all);
        return;
    }
    contest(&mut all, ROUNDS);
    print(&all, ours::peer_of);
}

/// The names, then for each line that comes in the figures of one round.
fn by_turns(all: &mut [Contestant<'_>]) {
    let names: Vec<String> = all.iter().map(|one| format!("{}|{}", one.row, one.hooks)).collect();
    println!("{}", names.join("\t"));
    for line in stdin().lock().lines() {
        if line.is_err() {
            return;
        }
        let mut figures = String::new();
        for contestant in all.iter_mut() {
            let _ = write!(figures, "{:.3}\t", contestant.round());
        }
        println!("{figures}");
    }
}

/// A point where nobody listens, on an event that is there anyway, less what the empty loop costs.
fn empty() {
    let (handle, session) =
        (Registry::builder().linked(false).build().unwrap().handle(FILE_POST_SAVE), ours::session_with(0));
    let (event, other) = (event(), session.clone());
    let mut all = [
        Contestant::new("point", 0, || keep(handle.fire_now(black_box(&session), event))),
        Contestant::new("loop", 0, || keep(black_box(&other))),
    ];
    contest(&mut all, ROUNDS);
    let (point, alone) = (all[0].median(), all[1].median());
    println!("an empty point: {:.2} ns more than the empty loop ({point:.2} less {alone:.2})", point - alone);
}

/// Ten thousand messages more after ten thousand, while somebody looks at the log, and looks anew after each.
fn append() {
    const MESSAGES: usize = 10_000;
    let each = |looked_at: bool| {
        let session = ours::session_with(0);
        (0..MESSAGES).for_each(|_| keep(session.append(Message::user("one more"))));
        let mut view = session.log();
        let began = Instant::now();
        for _ in 0..MESSAGES {
            keep(session.append(Message::user("one more")));
            if looked_at {
                view = session.log();
            }
        }
        let each = began.elapsed().as_secs_f64() * 1e9 / MESSAGES as f64;
        drop(view);
        each
    };
    let by_hand = || {
        let mut log = (0..MESSAGES).map(|_| Arc::new(Message::user("one more"))).collect::<Vec<_>>();
        let began = Instant::now();
        (0..MESSAGES).for_each(|_| log.push(Arc::new(Message::user("one more"))));
        began.elapsed().as_secs_f64() * 1e9 / MESSAGES as f64
    };
    let of = |each: &dyn Fn() -> f64| median((0..3).map(|_| each()).collect());
    println!(
        "appending to 10 000 messages: {:.0} ns, while a view of them is held: {:.0} ns (a push of the same to a Vec: {:.0} ns)",
        of(&|| each(false)),
        of(&|| each(true)),
        of(&by_hand)
    );
}

fn gathering() {
    let mut figures = Vec::new();
    for _ in 0..15 {
        let mut builder = Registry::builder().linked(false);
        for number in (0..10_000).rev() {
            builder =
                builder.register(Hook::new(FILE_POST_SAVE, format!("bench.hook_{number:05}"), |_, _| ()));
        }
        let began = Instant::now();
        let registry = black_box(builder.build().unwrap());
        figures.push(began.elapsed().as_secs_f64() * 1e3);
        assert_eq!(registry.handle(FILE_POST_SAVE).names()[0], "bench.hook_00000");
    }
    println!("gathering and sorting 10 000 hooks: {:.2} ms", median(figures));
}

fn enqueue() {
    let (session, handle) = ours::background(1_000_000);
    let (mut figures, mut channel) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for _ in 0..2_000 {
            keep(handle.fire_now(&session, event()));
        }
        figures.push(began.elapsed().as_secs_f64() * 1e9 / 2_000.0);
        ours::drain(&session, Duration::from_secs(20));
        channel.push(by_hand::channel(2_000));
    }
    println!(
        "enqueueing a background hook: {:.0} ns (a boxed job through a channel: {:.0} ns)",
        median(figures),
        median(channel)
    );
}

/// Peers in other languages, where they are installed: each prints nanoseconds per trigger for 0, 1, 10 and
/// 100 hooks.
fn peers() {
    println!("\npeers in other languages, nanoseconds per trigger");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers");
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
    #[cfg(feature = "rivals")]
    hookspec_dispatch_bench::rivals::with(&SIZES, everybody);
    #[cfg(not(feature = "rivals"))]
    everybody(Vec::new());
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let singles: [(&str, fn()); 5] = [
        ("empty point", empty),
        ("appending", append),
        ("gathering", gathering),
        ("enqueueing", enqueue),
        ("peers", peers),
    ];
    println!();
    for (name, single) in singles {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            single();
        }
    }
}
