//! Adding one line to a file so that a failure leaves no half line.
//!
//! The file is opened for each line: an editor that replaced it since the last one is then followed, rather than
//! its old, nameless file filled. What is there is never overwritten; if it does not end in a line end
//! (somebody else's doing, or a cut-off half line that could not be taken back), the line gets one before it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::LogError;

/// What a line is written to: a file, or in tests one that fails half-way.
trait Target: Write {
    fn length(&self) -> io::Result<u64>;
    fn last_byte(&mut self) -> io::Result<u8>;
    fn sync(&self) -> io::Result<()>;
    fn cut(&self, length: u64) -> io::Result<()>;
}

impl Target for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
    fn last_byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.seek(SeekFrom::End(-1))?;
        self.read_exact(&mut byte)?;
        Ok(byte[0])
    }
    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.sync_data()
    }
}

/// Adds `line`, which must end in `\n`, to the existing file at `path`, and returns when it is on disk.
pub(super) fn append_line(path: &Path, line: &[u8]) -> Result<(), LogError> {
    let opened = OpenOptions::new().read(true).append(true).open(path);
    let mut file = opened.map_err(LogError::io("open", path))?;
    let stored = write_line(&mut file, line, path, Target::sync);
    stored.map_err(LogError::io("append to", path))
}

/// Adds `line` to the file at `path`, which is created if need be, without waiting for the disk: the line survives
/// the end of this process, though not that of the machine.
pub(super) fn append_in_passing(path: &Path, line: &[u8]) -> Result<(), LogError> {
    let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
    let mut file = opened.map_err(LogError::io("open", path))?;
    let stored = write_line(&mut file, line, path, |_| Ok(()));
    stored.map_err(LogError::io("append to", path))
}

/// Ends the last line of the file at `path`.
pub(super) fn end_line(path: &Path) -> Result<(), LogError> {
    let ended = OpenOptions::new().append(true).open(path).and_then(|mut file| {
        file.write_all(b"\n")?;
        file.sync_data()
    });
    ended.map_err(LogError::io("append to", path))
}

/// Cuts the file at `path` down to `length` bytes, on disk.
pub(super) fn cut(path: &Path, length: usize) -> Result<(), LogError> {
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    let file = OpenOptions::new().write(true).open(path);
    file.and_then(|file| file.cut(length)).map_err(LogError::io("cut", path))
}

fn write_line<T: Target>(
    file: &mut T,
    line: &[u8],
    path: &Path,
    sync: impl FnOnce(&T) -> io::Result<()>,
) -> io::Result<()> {
    let good = file.length()?;
    let unfinished = good > 0 && file.last_byte()? != b'\n';
    let written = if unfinished {
        tracing::warn!(file = %path.display(), "the file did not end in a line end; the next line starts afresh");
        file.write_all(&[b"\n", line].concat())
    } else {
        file.write_all(line)
    };
    written.and_then(|()| sync(file)).inspect_err(|_| {
        // The line counts as not stored, so no part of it may be left for the next one to run into.
        if let Err(error) = file.cut(good) {
            tracing::error!(file = %path.display(), %error, "a half-written line could not be taken back");
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A real file on a disk that takes `room` more bytes.
    struct Small {
        file: File,
        room: usize,
        cuts: bool,
    }

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let taken = self.file.write(&bytes[..bytes.len().min(self.room)])?;
            self.room -= taken;
            Ok(taken)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Target for Small {
        fn length(&self) -> io::Result<u64> {
            self.file.length()
        }
        fn last_byte(&mut self) -> io::Result<u8> {
            self.file.last_byte()
        }
        fn sync(&self) -> io::Result<()> {
            self.file.sync()
        }
        fn cut(&self, length: u64) -> io::Result<()> {
            if self.cuts { self.file.cut(length) } else { Err(io::ErrorKind::Other.into()) }
        }
    }

    fn small(path: &Path, room: usize, cuts: bool) -> Small {
        let file = OpenOptions::new().read(true).append(true).open(path).unwrap();
        Small { file, room, cuts }
    }

    #[test]
    fn a_full_disk_leaves_what_was_there_and_the_next_line_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one\n").unwrap();
        let error = write_line(&mut small(&path, 3, true), b"second\n", &path, Target::sync).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
        append_line(&path, b"third\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\nthird\n");
    }

    #[test]
    fn a_half_line_that_could_not_be_taken_back_does_not_swallow_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one\n").unwrap();
        write_line(&mut small(&path, 3, false), b"second\n", &path, Target::sync).unwrap_err();
        append_line(&path, b"third\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\nsec\nthird\n");
    }
}
