//! A repository in which every key is a trap: a program that leaves a mark when it runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec_process::{Ended, ProcessError, Program};
use tempfile::TempDir;

pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    /// A repository with two commits, a remote, and files that name drivers.
    pub(crate) fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["work", "home", "sprung", "traps"] {
            fs::create_dir(stage.path(name)).unwrap();
        }
        let identity = "[user]\n\tname = T\n\temail = t@example.org\n[init]\n\tdefaultBranch = main\n";
        fs::write(stage.path("home/.gitconfig"), identity).unwrap();
        let work = stage.path("work");
        stage.good(&work, &["init", "-q"]);
        fs::write(work.join("a"), "one\n").unwrap();
        stage.good(&work, &["add", "a"]);
        stage.good(&work, &["commit", "-qm", "first"]);
        let bare = stage.path("remote.git");
        stage.good(&work, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
        stage.good(&work, &["remote", "add", "origin", bare.to_str().unwrap()]);
        let attributes = "a filter=evil diff=evil merge=evil\nb filter=e=vil\n";
        fs::write(work.join(".gitattributes"), attributes).unwrap();
        stage.good(&work, &["add", "."]);
        stage.good(&work, &["commit", "-qm", "second"]);
        fs::write(work.join("a"), "two\n").unwrap();
        fs::write(work.join("b"), "new\n").unwrap();
        stage
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// A program that marks that it ran, and fails.
    pub(crate) fn trap(&self, name: &str) -> PathBuf {
        let path = self.path("traps").join(name);
        let mark = self.path("sprung").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::create_dir_all(mark.parent().unwrap()).unwrap();
        let script = format!("#!/bin/sh\n: > '{}'\nexit 1\n", mark.display());
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// What ran since the last time.
    pub(crate) fn sprung(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path("sprung"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| {
                fs::remove_file(&path).unwrap();
                path.file_name().unwrap().to_str().unwrap().to_owned()
            })
            .collect();
        names.sort();
        names
    }

    /// Git as everybody runs it.
    pub(crate) fn ordinary(&self, dir: &Path, args: &[&str]) -> Result<Ended, ProcessError> {
        Program::new("git")
            .args(args)
            .cwd(dir)
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .deadline(Duration::from_secs(20))
            .run()
    }

    pub(crate) fn good(&self, dir: &Path, args: &[&str]) -> String {
        let ended = self.ordinary(dir, args).unwrap();
        assert!(ended.status.success(), "{args:?}: {}", ended.stderr.text());
        ended.stdout.text().trim_end().to_owned()
    }

    /// Adds to the repository's configuration.
    pub(crate) fn set(&self, name: &str, value: &str) {
        self.good(&self.work(), &["config", "--file", ".git/config", "--add", name, value]);
    }
}
