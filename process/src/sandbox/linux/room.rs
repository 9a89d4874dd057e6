//! The room of a sandbox: its namespaces, and the process that holds them.
//!
//! One room for all commands of a sandbox, so that a server that one command started can be reached and ended by the next. Its first
//! process adopts orphans, does nothing else, and ends when the pipe closes whose other end we hold: with the last clone of the
//! sandbox, or with our death, however sudden. The kernel then ends all that runs in the room.
//!
//! Root and others are treated alike: a namespace of users in which everybody has the number that they have outside. Root loses
//! what it could do beyond files there.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use libc::pid_t;

use super::caches::{Caches, Layer};
use super::sys::{self, Did, Fork};
use crate::sandbox::Network;

/// Where what covers secrets lies: a folder of the kernel's that every system has and nobody reads.
const COVERS: &std::ffi::CStr = c"/proc/driver";
/// Opens for nobody: a device where no device opens.
pub(super) const COVER_FILE: &std::ffi::CStr = c"/proc/driver/file";
/// An empty folder that is nobody's to look into.
pub(super) const COVER_FOLDER: &std::ffi::CStr = c"/proc/driver/folder";

/// The namespaces of a sandbox.
#[derive(Debug)]
pub(super) struct Room {
    /// What its first process waits on.
    life: Option<UnixStream>,
    first: pid_t,
    pub(super) users: OwnedFd,
    pub(super) mounts: OwnedFd,
    pub(super) processes: OwnedFd,
    pub(super) messages: OwnedFd,
    /// Only where the network is not the host's.
    pub(super) network: Option<OwnedFd>,
    caches: Caches,
    layered: Vec<PathBuf>,
}

/// How a room is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub(super) network: Network,
    /// Whether nothing is written but what is opened: where Landlock does not say so.
    pub(super) is_read_only: bool,
}

impl Room {
    /// Makes a room.
    ///
    /// # Errors
    /// If the system refuses one of the steps, which is told.
    pub(super) fn open(kind: Kind, mut caches: Caches) -> Result<Self, (&'static str, io::Error)> {
        let network = kind.network;
        let (life, inner) = UnixStream::pair().map_err(|error| ("a pair of sockets", error))?;
        let forgotten = memory();
        let mut kinds = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        if network != Network::On {
            kinds |= libc::CLONE_NEWNET;
        }
        let before = sys::block_signals();
        let forked = sys::fork(kinds);
        if matches!(forked, Ok(Fork::Child)) {
            first(inner.as_raw_fd(), kind, &caches.layers, &forgotten);
        }
        sys::set_signals(&before);
        drop(inner);
        let first = match forked {
            Ok(Fork::Parent(first)) => first,
            Ok(Fork::Child) => return Err(("a fork", io::Error::from_raw_os_error(libc::EINVAL))),
            Err(number) => return Err(("namespaces of its own", io::Error::from_raw_os_error(number))),
        };
        let half = Opening(first);
        let mut life = life;
        name_users(first).map_err(|error| ("users in a namespace of its own", error))?;
        let space = |name: &str| File::open(format!("/proc/{first}/ns/{name}")).map(OwnedFd::from);
        let spaces = (|| Ok((space("user")?, space("mnt")?, space("pid")?, space("ipc")?, space("net")?)))();
        let (users, mounts, processes, messages, own_network) =
            spaces.map_err(|error: io::Error| ("the names of its namespaces", error))?;
        let mut told = [0; 13];
        let answer = life.write_all(b"!").and_then(|()| life.read_exact(&mut told));
        answer.map_err(|error| ("its first process", error))?;
        let [step, a, b, c, d, refused @ ..] = told;
        if step != 0 {
            return Err((Step::words(step), io::Error::from_raw_os_error(i32::from_ne_bytes([a, b, c, d]))));
        }
        caches.refuse(u64::from_ne_bytes(refused));
        std::mem::forget(half);
        let network = (network != Network::On).then_some(own_network);
        let layered = caches.layers.iter().map(|layer| layer.path.clone()).collect();
        Ok(Self { life: Some(life), first, users, mounts, processes, messages, network, caches, layered })
    }

