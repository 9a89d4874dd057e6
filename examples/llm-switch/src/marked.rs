//! What left the server's group: found by a mark in its environment, where the system shows environments (Linux). Elsewhere there is
//! nothing to look through, and the group is all that is ended.

use std::io;

use rustix::process::{Signal, kill_process};

use crate::process::pid;

/// The variable with the mark of a server and of all that it starts.
pub(crate) const MARK: &str = "HOOKSPEC_MODEL_SERVER";

/// Reads the server's pid, waits for the end of its input, and then ends its own group and what has the mark: asks, waits five
/// seconds, kills. It gets the mark as its argument, so that its own environment does not have it.
pub(crate) const WATCHER: &str = "trap '' TERM INT HUP QUIT
marked() {
    for file in /proc/[0-9]*/environ; do
        grep -qzxF \"HOOKSPEC_MODEL_SERVER=$mark\" \"$file\" 2>/dev/null || continue
        pid=${file#/proc/}
        kill -\"$1\" \"${pid%/environ}\" 2>/dev/null
    done
}
mark=$1
read -r server
read -r end
kill -TERM 0
marked TERM
for second in 1 2 3 4 5; do
    kill -0 \"$server\" 2>/dev/null || break
    sleep 1
done
marked KILL
kill -KILL 0";

/// A value that nobody else has.
pub(crate) fn new_mark() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Signals every process whose environment has the mark. Where the system does not show environments, nobody.
pub(crate) fn signal_marked(mark: &str, signal: Signal) {
    let Ok(processes) = std::fs::read_dir("/proc") else { return };
    // A mark that is none would be everybody's.
    if mark.len() < 32 {
        return;
    }
    let wanted = format!("{MARK}={mark}");
    for process in processes.flatten() {
        let Some(found) = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(pid)
        else {
            continue;
        };
        let Ok(environment) = std::fs::read(process.path().join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
            let _ = kill_process(found, signal);
        }
    }
}
