//! What goes over the socket.
//!
//! The resident process says [`READY`] when it has time. The other sends its standard error and then a frame with the
//! client, the event's name and the event; the answer comes back as a frame. A frame is its length (eight bytes, little-endian)
//! and JSON, or, for the event, bytes as they came.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lower::Answer;

/// What a resident process says when it takes an event.
pub(super) const READY: u8 = b'r';

/// What is told of an event beside itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) client: String,
    pub(super) name: Option<String>,
    /// How long hooks may take together.
    pub(super) deadline: Duration,
}

/// An answer on its way.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reply {
    body: Option<Map<String, Value>>,
    stderr: String,
    code: u8,
    refusal: Option<String>,
}

impl From<&Answer> for Reply {
    fn from(answer: &Answer) -> Self {
        Self {
            body: answer.body.clone(),
            stderr: answer.words(),
            code: answer.code,
            refusal: answer.refusal.clone(),
        }
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        let Reply { body, stderr, code, refusal } = reply;
        Self { body, stderr, code, refusal, ..Self::default() }
    }
}

/// Whether the process at the other end is this user's.
pub(super) fn is_own(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

pub(super) fn write_frame(stream: &mut UnixStream, bytes: &[u8]) -> io::Result<()> {
    let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(bytes)
}

pub(super) fn read_frame(stream: &mut UnixStream, most: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if usize::try_from(length).is_ok_and(|length| length > most) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is longer than what is kept"));
    }
    let mut bytes = Vec::new();
    stream.take(length).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).ok() == Some(length) {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Lends an open file to the other end.
pub(super) fn send_file(stream: &UnixStream, file: impl AsFd) -> io::Result<()> {
    let files = [file.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("there is no room for an open file"));
    }
    sendmsg(stream, &[IoSlice::new(&[READY])], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Takes the open file that the other end lends.
pub(super) fn take_file(stream: &UnixStream) -> io::Result<OwnedFd> {
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut byte)];
    recvmsg(stream, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let lent = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    lent.ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the event was taken back"))
}