    /// The folders that are written as a layer.
    pub(super) fn caches(&self) -> &[PathBuf] {
        &self.layered
    }

    /// The folders of caches that are written as they are, since the system has no layers.
    pub(super) fn direct(&self) -> &[PathBuf] {
        &self.caches.direct
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.life = None;
        end(self.first);
    }
}

/// A room that is not finished: dropped, its first process ends.
struct Opening(pid_t);

impl Drop for Opening {
    fn drop(&mut self) {
        end(self.0);
    }
}

fn end(first: pid_t) {
    let _ = sys::kill(first, libc::SIGKILL);
    sys::wait_for(first);
}

/// Everybody has the number in the room that they have outside: all of ours if we may say so, else this user alone.
fn name_users(first: pid_t) -> io::Result<()> {
    let write = |name: &str, text: &str| std::fs::write(format!("/proc/{first}/{name}"), text);
    let all = |name: &str| {
        let ours = std::fs::read_to_string(format!("/proc/self/{name}"))?;
        let same = ours.lines().filter_map(|line| {
            let mut numbers = line.split_whitespace();
            let (inside, _, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
            Some(format!("{inside} {inside} {count}\n"))
        });
        write(name, &same.collect::<String>())
    };
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    if user == 0 && all("uid_map").is_ok() {
        return all("gid_map");
    }
    // A file that this kernel may not have: then groups need not be given up.
    let _ = write("setgroups", "deny");
    write("uid_map", &format!("{user} {user} 1"))?;
    write("gid_map", &format!("{group} {group} 1"))
}

/// What the first process does, in order.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Step {
    Apart = 1,
    Processes,
    Covers,
    CoverFile,
    ReadOnly,
    Loopback,
}

impl Step {
    fn words(step: u8) -> &'static str {
        match step {
            1 => "mounts of its own",
            2 => "a list of processes of its own",
            3 => "a place for what covers secrets",
            4 => "what covers a secret",
            5 => "mounts that cannot be written",
            _ => "a network of its own",
        }
    }
}

/// The life of the first process.
fn first(life: RawFd, kind: Kind, layers: &[Layer], forgotten: &[(usize, usize)]) -> ! {
    sys::new_session();
    sys::forget_children();
    sys::close_all_but(&mut [life]);
    let _ = sys::change_folder(c"/");
    // Our parent says who we are first.
    let mut byte = [0];
    if sys::read(life, &mut byte) != Ok(1) {
        sys::exit(1);
    }
    let (step, number, refused) = match furnish(kind, layers) {
        Ok(refused) => (0, 0, refused),
        Err((step, number)) => (step as u8, number, 0),
    };
    let _ = sys::close_to_others();
    let mut told = [0; 13];
    told[0] = step;
    told[1..5].copy_from_slice(&number.to_ne_bytes());
    told[5..].copy_from_slice(&u64::to_ne_bytes(refused));
    sys::write(life, &told);
    for (from, length) in forgotten {
        sys::forget(*from, *length);
    }
    while sys::read(life, &mut byte).is_ok_and(|count| count > 0) {}
    sys::exit(0)
}

