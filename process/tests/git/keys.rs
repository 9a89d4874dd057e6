//! Every key of git that can run a program, tried alone: by our git nothing runs, by an ordinary one what the table says.
//!
//! The keys are those of git's documentation. Beside them stands what else they need, and the command with which an ordinary git
//! runs the program; no command where only a terminal, a mail or another program of git's would do it.

use crate::ours;
use crate::stage::Stage;

struct Case {
    key: &'static str,
    /// `%` is the trap; the trap alone where empty.
    value: &'static str,
    /// Further settings.
    with: &'static [(&'static str, &'static str)],
    /// What springs it for an ordinary git.
    command: &'static [&'static str],
}

const fn case(key: &'static str, command: &'static [&'static str]) -> Case {
    Case { key, value: "%", with: &[], command }
}

const fn with(
    key: &'static str,
    value: &'static str,
    with: &'static [(&'static str, &'static str)],
    command: &'static [&'static str],
) -> Case {
    Case { key, value, with, command }
}

const STATUS: &[&str] = &["status"];
const ADD: &[&str] = &["add", "a", "b"];
const FETCH: &[&str] = &["fetch"];
const PUSH: &[&str] = &["push", "origin", "HEAD:other"];
const COMMIT: &[&str] = &["commit", "-am", "x"];
const NONE: &[&str] = &[];
const HTTP: (&str, &str) = ("remote.origin.url", "http://user@127.0.0.1:1/x");

