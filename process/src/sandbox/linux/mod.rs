//! The sandbox on Linux: namespaces hide, Landlock says where is written, seccomp refuses what leads around both.
//!
//! All that a command needs is prepared here, in our process, where there is memory; [`child`] does it between fork and exec.
//!
//! ```text
//! sys        the system calls               room       the namespaces of a sandbox, and who holds them
//! child      from the fork to the program   supervise  who waits for the command, and who ends what is left
//! program    what is run, made ready
//! plan       what one command will find     walk       secrets in a workspace   homes  secrets and doors elsewhere
//! known      secrets that are moved
//! landlock   where may be written           filter     which calls are refused  repository  what of `.git` runs programs
//! caches     what package managers write   appeared   what was made that would run later
//! ```

mod appeared;
mod caches;
mod child;
mod filter;
mod homes;
mod known;
mod landlock;
mod leash;
mod plan;
mod program;
mod repository;
mod room;
mod supervise;
mod sys;
mod walk;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::rules::Rules;
use super::{Network, Part, SandboxError, Support};
use caches::Caches;
use child::Call;
use homes::Elsewhere;
use known::Known;
use landlock::Wanted;
pub(super) use leash::Held;
use plan::Has;
use program::Ready;
use room::{Kind, Room};
use walk::Walk;

/// What the commands of a sandbox share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    rooms: Mutex<HashMap<Kind, Arc<Room>>>,
    walks: Mutex<Vec<Walk>>,
    elsewhere: Mutex<Option<Elsewhere>>,
    known: Mutex<Known>,
    last: Mutex<Option<Last>>,
}

/// The rules of the last command, which the next one mostly has too.
#[derive(Debug)]
struct Last {
    wanted: Wanted,
    /// When the folders changed around which the rules were made.
    times: BTreeMap<PathBuf, Option<SystemTime>>,
    rules: Option<Arc<OwnedFd>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn system(doing: &'static str) -> impl Fn(io::Error) -> SandboxError {
    move |source| SandboxError::System { doing, source }
}

/// Confines a command.
pub(super) fn confine(
    rules: &Arc<Rules>,
    shared: &Arc<Shared>,
    command: &mut Command,
) -> Result<Held, SandboxError> {
    let (ours, theirs) = UnixStream::pair().map_err(system("a pair of sockets"))?;
    let theirs = OwnedFd::from(theirs);
    let is_taken = Arc::new(AtomicBool::new(false));
    let mut call = Call {
        leash: theirs.as_raw_fd(),
        is_taken: Arc::clone(&is_taken),
        room: None,
        is_in_network: false,
        changes: Vec::new(),
        rules: None,
        late: Vec::new(),
        filter: &[],
        program: None,
        is_open: rules.is_open(),
    };
    let mut protected = None;
    if !call.is_open {
        let has = |part: Part| super::support().has(part) && !rules.without.contains(&part);
        if has(Part::Namespaces) {
            let kind = Kind { network: rules.network, is_read_only: !has(Part::Landlock) };
            call.room = Some(shared.room(rules, kind)?);
        }
        let plan = shared.plan(rules, Has { room: call.room.as_deref(), landlock: has(Part::Landlock) });
        if has(Part::Landlock) {
            call.rules = shared.rules(&plan.wanted)?;
        }
        if let Some(room) = &call.room {
            call.late = landlock::late(room.caches());
        }
        call.is_in_network = rules.network() != Network::On;
        if has(Part::Seccomp) {
            call.filter = filter::filter(call.is_in_network && call.room.is_none());
        }
        // Of what is open, not all variables are set on the command: some may be ours.
        call.program = Ready::new(command);
        call.changes = plan.changes;
        protected = Some(plan.protected);
    }
    let room = call.room.clone();
    let theirs = Arc::new(Mutex::new(Some(theirs)));
    let kept = Arc::clone(&theirs);
    let enter = move || {
        let _ = &kept;
        call.enter()
    };
    #[allow(unsafe_code, reason = "what runs between fork and exec is given to std so")]
    // SAFETY: `enter` allocates nothing and takes no lock, as its module says.
    unsafe {
        command.pre_exec(enter)
    };
    let after = protected.map(|before| appeared::After::new(rules, shared, before));
    Ok(Held::new(ours, theirs, is_taken, room, after))
}

impl Shared {
    fn room(&self, rules: &Rules, kind: Kind) -> Result<Arc<Room>, SandboxError> {
        let mut rooms = locked(&self.rooms);
        if let Some(room) = rooms.get(&kind) {
            return Ok(Arc::clone(room));
        }
        let room = Room::open(kind, Caches::of(rules))
            .map_err(|(doing, source)| SandboxError::System { doing, source })?;
        Ok(Arc::clone(rooms.entry(kind).or_insert(Arc::new(room))))
    }

