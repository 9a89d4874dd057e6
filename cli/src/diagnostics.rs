//! The program's own log, on standard error: what it says of an error may quote what a program or a model said, and is redacted.

use std::io::{self, Write};

use hookspec_builtins::secrets_guard::redacted;

/// Standard error, to which each record is written in one piece.
#[derive(Debug)]
pub(crate) struct Redacted;

impl Write for Redacted {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(record) {
            Ok(text) => io::stderr().write_all(redacted(text).as_bytes())?,
            Err(_) => io::stderr().write_all(redacted(&String::from_utf8_lossy(record)).as_bytes())?,
        }
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
