//! What a sandbox holds back, as a question about a path: the same for programs that run in it and for tools of our own process.

use std::path::{Path, PathBuf};

use crate::sensitive::{self, Pattern};

use super::profile::{Grant, Network, Profile};

/// What the user said.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) profile: Profile,
    pub(super) network: Network,
    /// Without links in it.
    pub(super) workspace: PathBuf,
    pub(super) writable: Vec<PathBuf>,
    pub(super) shown: Vec<Pattern>,
    pub(super) protected: Vec<PathBuf>,
    pub(super) hidden: Vec<PathBuf>,
    pub(super) variables: Vec<String>,
    pub(super) is_required: bool,
    pub(super) without: Vec<super::Part>,
    pub(super) grants: Vec<Grant>,
}

impl Rules {
    pub(super) fn new(profile: Profile, workspace: &Path) -> Self {
        Self {
            profile,
            network: Network::default(),
            workspace: real(workspace),
            writable: Vec::new(),
            shown: Vec::new(),
            protected: Vec::new(),
            hidden: Vec::new(),
            variables: Vec::new(),
            is_required: false,
            without: Vec::new(),
            grants: Vec::new(),
        }
    }

    /// Whether all is open.
    pub(super) fn is_open(&self) -> bool {
        self.profile == Profile::Full || self.grants.contains(&Grant::Everything)
    }

    pub(super) fn network(&self) -> Network {
        if self.grants.contains(&Grant::Network) { Network::On } else { self.network }
    }

    /// Whether a yes opened it for reading, it or a folder above it.
    pub(super) fn is_granted_to_read(&self, path: &Path) -> bool {
        self.grants.iter().any(|grant| match grant {
            Grant::Read(open) | Grant::Write(open) => path.starts_with(self.absolute(open)),
            _ => false,
        })
    }

    pub(super) fn is_granted_to_write(&self, path: &Path) -> bool {
        self.grants.iter().any(|grant| match grant {
            Grant::Write(open) => path.starts_with(self.absolute(open)),
            _ => false,
        })
    }

    /// Whether a yes opened something within a folder, but not all of it.
    pub(super) fn grants_below(&self, folder: &Path) -> bool {
        self.grants.iter().any(|grant| match grant {
            Grant::Read(open) | Grant::Write(open) => is_below(&self.absolute(open), folder),
            _ => false,
        })
    }

    pub(super) fn grants_writing_below(&self, folder: &Path) -> bool {
        self.grants
            .iter()
            .any(|grant| matches!(grant, Grant::Write(open) if is_below(&self.absolute(open), folder)))
    }

    /// A relative path begins in the workspace.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        real(&self.workspace.join(path))
    }

    /// Whether the configuration says that it is no secret.
    pub(super) fn is_shown(&self, path: &Path) -> bool {
        !self.shown.is_empty() && {
            let parts = sensitive::lowered(path);
            self.shown.iter().any(|pattern| pattern.fits(&parts))
        }
    }

    /// Where may be written, without links; the temporary folders included.
    pub(super) fn writable(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = temporary();
        if self.profile != Profile::ReadOnly {
            all.push(self.workspace.clone());
        }
        all.extend(self.writable.iter().map(|path| self.absolute(path)));
        for grant in &self.grants {
            if let Grant::Write(path) = grant {
                all.push(self.absolute(path));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    pub(super) fn forbids_reading(&self, path: &Path) -> bool {
        !self.is_open() && !self.is_granted_to_read(&real(&self.workspace.join(path))) && self.is_secret(path)
    }

    fn is_secret(&self, path: &Path) -> bool {
        let written = self.workspace.join(path);
        let real = real(&written);
        if self.hidden.iter().any(|hidden| real.starts_with(self.absolute(hidden))) {
            return true;
        }
        [&written, &real].into_iter().any(|path| {
            (sensitive::holds_secret(path) || in_secret_home(path))
                && !self.is_shown(&written)
                && !self.is_shown(&real)
        })
    }

    pub(super) fn forbids_writing(&self, path: &Path) -> bool {
        if self.is_open() {
            return false;
        }
        let written = self.workspace.join(path);
        let real = real(&written);
        if self.is_granted_to_write(&real) {
            return false;
        }
        !self.writable().iter().any(|open| real.starts_with(open))
            || self.protects(&real).is_some()
            || self.protects(&written).is_some()
            || real.exists() && self.is_secret(path)
    }

    /// Why a path is not written although it lies where may be written.
    pub(super) fn protects(&self, path: &Path) -> Option<&'static str> {
        if self.is_granted_to_write(path) {
            return None;
        }
        if self.protected.iter().any(|own| path.starts_with(self.absolute(own))) {
            return Some("is hookspec's own");
        }
        sensitive::protected(path, &self.workspace)
    }
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path != folder && path.starts_with(folder)
}

/// The temporary folders, without links.
pub(super) fn temporary() -> Vec<PathBuf> {
    let all = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
    let mut all: Vec<PathBuf> = all.iter().filter(|path| path.is_dir()).map(|path| real(path)).collect();
    all.sort();
    all.dedup();
    all
}

/// A path without links, as far as it exists; `..` of what does not exist is taken off.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => real(above).join(name),
        (Some(above), None) => real(above).parent().map(Path::to_owned).unwrap_or_default(),
        (None, _) => path.to_owned(),
    }
}

/// Whether it lies in a folder of a home of which nothing is shown.
fn in_secret_home(path: &Path) -> bool {
    let Some(home) = std::env::home_dir() else { return false };
    let folders = &sensitive::table().home.folders;
    path.starts_with(&home) && folders.iter().any(|folder| path.starts_with(home.join(folder)))
}
