//! The system calls that run between fork and exec, where nothing may be allocated and no lock taken: each one call, by its number
//! or by a function of libc that is no more than the call.

#![allow(
    unsafe_code,
    reason = "system calls after a fork, which no safe interface offers without memory of its own"
)]

mod kernel;

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;

use libc::{c_int, c_long, c_ulong, c_void, pid_t};

pub(super) use kernel::{has_filters, landlock_version};

/// The number of what went wrong.
pub(super) type Errno = c_int;
pub(super) type Did<T> = Result<T, Errno>;

/// What a fork made of us.
pub(super) enum Fork {
    Parent(pid_t),
    Child,
}

fn errno() -> Errno {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)
}

fn did(result: c_long) -> Did<c_long> {
    if result < 0 { Err(errno()) } else { Ok(result) }
}

fn fd(result: c_long) -> Did<RawFd> {
    // A descriptor's number fits, since the kernel made it of one.
    did(result).and_then(|fd| RawFd::try_from(fd).map_err(|_| libc::EBADF))
}

/// Forks without running what others registered for a fork: what they would do is for programs that go on. With flags of clone(2) that
/// neither share memory nor ask for a stack.
pub(super) fn fork(flags: c_int) -> Did<Fork> {
    // SAFETY: no stack and no shared memory are asked for, so that the child is a copy, as with fork(2).
    let pid =
        did(unsafe { libc::syscall(libc::SYS_clone, c_long::from(flags | libc::SIGCHLD), 0, 0, 0, 0) })?;
    Ok(if pid == 0 { Fork::Child } else { Fork::Parent(pid_t::try_from(pid).map_err(|_| libc::ESRCH)?) })
}

/// Starts a process beside this one: it shares our memory and has a stack of its own.
///
/// With `CLONE_VFORK` among the flags, this process waits until the other is a program or has ended.
pub(super) fn fork_beside(
    flags: c_int,
    stack: *mut c_void,
    life: extern "C" fn(*mut c_void) -> c_int,
    given: *mut c_void,
) -> Did<pid_t> {
    // SAFETY: the stack is memory that nobody else uses, and what is given lives as long as whoever uses it, as the caller sees to.
    let pid = unsafe { libc::clone(life, stack, flags | libc::CLONE_VM | libc::SIGCHLD, given) };
    did(c_long::from(pid)).map(|_| pid)
}

/// Becomes a program. Comes back only with what went wrong.
pub(super) fn exec(
    program: &CStr,
    arguments: &[*const libc::c_char],
    variables: &[*const libc::c_char],
) -> Errno {
    // SAFETY: both lists end in null, and what is in them are texts that end in a zero.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), variables.as_ptr()) };
    errno()
}

/// Handlers are ours, and must not run in what is about to be another program.
pub(super) fn forget_handlers() {
    for signal in 1..32 {
        // SAFETY: an action is plain data, for which zeroes are a value, and is written and read in place.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut action);
            if action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
    }
}

pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: ends this process at once.
    unsafe { libc::_exit(code) }
}

pub(super) fn setns(namespace: RawFd, kind: c_int) -> Did<()> {
    // SAFETY: takes numbers only.
    did(c_long::from(unsafe { libc::setns(namespace, kind) })).map(drop)
}

pub(super) fn unshare(kinds: c_int) -> Did<()> {
    // SAFETY: takes a number only.
    did(c_long::from(unsafe { libc::unshare(kinds) })).map(drop)
}

fn pointer(text: Option<&CStr>) -> *const libc::c_char {
    text.map_or(std::ptr::null(), CStr::as_ptr)
}

pub(super) fn mount(
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    data: Option<&CStr>,
) -> Did<()> {
    // SAFETY: all pointers are null or point to strings that end in a zero and live through the call.
    let result =
        unsafe { libc::mount(pointer(source), target.as_ptr(), pointer(kind), flags, pointer(data).cast()) };
    did(c_long::from(result)).map(drop)
}

/// A detached copy of what is mounted at a place.
pub(super) fn copy_tree(folder: RawFd, path: &CStr) -> Did<RawFd> {
    const OPEN_TREE_CLONE: c_long = 1;
    let flags = OPEN_TREE_CLONE
        | c_long::from(libc::O_CLOEXEC)
        | c_long::from(libc::AT_EMPTY_PATH)
        | c_long::from(libc::AT_RECURSIVE);
    // SAFETY: the path ends in a zero and lives through the call.
    fd(unsafe { libc::syscall(libc::SYS_open_tree, c_long::from(folder), path.as_ptr(), flags) })
}

