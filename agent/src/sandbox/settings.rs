//! `[sandbox]` of `hookspec.toml`.

use std::path::{Path, PathBuf};

use hookspec_process::sandbox::{Network, Profile, Sandbox};
use serde::{Deserialize, Serialize};

/// What a person says of the sandbox. What is not said is the default of [`SandboxSettings::profile`] and so on.
///
/// ```
/// use hookspec_agent::sandbox::SandboxSettings;
/// use hookspec_process::sandbox::{Network, Profile};
///
/// let mine: SandboxSettings = toml::from_str("network = 'loopback'\nwrite = ['~/.cache']")?;
/// let projects: SandboxSettings = toml::from_str("profile = 'read-only'\nnetwork = 'on'")?;
/// let (both, refused) = mine.tightened_by(&projects);
/// assert_eq!((both.profile(), both.network()), (Profile::ReadOnly, Network::Loopback));
/// assert_eq!(refused, ["network"]);
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "snake_case")]
pub struct SandboxSettings {
    /// What commands may do.
    pub profile: Option<Profile>,
    /// Whom they may talk to.
    pub network: Option<Network>,
    /// What they may write beside the workspace and the temporary folder: files and folders; `~` is the home, the rest is
    /// relative to the workspace.
    pub write: Vec<PathBuf>,
    /// Globs of files that look like secrets and are none.
    pub show: Vec<String>,
    /// Variables that pass beside those that every program needs.
    pub environment: Vec<String>,
    /// What scripts may do that are hooks, and hooks of other agents; as `profile` unless said.
    pub scripts: Option<Profile>,
    /// Whether no command runs where this system cannot hold all of it.
    pub required: bool,
    /// What is never written, wherever it lies: the host's own files. Not for people to say.
    #[serde(skip)]
    pub protected: Vec<PathBuf>,
    /// What is not even read. Not for people to say.
    #[serde(skip)]
    pub hidden: Vec<PathBuf>,
}

