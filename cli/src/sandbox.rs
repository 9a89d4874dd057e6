//! The sandbox as this program sets it up: whose word counts, and what is told of it.

use std::path::{Path, PathBuf};

use hookspec_agent::paths::Paths;
use hookspec_agent::sandbox::SandboxSettings;
use hookspec_process::sandbox::{Network, Profile, support};
use serde::Deserialize;

use crate::output::{self, DIM, paint};
use crate::settings::SettingsError;

/// What a file says of the sandbox.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    file: PathBuf,
    /// Whether it is a project's, which may close and not open.
    is_project: bool,
    settings: SandboxSettings,
}

/// `[sandbox]` of a file, if it has one. That the file is TOML was seen already.
pub(crate) fn said(file: &Path, is_project: bool, text: &str) -> Result<Option<Said>, SettingsError> {
    #[derive(Deserialize)]
    struct Whole {
        sandbox: Option<SandboxSettings>,
    }
    let whole: Whole = toml::from_str(text).map_err(|error| SettingsError::Sandbox {
        file: file.display().to_string(),
        why: error.message().to_owned(),
    })?;
    Ok(whole.sandbox.map(|settings| Said { file: file.to_owned(), is_project, settings }))
}

/// All of it: what the user says, in order, and then what projects close of it. With what does not count.
pub(crate) fn together(all: &[Said]) -> (SandboxSettings, Vec<String>) {
    let users = all.iter().filter(|said| !said.is_project);
    let users = users.fold(SandboxSettings::default(), |before, said| before.with(&said.settings));
    all.iter().filter(|said| said.is_project).fold((users, Vec::new()), |(before, mut warnings), said| {
        let (after, refused) = before.tightened_by(&said.settings);
        warnings.extend(refused.into_iter().map(|key| {
            format!(
                "`{key}` under `[sandbox]` in {} does not count: a project may close what you leave open, and opens nothing; where you want it, say it in your own hookspec.toml",
                said.file.display()
            )
        }));
        (after, warnings)
    })
}

/// What is this program's own is written by it alone, also where it lies in the workspace: what the user trusts, what the sandbox
/// may do, what was said and what hooks remember.
pub(crate) fn around_our_own(mut settings: SandboxSettings, paths: &Paths) -> SandboxSettings {
    let Paths { config_dir, data_dir, logs_dir, state_dir } = paths;
    for own in [config_dir, data_dir, logs_dir, state_dir] {
        settings.protected.push(own.clone());
    }
    settings
}

/// The option `--sandbox`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SandboxOption {
    /// What commands may do: read-only, workspace (as it is unless said) or full, where nothing is held back. Counts over all
    /// files, a project's too.
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    sandbox: Option<Profile>,
}

fn profile(text: &str) -> Result<Profile, String> {
    [Profile::ReadOnly, Profile::Workspace, Profile::Full]
        .into_iter()
        .find(|profile| profile.to_string() == text)
        .ok_or_else(|| "the profiles are read-only, workspace and full".to_owned())
}

impl SandboxOption {
    /// The settings with what the option says over them.
    pub(crate) fn over(&self, settings: &SandboxSettings) -> SandboxSettings {
        settings.clone().with(&SandboxSettings { profile: self.sandbox, ..SandboxSettings::default() })
    }
}

/// The sandbox in a few words: its profile, and what else is not as usual.
pub(crate) fn in_words(settings: &SandboxSettings) -> String {
    match (settings.profile(), settings.network()) {
        (Profile::Full, _) => "no sandbox (profile full)".to_owned(),
        (profile, Network::On) => format!("sandbox {profile}"),
        (profile, network) => format!("sandbox {profile}, network {network}"),
    }
}

/// What this system cannot hold of it, a sentence each; nothing where nothing is to be held.
pub(crate) fn missing(settings: &SandboxSettings) -> &'static [String] {
    if settings.profile() == Profile::Full { &[] } else { support().missing() }
}

/// Tells the person what is not held.
pub(crate) fn warn(settings: &SandboxSettings) {
    for sentence in missing(settings) {
        output::warning(format!("the sandbox is not whole here: {sentence}"));
    }
}

/// Tells the person what there is, for a host that says nothing else of its sessions.
pub(crate) fn tell(settings: &SandboxSettings) {
    warn(settings);
    output::note(paint(DIM, in_words(settings)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, is_project: bool) -> Said {
        said(Path::new("hookspec.toml"), is_project, text).unwrap().unwrap()
    }

    #[test]
    fn the_users_word_counts_whatever_the_order_and_a_projects_only_closes() {
        let mine = of("[sandbox]\nnetwork = 'off'\nwrite = ['/srv']", false);
        let projects =
            of("[sandbox]\nprofile = 'read-only'\nnetwork = 'on'\nwrite = ['/']\nshow = ['.env']", true);
        let named = of("[sandbox]\nprofile = 'full'", false);
        let (settings, warnings) = together(&[mine.clone(), projects.clone()]);
        assert_eq!((settings.profile(), settings.network()), (Profile::ReadOnly, Network::Off));
        assert_eq!(settings.write, [PathBuf::from("/srv")]);
        let told = warnings.join("\n");
        assert!(warnings.len() == 3 && told.contains("`network`") && told.contains("`show`"), "{told}");
        // What the user names on the command line is read later, and is the user's all the same.
        let (settings, _) = together(&[mine, projects, named]);
        assert_eq!(
            settings.profile(),
            Profile::ReadOnly,
            "a project closes what any of the user's files opens"
        );
        let over = SandboxOption { sandbox: Some(Profile::Full) }.over(&settings);
        assert_eq!(over.profile(), Profile::Full, "the last word is the user's");
    }

    #[test]
    fn mistakes_name_the_file_and_the_key() {
        for wrong in ["[sandbox]\nprofil = 'full'", "[sandbox]\nprofile = 'open'", "sandbox = 'full'"] {
            let error = said(Path::new("/x/hookspec.toml"), false, wrong).unwrap_err().to_string();
            assert!(error.starts_with("/x/hookspec.toml: `[sandbox]`: "), "{error}");
        }
        assert!(said(Path::new("x"), true, "[hooks]\nallow = []").unwrap().is_none());
        assert!(profile("fully").is_err() && profile("read-only") == Ok(Profile::ReadOnly));
    }

    #[test]
    fn words() {
        let words = |text: &str| in_words(&of(text, false).settings);
        assert_eq!(words("[sandbox]"), "sandbox workspace");
        assert_eq!(words("[sandbox]\nnetwork = 'loopback'"), "sandbox workspace, network loopback");
        assert_eq!(words("[sandbox]\nprofile = 'full'\nnetwork = 'off'"), "no sandbox (profile full)");
        assert!(missing(&of("[sandbox]\nprofile = 'full'", false).settings).is_empty());
    }
}