/// Mounts a detached tree on an open file or folder.
pub(super) fn attach(tree: RawFd, on: RawFd) -> Did<()> {
    const FROM_FD: c_long = 0x4;
    const TO_FD: c_long = 0x40;
    // SAFETY: both paths are empty strings that end in a zero.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            c_long::from(tree),
            c"".as_ptr(),
            c_long::from(on),
            c"".as_ptr(),
            FROM_FD | TO_FD,
        )
    };
    did(result).map(drop)
}

/// What a mount may be made.
pub(super) const READ_ONLY: u64 = 0x1;
pub(super) const NO_DEVICES: u64 = 0x4;

/// The kernel's `mount_attr` in its first version.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Takes something from a mount and all below it.
pub(super) fn restrict_mount(folder: RawFd, path: &CStr, what: u64) -> Did<()> {
    let attributes = Attributes { set: what, clear: 0, propagation: 0, user_namespace: 0 };
    change_mount(folder, path, libc::AT_EMPTY_PATH | libc::AT_RECURSIVE, &attributes)
}

/// Lets a mount be written.
pub(super) fn open_mount(tree: RawFd) -> Did<()> {
    let attributes = Attributes { set: 0, clear: READ_ONLY, propagation: 0, user_namespace: 0 };
    change_mount(tree, c"", libc::AT_EMPTY_PATH, &attributes)
}

fn change_mount(folder: RawFd, path: &CStr, flags: c_int, attributes: &Attributes) -> Did<()> {
    // SAFETY: the path ends in a zero, and the size of the structure is told.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            c_long::from(folder),
            path.as_ptr(),
            c_long::from(flags),
            std::ptr::from_ref(attributes),
            size_of::<Attributes>(),
        )
    };
    did(result).map(drop)
}

/// Opens a place without reading it, and tells which file it is: device and number.
pub(super) fn open_place(path: &CStr) -> Did<(RawFd, u64, u64)> {
    let flags = libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    // SAFETY: the path ends in a zero and lives through the call.
    let place = fd(c_long::from(unsafe { libc::open(path.as_ptr(), flags) }))?;
    // SAFETY: `stat` is plain data, for which zeroes are a value.
    let mut data: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: `data` is where the kernel may write it.
    did(c_long::from(unsafe { libc::fstat(place, &raw mut data) }))?;
    Ok((place, data.st_dev, data.st_ino))
}

pub(super) fn open_to_read(path: &CStr) -> Did<RawFd> {
    // SAFETY: the path ends in a zero.
    fd(c_long::from(unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) }))
}

pub(super) fn make_file(path: &CStr) -> Did<()> {
    // SAFETY: the path ends in a zero.
    let file = fd(c_long::from(unsafe {
        libc::open(path.as_ptr(), libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC, 0)
    }))?;
    close(file);
    Ok(())
}

pub(super) fn make_folder(path: &CStr, mode: libc::mode_t) -> Did<()> {
    // SAFETY: the path ends in a zero.
    did(c_long::from(unsafe { libc::mkdir(path.as_ptr(), mode) })).map(drop)
}

pub(super) fn close(file: RawFd) {
    // SAFETY: the number is one that this process opened and does not use again.
    unsafe { libc::close(file) };
}

/// Closes all descriptors but these.
pub(super) fn close_all_but(kept: &mut [RawFd]) {
    kept.sort_unstable();
    let mut from: u32 = 0;
    for file in kept.iter() {
        let Ok(file) = u32::try_from(*file) else { continue };
        if file > from {
            close_range(from, file - 1, 0);
        }
        from = file + 1;
    }
    close_range(from, u32::MAX, 0);
}

/// Closes all descriptors beyond the three streams when a program takes over.
pub(super) fn close_on_exec() {
    const CLOSE_RANGE_CLOEXEC: u32 = 4;
    close_range(3, u32::MAX, CLOSE_RANGE_CLOEXEC);
}

fn close_range(first: u32, last: u32, flags: u32) {
    // SAFETY: takes numbers only; what is closed is not used again.
    unsafe {
        libc::syscall(libc::SYS_close_range, c_long::from(first), c_long::from(last), c_long::from(flags))
    };
}