const CASES: &[Case] = &[
    case("core.fsmonitor", STATUS),
    with("core.fsmonitor", "%", &[("core.fsmonitorHookVersion", "1")], STATUS),
    case("core.editor", &["commit", "-a"]),
    case("sequence.editor", &["rebase", "-i", "--autostash", "HEAD~1"]),
    case("core.pager", NONE),
    case("pager.log", NONE),
    case("pager.status", NONE),
    case("core.askPass", NONE),
    with("core.sshCommand", "%", &[("remote.origin.url", "ssh://127.0.0.1/x")], FETCH),
    with("ssh.variant", "%", &[("core.sshCommand", "%"), ("remote.origin.url", "ssh://127.0.0.1/x")], FETCH),
    with("core.gitProxy", "%", &[("remote.origin.url", "git://127.0.0.1/x")], FETCH),
    case("core.alternateRefsCommand", NONE),
    with("diff.external", "%", &[], &["diff"]),
    with("diff.evil.command", "%", &[], &["diff"]),
    with("diff.evil.textconv", "%", &[], &["diff"]),
    with("diff.evil.textconv", "%", &[("diff.evil.cachetextconv", "true")], &["log", "-p"]),
    case("filter.evil.clean", ADD),
    case("filter.evil.smudge", &["checkout", "--", "a"]),
    with("filter.evil.process", "%", &[("filter.evil.required", "true")], ADD),
    case("filter.e=vil.clean", ADD),
    with("filter.e=vil.clean", "%", &[("filter.e=vil.required", "true")], ADD),
    case("filter.e=vil.smudge", NONE),
    case("merge.evil.driver", &["stash", "apply"]),
    with("alias.st", "!%", &[], &["st"]),
    with("alias.status", "!%", &[], NONE),
    with("gpg.program", "%", &[("commit.gpgSign", "true")], COMMIT),
    with("gpg.openpgp.program", "%", &[("commit.gpgSign", "true")], COMMIT),
    with("gpg.program", "%", &[("tag.gpgSign", "true")], &["tag", "-a", "-m", "x", "x"]),
    with("gpg.x509.program", "%", &[("commit.gpgSign", "true"), ("gpg.format", "x509")], COMMIT),
    with(
        "gpg.ssh.program",
        "%",
        &[("commit.gpgSign", "true"), ("gpg.format", "ssh"), ("user.signingKey", "key::ssh-ed25519 A")],
        COMMIT,
    ),
    with("gpg.ssh.defaultKeyCommand", "%", &[("commit.gpgSign", "true"), ("gpg.format", "ssh")], COMMIT),
    with("log.showSignature", "true", &[("gpg.program", "%")], NONE),
    with("credential.helper", "!%", &[HTTP], NONE),
    with("credential.http://127.0.0.1:1.helper", "!%", &[HTTP], NONE),
    with("protocol.ext.allow", "always", &[("remote.origin.url", "ext::%")], FETCH),
    with("protocol.allow", "always", &[("remote.origin.url", "ext::%")], FETCH),
    with("url.ext::%.insteadOf", "/", &[("protocol.ext.allow", "always")], NONE),
    with("remote.origin.vcs", "ext", &[("protocol.ext.allow", "always"), ("remote.origin.url", "%")], NONE),
    case("remote.origin.uploadpack", FETCH),
    case("remote.origin.receivepack", PUSH),
    with("remote.origin.proxy", "%", &[HTTP], NONE),
    with("http.proxy", "%", &[HTTP], NONE),
    with("http.sslCert", "%", &[HTTP], NONE),
    case("uploadpack.packObjectsHook", NONE),
    case("receive.procReceiveRefs", NONE),
    with("submodule.sub.update", "!%", &[("submodule.sub.active", "true")], NONE),
    case("trailer.evil.command", &["interpret-trailers", "--trailer", "evil=x"]),
    case("trailer.evil.cmd", &["interpret-trailers", "--trailer", "evil=x"]),
    with("interactive.diffFilter", "%", &[], NONE),
    with("difftool.evil.cmd", "%", &[("diff.tool", "evil")], &["difftool", "-y"]),
    with("mergetool.evil.cmd", "%", &[("merge.tool", "evil")], NONE),
    with("difftool.kdiff3.path", "%", &[("diff.tool", "kdiff3")], &["difftool", "-y"]),
    with("browser.evil.cmd", "%", &[("help.browser", "evil")], NONE),
    with("man.evil.cmd", "%", &[("man.viewer", "evil")], &["help", "status"]),
    case("web.browser", NONE),
    case("instaweb.httpd", NONE),
    case("guitool.evil.cmd", NONE),
    case("imap.tunnel", NONE),
    case("sendemail.smtpServer", NONE),
    case("sendemail.sendmailCmd", NONE),
    case("sendemail.toCmd", NONE),
    case("sendemail.ccCmd", NONE),
    case("sendemail.headerCmd", NONE),
    case("gc.recentObjectsHook", NONE),
    case("maintenance.strategy", NONE),
    case("help.autoCorrect", NONE),
    case("core.attributesFile", NONE),
    case("core.excludesFile", NONE),
    case("core.worktree", NONE),
    case("commit.template", NONE),
    case("trace2.eventTarget", NONE),
    case("init.templateDir", NONE),
    case("lfs.customtransfer.evil.path", NONE),
    case("lfs.extension.evil.clean", NONE),
    case("extensions.partialClone", NONE),
    case("safe.directory", NONE),
    with("include.path", "../../include", &[], STATUS),
    with("includeIf.gitdir:/**.path", "../../include", &[], STATUS),
    with("includeIf.onbranch:main.path", "../../include", &[], STATUS),
    with("includeIf.hasconfig:remote.*.url:/**.path", "../../include", &[], STATUS),
    with("extensions.worktreeConfig", "true", &[("core.repositoryFormatVersion", "1")], STATUS),
    with("core.hooksPath", "../hooks", &[], COMMIT),
];

const HOOKS: [&str; 8] = [
    "pre-commit",
    "post-commit",
    "commit-msg",
    "prepare-commit-msg",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "fsmonitor-watchman",
];

