//! What happens between the fork of a command and its program: into the room, behind the covers, under the rules.
//!
//! Nothing here allocates or takes a lock: the process is a copy of one thread of ours, and whatever another thread was holding is held
//! for ever. All that needs memory was prepared in a [`Call`].

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};

use super::program::Ready;
use super::room::{COVER_FILE, COVER_FOLDER, Room};
use super::supervise;
use super::sys::{self, Did, Fork};

/// A file or folder, as it was when it was looked at. Without a number, whatever stands there is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) path: CString,
    pub(super) device: u64,
    pub(super) number: u64,
}

/// What a command finds other than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// A folder that cannot be replaced as a whole.
    Fixed,
    /// It can be written, where all else cannot.
    Writable,
    /// It cannot be written.
    ReadOnly,
    /// A folder that is empty.
    HiddenFolder,
    /// A file that does not open.
    HiddenFile,
}

/// A command to be.
#[derive(Debug)]
pub(super) struct Call {
    /// Its end of the leash.
    pub(super) leash: RawFd,
    /// Whether the leash took its end back: then it is too late to start.
    pub(super) is_taken: Arc<AtomicBool>,
    pub(super) room: Option<Arc<Room>>,
    /// Whether the network is the room's.
    pub(super) is_in_network: bool,
    pub(super) changes: Vec<(Place, Change)>,
    pub(super) rules: Option<Arc<OwnedFd>>,
    /// What can only be allowed once it is there, with the rights.
    pub(super) late: Vec<(CString, u64)>,
    pub(super) filter: &'static [seccompiler::sock_filter],
    /// The program, where it is known before it is started.
    pub(super) program: Option<Ready>,
    /// Whether all is open: then nothing but the leash is left.
    pub(super) is_open: bool,
}

/// What failed, told to the leash.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Step {
    Late = 1,
    Join,
    Fork,
    Apart,
    Changed,
    Cover,
    Folder,
    Rules,
    Filter,
    /// The program itself, which is no fault of the sandbox.
    Program,
}

impl Step {
    fn of(step: u8) -> Self {
        use Step::{Apart, Changed, Cover, Filter, Folder, Fork, Join, Late, Program, Rules};
        let all = [Late, Join, Fork, Apart, Changed, Cover, Folder, Rules, Filter, Program];
        all.into_iter().find(|known| *known as u8 == step).unwrap_or(Fork)
    }
}

pub(super) fn words(step: u8) -> &'static str {
    match step {
        1 => "the command was started twice, or after its leash was gone",
        2 => "the sandbox's namespaces could not be entered",
        3 => "a process could not be forked",
        4 => "mounts of its own were refused",
        5 => "a file that the sandbox hides or protects was moved while the command started; start it again",
        6 => "a secret could not be covered",
        7 => "the folder in which it was to run is not there any more",
        8 => "the rules for writing could not be set",
        _ => "the filter of system calls could not be set",
    }
}

type Went = Result<(), (Step, sys::Errno)>;

fn at(step: Step) -> impl Fn(sys::Errno) -> (Step, sys::Errno) {
    move |number| (step, number)
}