pub(super) fn pipe() -> Did<(RawFd, RawFd)> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two numbers.
    did(c_long::from(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }))?;
    Ok((ends[0], ends[1]))
}

/// How many bytes came; none at the end.
pub(super) fn read(from: RawFd, into: &mut [u8]) -> Did<usize> {
    loop {
        // SAFETY: there is room for as many bytes as are told.
        let count = unsafe { libc::read(from, into.as_mut_ptr().cast::<c_void>(), into.len()) };
        match usize::try_from(count) {
            Ok(count) => return Ok(count),
            Err(_) if errno() == libc::EINTR => {}
            Err(_) => return Err(errno()),
        }
    }
}

/// Writes a few bytes, which fit into every pipe at once. A reader that is gone is no signal here, since all are blocked.
pub(super) fn write(to: RawFd, bytes: &[u8]) {
    // SAFETY: as many bytes are there as are told.
    unsafe { libc::write(to, bytes.as_ptr().cast::<c_void>(), bytes.len()) };
}

/// Waits until one of these has something to read, or its other end is gone.
pub(super) fn poll(files: &mut [libc::pollfd]) {
    let count = libc::nfds_t::try_from(files.len()).unwrap_or_default();
    // SAFETY: as many structures are there as are told.
    unsafe { libc::poll(files.as_mut_ptr(), count, -1) };
}

pub(super) fn pause(milliseconds: c_int) {
    // SAFETY: no structure is given.
    unsafe { libc::poll(std::ptr::null_mut(), 0, milliseconds) };
}

fn every_signal() -> libc::sigset_t {
    // SAFETY: a set of signals is plain data, and is filled by the call.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        all
    }
}

/// Keeps all signals waiting; what was before comes back.
pub(super) fn block_signals() -> libc::sigset_t {
    let all = every_signal();
    let mut before = all;
    // SAFETY: both sets live through the call.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
    before
}

pub(super) fn set_signals(mask: &libc::sigset_t) {
    // SAFETY: the set lives through the call, and what was before is not asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

/// Lets all signals come.
pub(super) fn unblock_signals() {
    // SAFETY: a set of signals is plain data, and is emptied by the call.
    let none = unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        none
    };
    set_signals(&none);
}

/// A descriptor from which blocked signals are read.
pub(super) fn signals() -> Did<RawFd> {
    let all = every_signal();
    // SAFETY: the set lives through the call.
    fd(c_long::from(unsafe { libc::signalfd(-1, &raw const all, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) }))
}

/// The next signal that waits, if one does.
pub(super) fn next_signal(signals: RawFd) -> Option<c_int> {
    let mut told = [0; size_of::<libc::signalfd_siginfo>()];
    let count = read(signals, &mut told).ok()?;
    let number: [u8; 4] = told.get(..4).filter(|_| count == told.len())?.try_into().ok()?;
    c_int::try_from(u32::from_ne_bytes(number)).ok()
}

/// Children that end need not be waited for.
pub(super) fn forget_children() {
    // SAFETY: sets what is done about a signal to a constant.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// Children that end are to be waited for, whatever whoever started us said.
pub(super) fn expect_children() {
    // SAFETY: sets what is done about a signal to a constant.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

pub(super) fn kill(pid: pid_t, signal: c_int) -> Did<()> {
    // SAFETY: takes numbers only.
    did(c_long::from(unsafe { libc::kill(pid, signal) })).map(drop)
}

/// Ends as by this signal, without leaving memory on the disk.
pub(super) fn end_by(signal: c_int) -> ! {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: sets a limit and a constant, and sends a signal to this process.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(signal, libc::SIG_DFL);
        unblock_signals();
        libc::kill(libc::getpid(), signal);
    }
    exit(128 + signal)
}

/// A child that ended, and how; none if all still run. An error if there is none.
pub(super) fn reap() -> Did<Option<(pid_t, c_int)>> {
    let mut status = 0;
    // SAFETY: there is room for the status.
    let pid = did(c_long::from(unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) }))?;
    Ok(pid_t::try_from(pid).ok().filter(|pid| *pid > 0).map(|pid| (pid, status)))
}

/// Waits for a child of ours.
pub(super) fn wait_for(pid: pid_t) {
    let mut status = 0;
    // SAFETY: there is room for the status.
    while unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL) } < 0 && errno() == libc::EINTR {}
}

