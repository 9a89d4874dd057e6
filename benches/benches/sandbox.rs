//! What the sandbox costs a command: `true` bare, on a leash, and confined, in a small repository and in a workspace of 5 000
//! folders.
//!
//! All run in turn, many rounds. Beside the time of a wall clock, which other work on the machine stretches, stands the processor's
//! time of us and of all processes of the command together, as a mean: the kernel tells it in steps of 10 ms.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hookspec_process::sandbox::{Profile, Sandbox};

const WARM_UP: usize = 2;
const ROUNDS: usize = 30;
/// So many commands in a row, for which the processor's time is read once.
const BATCH: usize = 10;

/// What was measured of one way to run a command.
#[derive(Default)]
struct Row {
    name: &'static str,
    wall: Vec<Duration>,
    processor: Duration,
    /// What of it is spent before the fork.
    before: Vec<Duration>,
}

fn main() {
    // `cargo test` runs benches too, to see that they build: there is nothing to measure then.
    if std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions) {
        return;
    }
    let (small, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    repository(small.path());
    repository(large.path());
    for number in 0..5_000 {
        let folder = large.path().join(format!("d{}/e{}/f{}", number % 10, number / 10 % 50, number / 500));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("file.rs"), "").unwrap();
    }
    let of = |profile, folder: &Path| Some(Sandbox::new(profile, folder));
    let kinds = [
        ("bare", None, small.path()),
        ("on a leash (`full`)", of(Profile::Full, small.path()), small.path()),
        ("confined", of(Profile::Workspace, small.path()), small.path()),
        ("confined, 5 000 folders", of(Profile::Workspace, large.path()), large.path()),
    ];
    let mut rows: Vec<Row> = kinds.iter().map(|(name, ..)| Row { name, ..Row::default() }).collect();
    for round in 0..WARM_UP + ROUNDS {
        for ((_, sandbox, folder), row) in kinds.iter().zip(&mut rows) {
            let spent = processor();
            let batch: Vec<_> = (0..BATCH).map(|_| run(sandbox.as_ref(), folder)).collect();
            if round >= WARM_UP {
                row.processor += processor() - spent;
                row.wall.extend(batch.iter().map(|(wall, _)| *wall));
                row.before.extend(batch.iter().map(|(_, before)| *before));
            }
        }
    }
    // A fork copies the tables of the host's memory, which a small bench has little of.
    let memory = vec![1_u8; 64 << 20];
    let mut row = Row { name: "confined, a host of 64 MB", ..Row::default() };
    let sandbox = Sandbox::new(Profile::Workspace, small.path());
    for round in 0..WARM_UP + ROUNDS {
        let spent = processor();
        let batch: Vec<_> = (0..BATCH).map(|_| run(Some(&sandbox), small.path())).collect();
        if round >= WARM_UP {
            row.processor += processor() - spent;
            row.wall.extend(batch.iter().map(|(wall, _)| *wall));
            row.before.extend(batch.iter().map(|(_, before)| *before));
        }
    }
    std::hint::black_box(&memory);
    rows.push(row);
    let first = Instant::now();
    let mut command = Command::new("true");
    let fresh = Sandbox::new(Profile::Workspace, large.path());
    let leash = fresh.confine(command.current_dir(large.path())).unwrap();
    command.status().unwrap();
    println!("first command of a session with 5 000 folders: {:.1} ms", first.elapsed().as_secs_f64() * 1e3);
    drop(leash);
    println!(
        "| `true` | by the clock, ms: least | median | by the processor, ms: mean | before the fork, ms: median |\n|---|---|---|---|---|"
    );
    for row in &mut rows {
        row.wall.sort();
        row.before.sort();
        let (least, median, before) =
            (row.wall[0], row.wall[row.wall.len() / 2], row.before[row.before.len() / 2]);
        let mean = row.processor / u32::try_from(row.wall.len()).unwrap();
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            row.name,
            ms(least),
            ms(median),
            ms(mean),
            ms(before)
        );
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Runs `true` once: by the clock, and what of it came before the fork.
fn run(sandbox: Option<&Sandbox>, folder: &Path) -> (Duration, Duration) {
    let began = Instant::now();
    let mut command = Command::new("true");
    command.current_dir(folder);
    let leash = sandbox.map(|sandbox| sandbox.confine(&mut command).unwrap());
    let before = began.elapsed();
    command.status().unwrap();
    let wall = began.elapsed();
    // The supervisor is waited for, so that its time counts.
    drop(leash);
    (wall, before)
}

/// The processor's time of this process and of all that it waited for.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let times = stat.rsplit(')').next().unwrap().split_whitespace().skip(11).take(4);
    times.map(|ticks| Duration::from_millis(ticks.parse::<u64>().unwrap() * 10)).sum()
}

fn repository(folder: &Path) {
    std::fs::write(folder.join(".env"), "TOKEN=x").unwrap();
    std::fs::write(folder.join("a.rs"), "").unwrap();
    let script = "git init -q && git add a.rs";
    assert!(Command::new("sh").args(["-c", script]).current_dir(folder).status().unwrap().success());
}