impl Call {
    /// Runs in the process that the program is to replace; comes back in another one.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.try_to_enter().map_err(|(step, number)| {
            let [a, b, c, d] = number.to_ne_bytes();
            if !matches!(step, Step::Late | Step::Program) {
                sys::write(self.leash, &[supervise::FAILED, step as u8, a, b, c, d]);
            }
            io::Error::from_raw_os_error(number)
        })
    }

    fn try_to_enter(&self) -> Went {
        if self.is_taken.load(Ordering::Relaxed) {
            return Err((Step::Late, libc::EBADF));
        }
        sys::block_signals();
        sys::expect_children();
        let mut room_for_folder = [0; 4096];
        let folder = sys::current_folder(&mut room_for_folder).map_err(at(Step::Folder))?;
        self.join().map_err(at(Step::Join))?;
        let (status, told) = sys::pipe().map_err(at(Step::Fork))?;
        match &self.program {
            Some(program) => self.start_beside(program, folder, status, told),
            None => self.start(folder, status, told),
        }
    }

    /// The supervisor and the command as copies of this process: the command comes back from here.
    fn start(&self, folder: &CStr, status: RawFd, told: RawFd) -> Went {
        // A child of ours, so that we wait for it: whoever adopts orphans here may not, and until then its room could not end.
        if let Fork::Parent(supervisor) = sys::fork(libc::CLONE_PARENT).map_err(at(Step::Fork))? {
            self.introduce(supervisor);
            supervise::monitor(supervisor, status);
        }
        sys::close(status);
        self.prepare(folder)?;
        if let Fork::Parent(command) = sys::fork(0).map_err(at(Step::Fork))? {
            supervise::supervise(command, self.leash, told);
        }
        self.settle()?;
        sys::unblock_signals();
        Ok(())
    }

    /// The supervisor and the command beside this process, in the same memory: nobody comes back, unless it failed.
    fn start_beside(&self, program: &Ready, folder: &CStr, status: RawFd, told: RawFd) -> Went {
        let beside = Beside {
            call: self,
            program,
            folder,
            status,
            told,
            step: AtomicU8::new(0),
            number: AtomicI32::new(0),
        };
        let given = (&raw const beside).cast_mut().cast();
        let supervisor = sys::fork_beside(libc::CLONE_PARENT, program.supervisor_stack(), supervisor, given);
        let supervisor = supervisor.map_err(at(Step::Fork))?;
        sys::close(told);
        self.introduce(supervisor);
        let mut word = [0];
        if sys::read(status, &mut word) == Ok(1) && word[0] == supervise::STARTED {
            supervise::monitor(supervisor, status);
        }
        Err((Step::of(beside.step.load(Ordering::Acquire)), beside.number.load(Ordering::Acquire)))
    }

    fn introduce(&self, supervisor: libc::pid_t) {
        let [a, b, c, d] = supervisor.to_ne_bytes();
        sys::write(self.leash, &[supervise::IS, a, b, c, d]);
    }

    /// What the supervisor does before the command.
    fn prepare(&self, folder: &CStr) -> Went {
        sys::new_session();
        sys::adopt().map_err(at(Step::Fork))?;
        if self.room.is_some() {
            sys::unshare(libc::CLONE_NEWNS).map_err(at(Step::Apart))?;
            for (place, change) in &self.changes {
                apply(place, *change)?;
            }
            sys::change_folder(folder).map_err(at(Step::Folder))?;
        }
        self.allow_late().map_err(at(Step::Rules))?;
        sys::close_to_others().map_err(at(Step::Fork))
    }

    /// What the command does before its program.
    fn settle(&self) -> Went {
        sys::new_session();
        self.obey()?;
        sys::end_with_parent().map_err(at(Step::Fork))?;
        sys::close_on_exec();
        Ok(())
    }

    fn join(&self) -> Did<()> {
        let Some(room) = &self.room else { return Ok(()) };
        // The users first: they are what allows the rest.
        sys::setns(room.users.as_raw_fd(), libc::CLONE_NEWUSER)?;
        sys::setns(room.messages.as_raw_fd(), libc::CLONE_NEWIPC)?;
        if let Some(network) = room.network.as_ref().filter(|_| self.is_in_network) {
            sys::setns(network.as_raw_fd(), libc::CLONE_NEWNET)?;
        }
        sys::setns(room.processes.as_raw_fd(), libc::CLONE_NEWPID)?;
        sys::setns(room.mounts.as_raw_fd(), libc::CLONE_NEWNS)
    }

    fn allow_late(&self) -> Did<()> {
        let Some(rules) = &self.rules else { return Ok(()) };
        for (path, rights) in &self.late {
            // What is not there cannot be used either.
            let Ok((place, ..)) = sys::open_place(path) else { continue };
            let allowed = sys::allow_beneath(rules.as_raw_fd(), *rights, place);
            sys::close(place);
            allowed?;
        }
        Ok(())
    }

    fn obey(&self) -> Went {
        if self.is_open {
            return Ok(());
        }
        sys::no_new_privileges().map_err(at(Step::Rules))?;
        if self.room.is_some() {
            sys::drop_capabilities();
        }
        if let Some(rules) = &self.rules {
            sys::obey(rules.as_raw_fd()).map_err(at(Step::Rules))?;
        }
        if !self.filter.is_empty() {
            sys::filter(self.filter).map_err(at(Step::Filter))?;
        }
        Ok(())
    }
}