impl Case {
    fn set(&self, stage: &Stage) {
        let trap = stage.trap("trap").display().to_string();
        let fill = |text: &str| text.replace('%', &trap);
        std::fs::write(stage.path("include"), format!("[core]\n\tfsmonitor = {trap}\n")).unwrap();
        std::fs::write(stage.work().join(".git/config.worktree"), format!("[core]\n\tfsmonitor = {trap}\n"))
            .unwrap();
        std::fs::create_dir(stage.path("hooks")).unwrap();
        for hook in HOOKS {
            std::fs::copy(&trap, stage.path("hooks").join(hook)).unwrap();
        }
        stage.set(&fill(self.key), &fill(self.value));
        for (name, value) in self.with {
            // Not one more, but another one.
            stage.good(&stage.work(), &["config", "--file", ".git/config", name, &fill(value)]);
        }
    }
}

#[test]
fn no_key_runs_a_program() {
    let mut silent = Vec::new();
    for case in CASES {
        let (key, value) = (case.key, case.value);
        let stage = Stage::new();
        case.set(&stage);
        let ended = ours::everything(&stage.work());
        assert_eq!(stage.sprung(), [""; 0], "{key} = {value} ran for us: {ended:?}");
        ours::snapshots(&stage.path("own"), &stage.work());
        assert_eq!(stage.sprung(), [""; 0], "{key} = {value} ran for a snapshot");
        if case.command.is_empty() {
            continue;
        }
        let control = Stage::new();
        case.set(&control);
        if case.command == ["stash", "apply"] {
            conflict(&control);
        }
        let ended = control.ordinary(&control.work(), case.command);
        if control.sprung().is_empty() {
            let said = ended.map_or_else(|error| error.to_string(), |ended| ended.stderr.text());
            silent.push(format!("{key} = {value}, git {:?}: {said}", case.command));
        }
    }
    assert!(silent.is_empty(), "traps that do not work show nothing:\n{}", silent.join("\n"));
}

/// A change in the stash and another one of the same line in a commit.
fn conflict(stage: &Stage) {
    let work = stage.work();
    stage.good(&work, &["stash", "--quiet"]);
    std::fs::write(work.join("a"), "three\n").unwrap();
    stage.good(&work, &["commit", "--quiet", "-am", "third"]);
}

#[test]
fn slow_no_key_of_gits_own_list_runs_a_program() {
    let stage = Stage::new();
    let config = stage.work().join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    let trap = stage.trap("trap").display().to_string();
    let listed = stage.good(&stage.work(), &["help", "--config"]);
    let mut count = 0;
    for line in listed.lines().filter(|line| line.contains('.') && !line.contains(' ')) {
        let mut key = line.to_owned();
        for (from, to) in [
            ("remote.<name>", "remote.origin"),
            ("branch.<name>", "branch.main"),
            ("includeIf.<condition>", "includeIf.gitdir:/**"),
            ("gpg.<format>", "gpg.openpgp"),
            ("pager.<cmd>", "pager.status"),
            ("<url>", "http://127.0.0.1:1"),
            (".*", ".status"),
        ] {
            key = key.replace(from, to);
        }
        while let Some((before, rest)) = key.split_once('<') {
            key = format!("{before}evil{}", rest.split_once('>').unwrap().1);
        }
        let (section, name) = key.rsplit_once('.').unwrap();
        let section = match section.split_once('.') {
            Some((section, sub)) => format!("{section} \"{sub}\""),
            None => section.to_owned(),
        };
        std::fs::write(&config, format!("{plain}[{section}]\n\t{name} = {trap}\n")).unwrap();
        let git = hookspec_process::git::Git::around(&stage.work());
        let states = git.and_then(|git| git.map(|git| git.states()).transpose());
        assert_eq!(stage.sprung(), [""; 0], "{key}");
        if let Err(error) = states {
            let ordinary = stage.ordinary(&stage.work(), &["-c", "core.fsmonitor=", "status"]);
            let known = ["core.worktree"];
            assert!(!ordinary.unwrap().status.success() || known.contains(&key.as_str()), "{key}: {error}");
            stage.sprung();
        }
        count += 1;
    }
    assert!(count > 500, "git's list of its keys has {count} that could be read");
}
