//! Which settings git works with.
//!
//! None of a repository's own are read by the git that does the work. Those that say how its files are to be understood are handed
//! on by name, and there is no way for another to come along: a key that git gets next year is not handed on either.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// In force on every call, whoever set something else.
const OFF: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("sequence.editor", "false"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", ""),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("diff.ignoreSubmodules", "all"),
    ("submodule.recurse", "false"),
    ("log.showSignature", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("tag.forceSignAnnotated", "false"),
    ("rerere.enabled", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// Handed on from the repository's configuration and the user's: what says how files are stored, and who commits.
const KEPT: &[&str] = &[
    "author.email",
    "author.name",
    "committer.email",
    "committer.name",
    "core.abbrev",
    "core.autocrlf",
    "core.checkroundtripencoding",
    "core.checkstat",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.hidedotfiles",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.loosecompression",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
    "i18n.commitencoding",
    "index.sparse",
    "index.version",
    "user.email",
    "user.name",
    "user.useconfigonly",
];

/// Handed on from the user's configuration alone: files of theirs, and the programs that large-file storage needs.
fn is_kept_of_users(key: &str) -> bool {
    let filter = || {
        let name = key.strip_prefix("filter.")?;
        let (_, last) = name.rsplit_once('.')?;
        Some(matches!(last, "clean" | "smudge" | "process" | "required"))
    };
    matches!(key, "core.excludesfile" | "core.attributesfile")
        || key.starts_with("lfs.")
        || filter() == Some(true)
}

/// Whether a key of a driver names a program.
fn names_program(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or_default();
    match key.split('.').next() {
        Some("filter") => matches!(last, "clean" | "smudge" | "process"),
        Some("diff") => matches!(last, "command" | "textconv" | "external"),
        Some("merge") => last == "driver",
        _ => false,
    }
}

/// A repository's configuration, as far as it matters here.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    /// What is handed on, in order: the last of a name counts.
    kept: Vec<(String, OsString)>,
    /// Where the repository says that its files lie.
    pub(super) worktree: Option<PathBuf>,
    /// How its objects are named.
    pub(super) object_format: Option<String>,
    /// How its references are stored.
    pub(super) ref_storage: Option<String>,
    /// Settings of its own that name programs under names of its own.
    drivers: Vec<String>,
    /// Whether objects may be missing, because somebody promised to have them.
    pub(super) is_partial: bool,
}

impl Settings {
    /// Reads `config --list --show-scope --null`: scope, NUL, name, line break, value, NUL.
    pub(super) fn read(listed: &[u8]) -> Self {
        let mut settings = Self::default();
        let mut parts = listed.split(|byte| *byte == 0);
        while let (Some(scope), Some(setting)) = (parts.next(), parts.next()) {
            let end = setting.iter().position(|byte| *byte == b'\n').unwrap_or(setting.len());
            let (key, rest) = setting.split_at(end);
            let Ok(key) = std::str::from_utf8(key) else { continue };
            // A name alone is the same as `= true`.
            let value = OsString::from_vec(rest.get(1..).unwrap_or(b"true").to_owned());
            let of_users = matches!(scope, b"system" | b"global");
            if KEPT.contains(&key) || (of_users && is_kept_of_users(key)) {
                settings.kept.push((key.to_owned(), value));
            } else if matches!(scope, b"local" | b"worktree") {
                match key {
                    "core.worktree" => settings.worktree = Some(value.into()),
                    "extensions.objectformat" => settings.object_format = value.into_string().ok(),
                    "extensions.refstorage" => settings.ref_storage = value.into_string().ok(),
                    "extensions.partialclone" => settings.is_partial = true,
                    _ if names_program(key) => settings.drivers.push(key.to_owned()),
                    _ => settings.is_partial |= key.starts_with("remote.") && key.ends_with(".promisor"),
                }
            }
        }
        settings
    }

    /// As environment variables. Not as `-c name=value`: a name may hold a `=`.
    pub(super) fn variables(&self) -> Vec<(OsString, OsString)> {
        let kept = self.kept.iter().map(|(name, value)| (name.as_str(), value.as_os_str()));
        let off = OFF.iter().map(|(name, value)| (*name, value.as_ref()));
        let mut variables: Vec<(OsString, OsString)> = Vec::new();
        for (index, (name, value)) in kept.chain(off).enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{index}").into(), name.into()));
            variables.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
        }
        variables.push(("GIT_CONFIG_COUNT".into(), (self.kept.len() + OFF.len()).to_string().into()));
        variables
    }

    /// For a program that runs git by itself: as many of a repository's settings as can be overruled name no program.
    pub(super) fn shield(&self) -> Vec<(OsString, OsString)> {
        // It may have to fetch something.
        let off = OFF
            .iter()
            .filter(|(name, _)| !matches!(*name, "protocol.allow" | "core.askPass" | "credential.helper"));
        let drivers = self.drivers.iter().map(|name| (name.as_str(), ""));
        let mut variables: Vec<(OsString, OsString)> = Vec::new();
        for (index, (name, value)) in off.copied().chain(drivers).enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{index}").into(), name.into()));
            variables.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
        }
        variables.push(("GIT_CONFIG_COUNT".into(), (variables.len() / 2).to_string().into()));
        variables
    }

    /// The configuration file of a view: what only counts there.
    pub(super) fn file(&self) -> String {
        let mut text = String::from("[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n");
        for (name, value) in [("objectformat", &self.object_format), ("refstorage", &self.ref_storage)] {
            // Such words only: this is a text that git reads.
            if let Some(value) =
                value.as_ref().filter(|value| value.bytes().all(|b| b.is_ascii_alphanumeric()))
            {
                text.push_str(&format!("\t{name} = {value}\n"));
            }
        }
        if self.is_partial {
            // So that what is missing counts as promised. There is nobody of that name to ask.
            text.push_str("\tpartialclone = nobody\n[remote \"nobody\"]\n\tpromisor = true\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_not_handed_on() {
        let listed =
            b"global\0filter.lfs.clean\ngit-lfs\0global\0core.pager\nless\0local\0filter.a=b.clean\nevil\0\
                      local\0core.fsmonitor\nevil\0local\0core.excludesfile\n/x\0local\0user.name\nA\nB\0\
                      local\0core.filemode\0worktree\0core.worktree\n..\0local\0remote.o.promisor\ntrue\0";
        let settings = Settings::read(listed);
        let kept: Vec<_> =
            settings.kept.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        assert_eq!(kept, [("filter.lfs.clean", "git-lfs"), ("user.name", "A\nB"), ("core.filemode", "true")]);
        assert_eq!(settings.worktree, Some("..".into()));
        assert!(settings.file().contains("partialclone = nobody"));
        let variables = settings.variables();
        let count = (kept.len() + OFF.len()).to_string();
        assert!(variables.contains(&("GIT_CONFIG_COUNT".into(), count.into())));
    }

    #[test]
    fn a_format_that_is_no_word_is_not_written() {
        let format = Some("sha1\n[core]\n\tfsmonitor = x".to_owned());
        assert!(!Settings { object_format: format, ..Settings::default() }.file().contains("fsmonitor"));
    }
}