/// What the processes share that stand beside each other in one memory.
struct Beside<'a> {
    call: &'a Call,
    program: &'a Ready,
    folder: &'a CStr,
    status: RawFd,
    told: RawFd,
    step: AtomicU8,
    number: AtomicI32,
}

impl Beside<'_> {
    fn fails(&self, (step, number): (Step, sys::Errno)) {
        self.number.store(number, Ordering::Release);
        self.step.store(step as u8, Ordering::Release);
    }

    fn of<'a>(given: *mut libc::c_void) -> &'a Self {
        #[allow(unsafe_code, reason = "what a new process is given is a pointer")]
        // SAFETY: it is the one that `start_beside` made, which waits until nobody uses it, or never leaves its place.
        unsafe {
            &*given.cast_const().cast()
        }
    }
}

extern "C" fn supervisor(given: *mut libc::c_void) -> libc::c_int {
    let beside = Beside::of(given);
    sys::close(beside.status);
    if let Err(failure) = beside.call.prepare(beside.folder) {
        beside.fails(failure);
        return 1;
    }
    // Comes back when the command is a program, or is not.
    match sys::fork_beside(libc::CLONE_VFORK, beside.program.command_stack(), command, given) {
        Ok(_) if beside.step.load(Ordering::Acquire) != 0 => 1,
        Ok(pid) => {
            sys::write(beside.told, &[supervise::STARTED]);
            supervise::supervise(pid, beside.call.leash, beside.told)
        }
        Err(number) => {
            beside.fails((Step::Fork, number));
            1
        }
    }
}

extern "C" fn command(given: *mut libc::c_void) -> libc::c_int {
    let beside = Beside::of(given);
    if let Err(failure) = beside.call.settle() {
        beside.fails(failure);
        return 1;
    }
    sys::forget_handlers();
    sys::unblock_signals();
    beside.fails((Step::Program, beside.program.run()));
    1
}

/// Changes a place, if it is still the file that was looked at: its folder may have been moved and another put there.
fn apply(place: &Place, change: Change) -> Went {
    let (open, device, number) = sys::open_place(&place.path).map_err(at(Step::Changed))?;
    if place.number != 0 && (device, number) != (place.device, place.number) {
        return Err((Step::Changed, libc::ESTALE));
    }
    let tree = match change {
        Change::HiddenFile => sys::copy_tree(libc::AT_FDCWD, COVER_FILE),
        Change::HiddenFolder => sys::copy_tree(libc::AT_FDCWD, COVER_FOLDER),
        Change::Fixed | Change::Writable | Change::ReadOnly => sys::copy_tree(open, c""),
    };
    let tree = tree.map_err(at(Step::Cover))?;
    if change == Change::ReadOnly {
        sys::restrict_mount(tree, c"", sys::READ_ONLY).map_err(at(Step::Cover))?;
    }
    if change == Change::Writable {
        sys::open_mount(tree).map_err(at(Step::Cover))?;
    }
    sys::attach(tree, open).map_err(at(Step::Cover))?;
    sys::close(tree);
    sys::close(open);
    Ok(())
}
