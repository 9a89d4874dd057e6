//! What snapshots of a big workspace cost: 50 000 files of some two kilobytes in 500 folders. The first one reads all of them, later
//! ones look at each. Beside them, how large the store is before and after the session ends.

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookspec::points::{EndReason, SESSION_END, TOOL_POST_EXECUTE, TOOL_PRE_EXECUTE};
use hookspec::session::StateDir;
use hookspec::tool::ToolStatus;
use hookspec::{Config, Hooks, Registry, Session, ToolUse, fire_now};

const FOLDERS: usize = 500;
const FILES: usize = 100;
const LATER: usize = 9;

fn main() {
    let (workspace, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in 0..FOLDERS {
        let path = workspace.path().join(format!("crate{}/part{folder}", folder / 25));
        std::fs::create_dir_all(&path).unwrap();
        for file in 0..FILES {
            // No two alike, and of the sizes that sources have.
            let line =
                |line| format!("let value_{line} = function_{file}({folder}, {});\n", line * file + folder);
            let text: String = (0..5 + file).map(line).collect();
            std::fs::write(path.join(format!("file{file}.rs")), text).unwrap();
        }
    }
    let mut config = Config::new();
    config.add_toml("bench", "[hooks.auto_snapshots]\nenabled = true\ntimeout = 600", &[]).unwrap();
    let registry = Registry::builder()
        .plugins(hookspec::plugins![hookspec_builtins])
        .allow(["auto_snapshots"])
        .config(config)
        .build()
        .unwrap();
    let session = Session::builder(&Hooks::new(registry), "bench")
        .workspace(workspace.path())
        .extension(Arc::new(StateDir(state.path().to_owned())))
        .build();
    let call = ToolUse::fenced("save", ["x"], "");
    let before = || {
        let began = Instant::now();
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &call });
        assert!(fired.failures().is_empty(), "{fired:?}");
        began.elapsed()
    };
    println!("first snapshot of {} files: {:.2} s", FOLDERS * FILES, before().as_secs_f64());
    let mut taken: Vec<Duration> = Vec::new();
    for number in 0..LATER {
        std::fs::write(workspace.path().join("crate0/part0/file0.rs"), number.to_string()).unwrap();
        let began = Instant::now();
        let (status, duration) = (ToolStatus::Ok, Duration::ZERO);
        let _ = fire_now!(session, TOOL_POST_EXECUTE { tool_use: &call, result: &[], status, duration });
        taken.push(began.elapsed());
        taken.push(before());
    }
    taken.sort();
    println!("a later one, the median of {}: {:.3} s", taken.len(), taken[taken.len() / 2].as_secs_f64());
    let plain = size(state.path());
    let _ = fire_now!(session, SESSION_END { reason: EndReason::Exit });
    assert_eq!(session.drain_now(Duration::from_secs(600)), []);
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    println!("the store: {:.0} MiB, packed {:.0} MiB", mib(plain), mib(size(state.path())));
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let data = entry.metadata().unwrap();
            if data.is_dir() { size(&entry.path()) } else { data.len() }
        })
        .sum()
}