    fn plan(&self, rules: &Rules, has: Has<'_>) -> plan::Plan {
        let mut walks = locked(&self.walks);
        // The workspace, and what else the user opened: there too the programs' own new files may be secrets.
        let roots = [rules.workspace.clone()]
            .into_iter()
            .chain(rules.writable.iter().map(|path| rules.absolute(path)));
        for root in roots {
            if root.is_dir() && !walks.iter().any(|walk| root.starts_with(walk.root())) {
                walks.push(Walk::new(&root));
            }
        }
        let mut elsewhere = locked(&self.elsewhere);
        let elsewhere = match elsewhere.take().filter(Elsewhere::is_current) {
            Some(current) => elsewhere.insert(current),
            None => elsewhere.insert(Elsewhere::new()),
        };
        plan::plan(rules, &mut walks, elsewhere, &mut locked(&self.known), has)
    }

    /// Rules for what is wanted: the last ones, if they are the same and the folders that they go around have not changed.
    fn rules(&self, wanted: &Wanted) -> Result<Option<Arc<OwnedFd>>, SandboxError> {
        let around: BTreeSet<&Path> =
            wanted.hidden.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        let changed = |folder: &Path| std::fs::metadata(folder).and_then(|data| data.modified()).ok();
        let times: BTreeMap<_, _> =
            around.into_iter().map(|folder| (folder.to_owned(), changed(folder))).collect();
        let mut last = locked(&self.last);
        if let Some(last) = last.as_ref().filter(|last| last.wanted == *wanted && last.times == times) {
            return Ok(last.rules.clone());
        }
        let rules = landlock::rules(wanted).map_err(system("rules for writing"))?.map(Arc::new);
        *last = Some(Last { wanted: wanted.clone(), times, rules: rules.clone() });
        Ok(rules)
    }
}

/// Tries what this system can do.
pub(super) fn try_support() -> Support {
    let mut support = Support::default();
    match Room::open(Kind { network: Network::Loopback, is_read_only: true }, Caches::default()) {
        Ok(_) => support.holds(
            Part::Namespaces,
            "Secrets in the workspace and the home folder cannot be read, what decides which programs run later cannot be written, \
             and all that a command starts ends with its session.",
        ),
        Err((doing, error)) => support.lacks(format!(
            "Secrets in the workspace can be read by commands, and daemons may outlive the session: this system refuses {doing} \
             ({error}). In a container, start it with `--security-opt seccomp=unconfined` or as a user who may make namespaces; on \
             Ubuntu, allow them by an AppArmor profile or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
        )),
    }
    match sys::landlock_version() {
        Some(version) => {
            support.holds(Part::Landlock, "Nothing is written outside the workspace and the temporary folder.");
            if version < 3 {
                support.lacks("Files outside the workspace can be emptied, though not written: Landlock can refuse that from Linux 6.2 on.".to_owned());
            }
            if version < 6 {
                support.lacks("Sockets without a file can be reached, as some desktops have them: Landlock can refuse that from Linux 6.12 on.".to_owned());
            }
        }
        None => support.lacks(
            "Commands can write wherever the user can: this kernel has no Landlock, or it is off. It is there from Linux 5.13 on, and \
             is turned on by `lsm=landlock,…` on the kernel's command line."
                .to_owned(),
        ),
    }
    if filter::filter(false).is_empty() || !sys::has_filters() {
        support.lacks(
            "System calls that lead around the sandbox are not refused: this system has no seccomp."
                .to_owned(),
        );
    } else {
        support.holds(Part::Seccomp, "System calls that lead around the rest are refused.");
    }
    support
}
