//! Processes that left their group: found by a mark in their environment, which children inherit.
//!
//! A process that makes itself a session of its own (`setsid`, a daemon) is out of reach of its group's end. After a
//! deadline nothing that the hook started shall go on, so they are looked for. One that has cleared its
//! environment, or belongs to another user, is not found.

use std::hash::{BuildHasher, Hasher};

/// The variable that holds the mark.
pub(super) const VARIABLE: &str = "HOOKSPEC_RUN";

/// A mark that no other run has.
pub(super) fn mark() -> String {
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    format!("{:016x}", hasher.finish())
}

/// Passes over the process table: one that is just starting another is caught by the next.
#[cfg(target_os = "linux")]
const PASSES: usize = 3;

/// Ends every process that carries the mark; gives how many there were.
#[cfg(target_os = "linux")]
pub(super) fn end(mark: &str) -> usize {
    let wanted = format!("{VARIABLE}={mark}").into_bytes();
    let mut ended = 0;
    for _ in 0..PASSES {
        let found = processes().filter(|pid| end_one(*pid, &wanted)).count();
        if found == 0 {
            break;
        }
        ended += found;
    }
    ended
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end(_mark: &str) -> usize {
    0
}

#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = rustix::process::Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    entries.filter_map(number).filter_map(rustix::process::Pid::from_raw)
}

/// The handle is taken first, so that what is ended is what was looked at, even if the number is given anew.
#[cfg(target_os = "linux")]
fn end_one(pid: rustix::process::Pid, wanted: &[u8]) -> bool {
    use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    let environment = std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == wanted)
        && pidfd_send_signal(&handle, Signal::KILL).is_ok()
}
