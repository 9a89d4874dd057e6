//! Repositories that are not what they seem: elsewhere, within one another, with links, with parts missing.

use std::fs;
use std::os::unix::fs::symlink;

use hookspec_process::Program;
use hookspec_process::git::{Git, GitError};

use crate::ours;
use crate::stage::Stage;

fn why(stage: &Stage, dir: &str) -> String {
    match Git::around(&stage.path(dir)) {
        Err(error @ GitError::Astray { .. }) => error.to_string(),
        other => panic!("{dir}: {other:?}"),
    }
}

/// Another repository of the user's.
fn other(stage: &Stage) -> String {
    let other = stage.path("other");
    fs::create_dir(&other).unwrap();
    stage.good(&other, &["init", "-q"]);
    stage.good(&other, &["commit", "-q", "--allow-empty", "-m", "theirs"]);
    other.join(".git").display().to_string()
}

#[test]
fn a_git_that_names_a_repository_elsewhere_is_refused() {
    let stage = Stage::new();
    let other = other(&stage);
    let evil = stage.path("evil");
    fs::create_dir(&evil).unwrap();
    fs::write(evil.join(".git"), format!("gitdir: {other}\n")).unwrap();
    assert!(why(&stage, "evil").contains("does not name it back"));
    fs::remove_file(evil.join(".git")).unwrap();
    symlink(&other, evil.join(".git")).unwrap();
    assert!(why(&stage, "evil").contains("does not name it back"));
    fs::remove_file(evil.join(".git")).unwrap();
    // One that names the repository, and lies in none of its folders for working trees.
    stage.good(&evil, &["init", "-q"]);
    fs::write(evil.join(".git/commondir"), &other).unwrap();
    assert!(why(&stage, "evil").contains("does not know of it"));
    fs::remove_file(evil.join(".git/commondir")).unwrap();
    fs::remove_dir_all(evil.join(".git/refs")).unwrap();
    symlink(format!("{other}/refs"), evil.join(".git/refs")).unwrap();
    assert!(why(&stage, "evil").contains("refs is a link that leads out"));
    assert_eq!(stage.good(&stage.path("other"), &["log", "--format=%s"]), "theirs");
}

#[test]
fn a_repository_that_claims_the_folders_around_it_is_refused() {
    let stage = Stage::new();
    for claimed in ["/", "../..", "../../home"] {
        stage.good(&stage.work(), &["config", "--file", ".git/config", "core.worktree", claimed]);
        match Git::around(&stage.work()) {
            Err(error @ GitError::Astray { .. }) => {
                assert!(error.to_string().contains("core.worktree"), "{error}");
            }
            // This folder is then none of its.
            none => assert!(none.unwrap().is_none() && claimed == "../../home", "{claimed}"),
        }
    }
    for own in ["..", stage.work().to_str().unwrap()] {
        stage.good(&stage.work(), &["config", "--file", ".git/config", "core.worktree", own]);
        assert!(Git::around(&stage.work()).unwrap().is_some(), "its own folder: {own}");
    }
}