/// What all commands of the room find there. The layers that were refused come back as a bit each.
fn furnish(kind: Kind, layers: &[Layer]) -> Result<u64, (Step, sys::Errno)> {
    use libc::{MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_REC, MS_SLAVE};

    let at = |step| move |number| (step, number);
    let nowhere = libc::AT_FDCWD;
    sys::mount(None, c"/", None, MS_REC | MS_SLAVE, None).map_err(at(Step::Apart))?;
    let plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    sys::mount(Some(c"proc"), c"/proc", Some(c"proc"), plain, None).map_err(at(Step::Processes))?;
    let size = Some(c"mode=0755,size=16k");
    sys::mount(Some(c"covers"), COVERS, Some(c"tmpfs"), plain, size).map_err(at(Step::Covers))?;
    cover(plain | MS_BIND).map_err(at(Step::CoverFile))?;
    sys::restrict_mount(nowhere, COVERS, sys::READ_ONLY).map_err(at(Step::ReadOnly))?;
    // What the kernel is told through files. Not every system has each.
    for path in [c"/proc/sys", c"/proc/sysrq-trigger", c"/proc/irq", c"/proc/bus"] {
        let is_there = sys::mount(Some(path), path, None, MS_BIND | MS_REC, None);
        is_there
            .and_then(|()| sys::restrict_mount(nowhere, path, sys::READ_ONLY))
            .or_else(unless_absent)
            .map_err(at(Step::ReadOnly))?;
    }
    sys::restrict_mount(nowhere, c"/sys", sys::READ_ONLY)
        .or_else(unless_absent)
        .map_err(at(Step::ReadOnly))?;
    // Terminals of the user are not ours to read. Without the mount, Landlock still keeps them shut.
    let _ = sys::mount(
        Some(c"devpts"),
        c"/dev/pts",
        Some(c"devpts"),
        MS_NOSUID | MS_NOEXEC,
        Some(c"newinstance,ptmxmode=0666,mode=0620"),
    );
    let mut refused = 0;
    for (number, layer) in layers.iter().enumerate() {
        let plain = MS_NOSUID | MS_NODEV;
        if sys::mount(Some(c"overlay"), &layer.target, Some(c"overlay"), plain, Some(&layer.options)).is_err()
        {
            refused |= 1 << number;
        }
    }
    if kind.is_read_only {
        sys::restrict_mount(nowhere, c"/", sys::READ_ONLY).map_err(at(Step::ReadOnly))?;
    }
    if kind.network == Network::Loopback {
        sys::raise_loopback().map_err(at(Step::Loopback))?;
    }
    Ok(refused)
}

/// What covers a secret file or folder, to be copied on each.
fn cover(flags: libc::c_ulong) -> Did<()> {
    sys::make_file(COVER_FILE)?;
    sys::make_folder(COVER_FOLDER, 0)?;
    sys::mount(Some(c"/dev/null"), COVER_FILE, None, flags, None)?;
    sys::restrict_mount(libc::AT_FDCWD, COVER_FILE, sys::NO_DEVICES)
}

fn unless_absent(number: sys::Errno) -> Did<()> {
    if [libc::ENOENT, libc::EINVAL].contains(&number) { Ok(()) } else { Err(number) }
}

/// What the first process need not keep of our memory: everything that is no file and not the stack that it stands on. What stayed
/// shared would have to be copied whenever we write, and holds whatever we know.
fn memory() -> Vec<(usize, usize)> {
    thread_local!(static OWN: u8 = const { 0 });
    let here = 0_u8;
    // The stack, and what is this thread's own, without which no function of libc works.
    let kept = [(&raw const here).addr(), OWN.with(|own| std::ptr::from_ref(own).addr())];
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut found: Vec<(usize, usize)> = maps
        .lines()
        .filter_map(|line| {
            let mut parts = line.split_whitespace();
            let (range, rights) = (parts.next()?, parts.next()?);
            let name = parts.nth(3).unwrap_or_default();
            let (from, to) = range.split_once('-')?;
            let (from, to) = (usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?);
            let is_plain = rights.starts_with("rw-p") && (name.is_empty() || name == "[heap]");
            let is_kept = kept.iter().any(|address| (from..to).contains(address));
            (is_plain && !is_kept).then_some((from, to - from))
        })
        .collect();
    // The list itself lies in one of them, which is forgotten last.
    let list = found.as_ptr().addr();
    if let Some(own) = found.iter().position(|(from, length)| (*from..from + length).contains(&list)) {
        let last = found.len() - 1;
        found.swap(own, last);
    }
    found
}
