//! How much a sandbox leaves open, and what a yes opens.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What may be written, and whether secrets can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Only the temporary folder is written; secrets are hidden.
    ReadOnly,
    /// The workspace and the temporary folder are written, but not what decides which programs run later; secrets are hidden.
    #[default]
    Workspace,
    /// Nothing is held back. What runs still ends with its [`Leash`](super::Leash).
    Full,
}

/// What can be reached over the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// Nothing.
    Off,
    /// What was started in the same sandbox.
    Loopback,
    /// All: package managers and git need it.
    #[default]
    On,
}

/// Something that a sandbox holds back, and that a yes opens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Grant {
    /// To read a file, or all in a folder.
    Read(PathBuf),
    /// To read and write a file, or all in a folder.
    Write(PathBuf),
    /// The whole network.
    Network,
    /// To see a variable of our environment.
    Variable(String),
    /// All, as [`Profile::Full`] does.
    Everything,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadOnly => "read-only",
            Self::Workspace => "workspace",
            Self::Full => "full",
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::Loopback => "loopback",
            Self::On => "on",
        })
    }
}

/// In words, as in "it needs to read `.env`"; what a name hides is written out.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &PathBuf| crate::visible_line(&path.to_string_lossy());
        match self {
            Self::Read(path) => write!(f, "read `{}`", shown(path)),
            Self::Write(path) => write!(f, "write `{}`", shown(path)),
            Self::Network => f.write_str("use the network"),
            Self::Variable(name) => write!(f, "see the variable `{}`", crate::visible_line(name)),
            Self::Everything => f.write_str("run outside the sandbox"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(Grant::Read(".env".into()).to_string(), "read `.env`");
        assert_eq!(Grant::Write("a\u{1b}\nb".into()).to_string(), r"write `a\u{1b}\nb`");
        assert_eq!(
            (Profile::ReadOnly.to_string(), Network::Loopback.to_string()),
            ("read-only".into(), "loopback".into())
        );
        #[derive(Deserialize)]
        struct Section {
            profile: Profile,
            network: Network,
        }
        let read: Section = toml::from_str("profile = 'read-only'\nnetwork = 'off'").unwrap();
        assert_eq!((read.profile, read.network), (Profile::ReadOnly, Network::Off));
        assert!(
            Profile::ReadOnly < Profile::Workspace && Profile::Workspace < Profile::Full,
            "strict comes first"
        );
    }
}