impl SandboxSettings {
    /// What commands may do: `workspace` unless said.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile.unwrap_or(Profile::Workspace)
    }

    /// Whom they may talk to: everybody unless said.
    #[must_use]
    pub fn network(&self) -> Network {
        self.network.unwrap_or(Network::On)
    }

    /// What scripts may do.
    #[must_use]
    pub fn scripts(&self) -> Profile {
        self.scripts.unwrap_or_else(|| self.profile())
    }

    /// The same with what the user says later, or elsewhere: the later word counts, lists add up.
    #[must_use]
    pub fn with(mut self, later: &Self) -> Self {
        self.profile = later.profile.or(self.profile);
        self.network = later.network.or(self.network);
        self.scripts = later.scripts.or(self.scripts);
        self.write.extend(later.write.iter().cloned());
        self.show.extend(later.show.iter().cloned());
        self.environment.extend(later.environment.iter().cloned());
        self.required |= later.required;
        self
    }

    /// The same with what a project says, and the keys of what it says that do not count: a project may close what the user
    /// has left open, and open nothing.
    #[must_use]
    pub fn tightened_by(mut self, project: &Self) -> (Self, Vec<&'static str>) {
        let mut refused = Vec::new();
        if let Some(profile) = project.profile {
            match profile <= self.profile() {
                true => self.profile = Some(profile),
                false => refused.push("profile"),
            }
        }
        if let Some(network) = project.network {
            match network <= self.network() {
                true => self.network = Some(network),
                false => refused.push("network"),
            }
        }
        // After the profile: unless said, scripts have that.
        if let Some(scripts) = project.scripts {
            match scripts <= self.scripts() {
                true => self.scripts = Some(scripts),
                false => refused.push("scripts"),
            }
        }
        for (key, list) in [
            ("write", project.write.is_empty()),
            ("show", project.show.is_empty()),
            ("environment", project.environment.is_empty()),
        ] {
            if !list {
                refused.push(key);
            }
        }
        self.required |= project.required;
        (self, refused)
    }

    /// The sandbox that it describes, over a workspace.
    #[must_use]
    pub fn sandbox(&self, workspace: &Path) -> Sandbox {
        let sandbox = Sandbox::new(self.profile(), workspace)
            .network(self.network())
            .shown(&self.show)
            .variables(self.environment.iter().cloned())
            .required(self.required);
        let sandbox = self.writable(workspace).fold(sandbox, Sandbox::writable);
        let sandbox = self.protected.iter().fold(sandbox, Sandbox::protected);
        self.hidden.iter().fold(sandbox, Sandbox::hidden)
    }

    /// What may be written beside the workspace, as absolute paths.
    fn writable(&self, workspace: &Path) -> impl Iterator<Item = PathBuf> {
        self.write.iter().map(|path| match path.strip_prefix("~") {
            Ok(rest) => std::env::home_dir().map_or_else(|| path.clone(), |home| home.join(rest)),
            Err(_) => workspace.join(path),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> SandboxSettings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_is_not_said_is_the_default_and_what_is_misspelt_an_error() {
        let nothing = read("");
        assert_eq!((nothing.profile(), nothing.network()), (Profile::Workspace, Network::On));
        assert_eq!(nothing.scripts(), Profile::Workspace);
        assert_eq!(read("profile = 'read-only'").scripts(), Profile::ReadOnly);
        for wrong in ["profil = 'full'", "profile = 'open'", "network = true", "write = '~/x'"] {
            assert!(toml::from_str::<SandboxSettings>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_project_closes_and_never_opens() {
        let words = [
            ("", "profile = 'read-only'", "", Profile::ReadOnly, Network::On),
            ("", "profile = 'full'", "profile", Profile::Workspace, Network::On),
            ("profile = 'full'", "profile = 'workspace'", "", Profile::Workspace, Network::On),
            ("profile = 'read-only'", "profile = 'workspace'", "profile", Profile::ReadOnly, Network::On),
            ("network = 'off'", "network = 'loopback'", "network", Profile::Workspace, Network::Off),
            ("network = 'on'", "network = 'off'", "", Profile::Workspace, Network::Off),
            ("", "scripts = 'full'", "scripts", Profile::Workspace, Network::On),
            (
                "",
                "write = ['/']\nshow = ['.env']\nenvironment = ['X']",
                "write show environment",
                Profile::Workspace,
                Network::On,
            ),
        ];
        for (mine, projects, refused, profile, network) in words {
            let (both, said) = read(mine).tightened_by(&read(projects));
            assert_eq!(said.join(" "), refused, "{mine} {projects}");
            assert_eq!((both.profile(), both.network()), (profile, network), "{mine} {projects}");
            assert!(both.write.is_empty() && both.show.is_empty() && both.environment.is_empty());
            assert!(both.scripts() <= Profile::Workspace, "{mine} {projects}");
        }
        assert!(read("required = true").tightened_by(&read("required = false")).0.required);
        assert!(read("").tightened_by(&read("required = true")).0.required);
    }

    #[test]
    fn a_stricter_profile_holds_for_scripts_too_unless_the_user_freed_them() {
        let (both, _) = read("scripts = 'full'").tightened_by(&read("profile = 'read-only'"));
        assert_eq!((both.profile(), both.scripts()), (Profile::ReadOnly, Profile::Full));
        let (both, _) = read("").tightened_by(&read("profile = 'read-only'"));
        assert_eq!(both.scripts(), Profile::ReadOnly);
    }

    #[test]
    fn later_words_of_the_user_count_and_lists_add_up() {
        let both =
            read("profile = 'read-only'\nwrite = ['a']").with(&read("profile = 'full'\nwrite = ['/b']"));
        assert_eq!(both.profile(), Profile::Full);
        let paths: Vec<_> = both.writable(Path::new("/w")).collect();
        assert_eq!(paths, [PathBuf::from("/w/a"), PathBuf::from("/b")]);
    }
}
