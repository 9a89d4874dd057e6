//! The process's edge: standard output holds the answer, and nothing else.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::lower::Answer;
use crate::system::keep_stdout;

/// How long standard error may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// Standard output, kept for the answer alone.
#[derive(Debug)]
pub struct Stdout(File);

impl Stdout {
    /// Takes standard output away from everybody else in this process and its children: what they print goes to
    /// standard error from now on.
    ///
    /// # Errors
    /// If the streams cannot be exchanged.
    pub fn take() -> io::Result<Self> {
        keep_stdout().map(Self)
    }

    /// Writes an answer in one piece and gives the exit code. Where a refusal cannot be written it goes to standard
    /// error, with the code that every client takes for one.
    pub fn give(mut self, answer: &Answer) -> u8 {
        let body = answer.stdout();
        let written = if body.is_empty() { Ok(()) } else { self.0.write_all(body.as_bytes()) };
        drop(self.0);
        let mut words = answer.words();
        let code = match (&written, &answer.refusal) {
            (Ok(()), _) => answer.code,
            (Err(_), Some(reason)) => {
                words = format!("{reason}\n");
                2
            }
            (Err(error), None) => {
                words.push_str(&format!("the answer cannot be written: {error}\n"));
                1
            }
        };
        say(words);
        code
    }
}

/// Writes to standard error, unless nobody reads it: the answer is out, and the client waits for the end.
fn say(words: String) {
    if words.is_empty() {
        return;
    }
    let (done, written) = channel();
    let writer = std::thread::Builder::new().spawn(move || {
        // If not even that can be written there is nobody left to tell.
        let _ = io::stderr().write_all(words.as_bytes());
        let _ = done.send(());
    });
    if writer.is_ok() {
        let _ = written.recv_timeout(PATIENCE);
    }
}