#[test]
fn linked_working_trees_submodules_and_separate_folders_work() {
    let stage = Stage::new();
    let work = stage.work();
    stage.good(&work, &["worktree", "add", "-q", "-b", "side", "../linked"]);
    stage
        .good(&work, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../remote.git", "sub"]);
    stage.good(&work, &["init", "-q", "--separate-git-dir", "../apart.git", "../apart"]);
    assert!(why(&stage, "apart").contains("core.worktree"));
    let apart = stage.path("apart").display().to_string();
    stage.good(&work, &["--git-dir=../apart.git", "config", "core.worktree", &apart]);
    for (dir, head) in [("linked", "side"), ("work/sub", "main"), ("apart", "main")] {
        let dir = stage.path(dir);
        fs::write(dir.join("fresh"), "x").unwrap();
        let git = Git::around(&dir).unwrap().unwrap();
        assert_eq!(git.root(), dir);
        let head_now = git.ask(["symbolic-ref", "--short", "HEAD"]).unwrap().unwrap();
        assert_eq!(head_now, head, "{}", dir.display());
        let made = git.commit(&["fresh".into()], &mut |_| None, &|_| "made".to_owned()).unwrap();
        assert!(made.id.is_some());
        assert_eq!(stage.good(&dir, &["log", "-1", "--format=%s"]), "made");
        assert_eq!(stage.good(&dir, &["status", "--porcelain"]), "");
        assert!(stage.good(&dir, &["reflog", "-1"]).contains("made") || head == "main");
    }
    assert_eq!(stage.good(&work, &["log", "-1", "--format=%s"]), "second", "the main one is where it was");
}

#[test]
fn a_submodules_configuration_runs_nothing() {
    let stage = Stage::new();
    let work = stage.work();
    stage
        .good(&work, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../remote.git", "sub"]);
    stage.good(&work, &["commit", "-qm", "sub"]);
    let trap = stage.trap("sub").display().to_string();
    stage.good(&work.join("sub"), &["config", "core.fsmonitor", &trap]);
    stage.good(&work, &["config", "--file", ".gitmodules", "submodule.sub.ignore", "none"]);
    fs::write(work.join("sub/a"), "changed\n").unwrap();
    stage.sprung();
    ours::everything(&work);
    assert_eq!(stage.sprung(), [""; 0]);
    stage.good(&work, &["status"]);
    assert_eq!(stage.sprung(), ["sub"], "the trap works");
    ours::everything(&work.join("sub"));
    assert_eq!(stage.sprung(), [""; 0]);
}

#[test]
fn a_repository_without_files_within_another_is_none() {
    let stage = Stage::new();
    let bare = stage.work().join("vendor/evil");
    fs::create_dir_all(&bare).unwrap();
    stage.good(&bare, &["init", "-q", "--bare"]);
    let trap = stage.trap("bare").display().to_string();
    stage.good(&bare, &["config", "core.fsmonitor", &trap]);
    stage.good(&bare, &["config", "core.bare", "false"]);
    stage.good(&bare, &["config", "core.worktree", ".."]);
    ours::everything(&bare);
    assert_eq!(stage.sprung(), [""; 0]);
    stage.ordinary(&bare, &["status"]).unwrap();
    assert_eq!(stage.sprung(), ["bare"], "the trap works");
}

#[test]
fn what_a_partial_clone_lacks_is_not_fetched() {
    let stage = Stage::new();
    let source = stage.path("remote.git");
    stage.good(&source, &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", source.display());
    let clone = stage.path("partial");
    stage.good(
        &stage.work(),
        &["clone", "-q", "--no-checkout", "--filter=blob:none", &url, clone.to_str().unwrap()],
    );
    let trap = stage.trap("fetch").display().to_string();
    stage.good(&clone, &["config", "remote.origin.uploadpack", &trap]);
    stage.good(&clone, &["config", "protocol.file.allow", "always"]);
    fs::write(clone.join("fresh"), "x").unwrap();
    let git = Git::around(&clone).unwrap().unwrap();
    let error = git.run(["show", "HEAD:a"]).unwrap_err().to_string();
    assert!(error.contains("`git show` failed"), "{error}");
    git.commit(&["fresh".into()], &mut |_| None, &|_| "made".to_owned()).unwrap();
    assert_eq!(stage.sprung(), [""; 0]);
    assert_eq!(stage.good(&clone, &["log", "-1", "--format=%s"]), "made");
    stage.ordinary(&clone, &["show", "HEAD:a"]).unwrap();
    assert_eq!(stage.sprung(), ["fetch"], "the trap works");
}

#[test]
fn hooks_in_the_repository_and_drivers_by_every_name_run_nothing() {
    let stage = Stage::new();
    let trap = stage.trap("trap");
    let hooks = stage.work().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["pre-commit", "post-commit", "post-index-change", "reference-transaction", "post-checkout"] {
        fs::copy(&trap, hooks.join(hook)).unwrap();
    }
    let named = ["x y", "e=vil", "ä", "evil.sub", "--evil", "\"q\"", "\\"];
    for name in named {
        stage.set(&format!("filter.{name}.clean"), trap.to_str().unwrap());
        stage.set(&format!("filter.{name}.required"), "true");
    }
    fs::write(stage.work().join(".gitattributes"), "* filter=evil.sub\nb filter=--evil\na filter=\"x y\"\n")
        .unwrap();
    let ended = ours::everything(&stage.work());
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert_eq!(stage.sprung(), [""; 0]);
    stage.ordinary(&stage.work(), &["commit", "-am", "x"]).unwrap();
    assert!(!stage.sprung().is_empty(), "the trap works");
}

/// Run by the next one, in an environment that is full of traps.
#[test]
fn in_whatever_environment() {
    if let Some(dir) = std::env::var_os("HOSTILE_WORK") {
        ours::everything(dir.as_ref());
    }
}

#[test]
fn no_variable_of_the_environment_runs_a_program() {
    let stage = Stage::new();
    let trap = stage.trap("variable").display().to_string();
    fs::create_dir(stage.work().join("bin")).unwrap();
    fs::copy(&trap, stage.work().join("bin/git")).unwrap();
    fs::copy(&trap, stage.work().join("bin/sh")).unwrap();
    let names = [
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_PROXY_COMMAND",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "VISUAL",
        "EDITOR",
        "GIT_PAGER",
        "PAGER",
        "LESSOPEN",
        "GIT_TRACE2_EVENT",
        "GIT_TRACE",
    ];
    let program = |binary: &std::path::Path| {
        let path = format!("{}:{}", stage.work().join("bin").display(), std::env::var("PATH").unwrap());
        let program = Program::new(binary)
            .cwd(stage.work())
            .env("HOSTILE_WORK", stage.work())
            .env("PATH", path)
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
            .env("GIT_CONFIG_VALUE_0", &trap)
            .env("GIT_CONFIG_PARAMETERS", format!("'core.fsmonitor'='{trap}'"))
            .env("GIT_EXEC_PATH", stage.work().join("bin"))
            .env("GIT_TEMPLATE_DIR", stage.path("traps"));
        names.iter().fold(program, |program, name| program.env(name, &trap))
    };
    let ours =
        program(&std::env::current_exe().unwrap()).args(["--exact", "places::in_whatever_environment"]);
    let ended = ours.run().unwrap();
    assert!(ended.status.success() && ended.stdout.text().contains("1 passed"), "{ended:?}");
    assert_eq!(stage.sprung(), [""; 0]);
    program("git".as_ref()).args(["-C", "."]).arg("diff").env("GIT_EXEC_PATH", "").run().unwrap();
    assert!(!stage.sprung().is_empty(), "the trap works");
}

#[test]
fn what_is_no_repository_is_none_and_unknown_subcommands_are_refused() {
    let stage = Stage::new();
    for dir in [stage.path("home"), stage.work().join(".git"), stage.path("remote.git")] {
        assert!(Git::around(&dir).unwrap().is_none(), "{}", dir.display());
    }
    let git = Git::around(&stage.work()).unwrap().unwrap();
    for name in ["fetch", "bisect", "submodule", "config", "gc", "st", "", "--exec-path"] {
        assert!(matches!(git.run([name]), Err(GitError::Unknown(_))), "{name}");
    }
    let error = git.run(["rev-parse", "--verify", "nothing"]).unwrap_err().to_string();
    assert!(error.starts_with("`git rev-parse` failed in "), "{error}");
    fs::write(stage.work().join(".git/config"), "[core\n").unwrap();
    assert!(Git::around(&stage.work()).unwrap_err().to_string().contains("bad config"));
}

#[test]
fn the_branch_may_change_and_names_may_hold_anything() {
    let stage = Stage::new();
    let git = Git::around(&stage.work()).unwrap().unwrap();
    let head = || git.ask(["symbolic-ref", "--short", "HEAD"]).unwrap().unwrap();
    assert_eq!(head(), "main");
    stage.good(&stage.work(), &["checkout", "-q", "-b", "side"]);
    assert_eq!(head(), "side");
    for name in ["--help", ":(top)x", "new\nline"] {
        fs::write(stage.work().join(name), "x").unwrap();
    }
    let odd = stage.path("li\nne ");
    fs::rename(stage.work(), &odd).unwrap();
    let git = Git::around(&odd).unwrap().unwrap();
    assert_eq!(git.root(), odd);
    git.paths(&["add"], &["--help", ":(top)x", "new\nline"]).unwrap();
    let staged = git.run(["ls-files", "-z"]).unwrap().text();
    let staged: Vec<&str> = staged.split('\0').filter(|name| !name.is_empty()).collect();
    assert_eq!(staged, ["--help", ".gitattributes", ":(top)x", "a", "new\nline"]);
}

#[test]
fn what_the_user_configured_for_a_repository_counts() {
    let stage = Stage::new();
    stage.set("user.email", "work@example.org");
    fs::write(stage.path("identity"), "[user]\n\tname = Included\n").unwrap();
    stage.set("include.path", "../../identity");
    let git = Git::around(&stage.work()).unwrap().unwrap();
    git.commit(&["b".into()], &mut |_| None, &|_| "made".to_owned()).unwrap();
    assert_eq!(stage.good(&stage.work(), &["log", "-1", "--format=%an %ae"]), "Included work@example.org");
}