pub(super) fn new_session() {
    // SAFETY: takes nothing. It fails only for the leader of a group, which is in a session of its own then or is no child of ours.
    unsafe { libc::setsid() };
}

fn prctl(option: c_int, value: c_ulong) -> Did<()> {
    // SAFETY: takes numbers only.
    did(c_long::from(unsafe { libc::prctl(option, value, 0, 0, 0) })).map(drop)
}

/// Orphans below become children of this process.
pub(super) fn adopt() -> Did<()> {
    prctl(libc::PR_SET_CHILD_SUBREAPER, 1)
}

/// Nobody may look into this process, not even under the same name.
pub(super) fn close_to_others() -> Did<()> {
    prctl(libc::PR_SET_DUMPABLE, 0)
}

/// This process ends with its parent.
pub(super) fn end_with_parent() -> Did<()> {
    prctl(libc::PR_SET_PDEATHSIG, c_ulong::from(libc::SIGKILL.unsigned_abs()))
}

pub(super) fn no_new_privileges() -> Did<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// Gives up what root can do beside owning files.
pub(super) fn drop_capabilities() {
    // Owning, reading and writing files, changing users, signals, small ports, chroot, capabilities of files.
    const KEPT: [c_ulong; 11] = [0, 1, 3, 4, 5, 6, 7, 8, 10, 18, 31];
    for capability in (0..64).filter(|capability| !KEPT.contains(capability)) {
        if prctl(libc::PR_CAPBSET_DROP, capability).is_err() {
            break;
        }
    }
}

pub(super) fn current_folder(into: &mut [u8; 4096]) -> Did<&CStr> {
    // SAFETY: there is room for as many bytes as are told.
    did(unsafe { libc::syscall(libc::SYS_getcwd, into.as_mut_ptr(), into.len()) })?;
    CStr::from_bytes_until_nul(into).map_err(|_| libc::ERANGE)
}

pub(super) fn change_folder(path: &CStr) -> Did<()> {
    // SAFETY: the path ends in a zero.
    did(c_long::from(unsafe { libc::chdir(path.as_ptr()) })).map(drop)
}

/// Adds a folder to what a set of rules allows.
pub(super) fn allow_beneath(rules: RawFd, rights: u64, folder: RawFd) -> Did<()> {
    #[repr(C, packed)]
    struct Beneath {
        rights: u64,
        folder: i32,
    }
    const PATH_BENEATH: c_long = 1;
    let rule = Beneath { rights, folder };
    // SAFETY: the structure is the kernel's `landlock_path_beneath_attr`.
    did(unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, c_long::from(rules), PATH_BENEATH, &raw const rule, 0)
    })
    .map(drop)
}

pub(super) fn obey(rules: RawFd) -> Did<()> {
    // SAFETY: takes numbers only.
    did(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, c_long::from(rules), 0) }).map(drop)
}

/// Filters the system calls from here on.
pub(super) fn filter(program: &[seccompiler::sock_filter]) -> Did<()> {
    #[repr(C)]
    struct Program {
        length: u16,
        filter: *const seccompiler::sock_filter,
    }
    let length = u16::try_from(program.len()).map_err(|_| libc::E2BIG)?;
    let program = Program { length, filter: program.as_ptr() };
    // SAFETY: the structure is the kernel's `sock_fprog`, and points to as many instructions as it tells.
    let result = unsafe {
        libc::syscall(libc::SYS_seccomp, c_long::from(libc::SECCOMP_SET_MODE_FILTER), 0, &raw const program)
    };
    did(result).map(drop)
}

/// Lets this network reach itself.
pub(super) fn raise_loopback() -> Did<()> {
    // SAFETY: takes numbers; a request for an interface is plain data, for which zeroes are a value, and is written and read in place.
    unsafe {
        let socket = fd(c_long::from(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0)))?;
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l'.cast_signed() as libc::c_char;
        request.ifr_name[1] = b'o'.cast_signed() as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let result = did(c_long::from(libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request)));
        libc::close(socket);
        result.map(drop)
    }
}

/// Forgets what is in a range of memory: it reads as zeroes from here on, and the process that it was copied from need not copy it
/// when it writes.
pub(super) fn forget(from: usize, length: usize) {
    // SAFETY: the caller names memory that this process does not use again.
    unsafe { libc::madvise(from as *mut c_void, length, libc::MADV_DONTNEED) };
}
