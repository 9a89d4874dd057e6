//! Progress: a line on the terminal while something takes longer than a second.
//!
//! It goes to the person's stream, only where that is a terminal, and takes itself away when the work is
//! done: data on standard output and logs in files never see it.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work under way; over when dropped.
pub(crate) struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    /// Work begins. Nothing is shown in its first second.
    pub(crate) fn start(what: impl Into<String>) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let what = what.into();
        let (sender, receiver) = channel::<()>();
        let began = Instant::now();
        let thread = std::thread::spawn(move || {
            let mut shown = false;
            while receiver.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let text = format!("\r\u{1b}[K{what} … {} s", began.elapsed().as_secs());
                // Nobody can be told that the line for telling people failed.
                let _ = std::io::stderr().write_all(text.as_bytes());
                shown = true;
            }
            if shown {
                let _ = std::io::stderr().write_all(b"\r\x1b[K");
            }
        });
        Self(Some((sender, thread)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.0.take() {
            drop(sender);
            // Wait, so that its last line is not written over what comes next.
            let _ = thread.join();
        }
    }
}
