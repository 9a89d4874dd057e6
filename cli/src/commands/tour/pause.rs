//! Waiting for a key, where somebody sits at the terminal.

use std::io::{self, IsTerminal, Read};

use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, tcflush, tcgetattr, tcsetattr,
};

use crate::output::{self, DIM, paint};

/// Whether and how the tour waits between its scenes.
pub(super) struct Pause {
    on: bool,
}

impl Pause {
    /// Only a person at a terminal can press a key and sees what to press.
    pub(super) fn new(wanted: bool) -> Self {
        Self { on: wanted && io::stdin().is_terminal() && io::stdout().is_terminal() }
    }

    /// Waits for a key; whether to go on. Ctrl-C ends the program as it does everywhere.
    pub(super) fn wait(&self) -> bool {
        if !self.on {
            return true;
        }
        output::raw(&format!("\n{}", paint(DIM, "any key goes on · q ends")));
        let key = key();
        // The line is gone once it is answered.
        output::raw("\r\x1b[K");
        match key {
            // As a shell tells an end by Ctrl-C.
            Ok(Some(0x03)) => std::process::exit(130),
            Ok(Some(b'q' | b'Q' | 0x04)) => false,
            // A terminal that cannot be read is no reason to stop.
            Ok(_) | Err(_) => true,
        }
    }
}

/// One key, read as it is pressed; what more it sends (an arrow sends three bytes) is dropped.
fn key() -> io::Result<Option<u8>> {
    let stdin = io::stdin();
    let before = tcgetattr(&stdin)?;
    let mut raw = before.clone();
    raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    raw.special_codes[SpecialCodeIndex::VMIN] = 1;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&stdin, OptionalActions::Now, &raw)?;
    let mut byte = [0];
    let read = stdin.lock().read(&mut byte);
    tcflush(&stdin, QueueSelector::IFlush)?;
    tcsetattr(&stdin, OptionalActions::Now, &before)?;
    Ok((read? > 0).then_some(byte[0]))
}
