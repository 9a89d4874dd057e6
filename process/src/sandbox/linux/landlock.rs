//! Where may be read and written, as rules of Landlock. They name what is allowed; what lies beside it is not.
//!
//! To leave a hidden folder out, its neighbours are allowed one by one, all the way from the root: what is made beside them later is
//! not readable before the next set of rules. That is for folders of the user's that do not change much; in the workspace, which
//! does, mounts hide what is secret.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};

/// The version that the rules below were written for; an older kernel takes what it knows.
const KNOWN: ABI = ABI::V6;
/// Devices that programs use.
const DEVICES: [&str; 11] =
    ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "console", "kvm", "dxg", "kfd"];
/// Folders and families of devices that programs use: to compute, and nothing that stores.
const DEVICE_FAMILIES: [&str; 4] = ["dri", "nvidia", "accel", "mali"];

/// What the rules are made of; equal, the rules are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    pub(super) writable: Vec<PathBuf>,
    /// Not readable, outside what is writable.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// Whether processes outside must be kept from our signals.
    pub(super) guards_signals: bool,
}

/// Rights to what there is only when the command starts: the room's list of processes, its terminals and its caches.
pub(super) fn late(caches: &[PathBuf]) -> Vec<(CString, u64)> {
    let own = [("/proc", reading()), ("/dev/pts", device() | AccessFs::ReadDir)];
    let own = own.map(|(path, rights)| (PathBuf::from(path), rights));
    let all = own.into_iter().chain(caches.iter().map(|path| (path.clone(), writing())));
    all.filter_map(|(path, rights)| {
        Some((CString::new(path.into_os_string().into_vec()).ok()?, rights.bits() & known().bits()))
    })
    .collect()
}

/// Of the rights, those that this kernel knows.
fn known() -> BitFlags<AccessFs> {
    let version = match super::sys::landlock_version() {
        None => ABI::Unsupported,
        Some(1) => ABI::V1,
        Some(2) => ABI::V2,
        Some(3 | 4) => ABI::V3,
        Some(_) => KNOWN,
    };
    AccessFs::from_all(version)
}

fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(KNOWN) & !(AccessFs::MakeBlock | AccessFs::MakeChar)
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(KNOWN)
}

fn device() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
}

/// Makes the rules. None where the kernel has no Landlock.
pub(super) fn rules(wanted: &Wanted) -> io::Result<Option<OwnedFd>> {
    let made = || -> Result<RulesetCreated, landlock::RulesetError> {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(KNOWN))?
            .scope(Scope::AbstractUnixSocket)?;
        if wanted.guards_signals {
            rules = rules.scope(Scope::Signal)?;
        }
        let mut rules = rules.create()?;
        allow(&mut rules, Path::new("/"), AccessFs::ReadDir.into())?;
        let mut hidden = wanted.hidden.clone();
        hidden.insert("/dev".into());
        allow_around(&mut rules, Path::new("/"), &hidden)?;
        for name in DEVICES {
            allow(&mut rules, &Path::new("/dev").join(name), device())?;
        }
        for entry in std::fs::read_dir("/dev").into_iter().flatten().flatten() {
            let name = entry.file_name();
            if DEVICE_FAMILIES.iter().any(|family| name.to_string_lossy().starts_with(family)) {
                allow(&mut rules, &entry.path(), device() | AccessFs::ReadDir)?;
            }
        }
        for folder in &wanted.writable {
            allow(&mut rules, folder, writing())?;
        }
        Ok(rules)
    };
    made().map(Option::from).map_err(|error| match source(&error) {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::other(error.to_string()),
    })
}

fn source(error: &landlock::RulesetError) -> Option<i32> {
    let mut error: Option<&dyn std::error::Error> = Some(error);
    while let Some(here) = error {
        if let Some(system) = here.downcast_ref::<io::Error>() {
            return system.raw_os_error();
        }
        error = here.source();
    }
    None
}

/// Allows reading all in a folder but what is hidden in it.
fn allow_around(
    rules: &mut RulesetCreated,
    folder: &Path,
    hidden: &BTreeSet<PathBuf>,
) -> Result<(), landlock::RulesetError> {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if hidden.contains(&path) || entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            continue;
        }
        if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            allow_around(rules, &path, hidden)?;
        } else {
            allow(rules, &path, reading())?;
        }
    }
    Ok(())
}

/// Allows something in a folder, or for a file as much of it as files have. What cannot be opened needs no rule.
fn allow(
    rules: &mut RulesetCreated,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<(), landlock::RulesetError> {
    let Ok(open) = PathFd::new(path) else { return Ok(()) };
    let is_folder = path.is_dir();
    let rights = if is_folder { rights } else { rights & AccessFs::from_file(KNOWN) };
    rules.add_rule(PathBeneath::new(open, rights)).map(drop)
}
