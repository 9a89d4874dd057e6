//! Everything that our code does with git, once.

use std::path::Path;

use hookspec_process::git::{Git, GitError, Version};

/// Runs all of it. What fails is left: a repository may be so broken that nothing works, and must not run anything even then.
pub(crate) fn everything(dir: &Path) -> Vec<Result<(), GitError>> {
    let git = match Git::around(dir) {
        Ok(Some(git)) => git,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![Err(error)],
    };
    let run = |args: &[&str]| git.run(args).map(drop);
    let mut seen = |_: Version<'_>| None;
    vec![
        git.states().map(drop),
        git.differs(&dir.join("a")).map(drop),
        git.is_busy().map(drop),
        run(&["status", "--porcelain=v1", "-z", "--branch", "--untracked-files=all", "--", "."]),
        run(&["ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard"]),
        run(&["diff"]),
        run(&["diff", "HEAD"]),
        run(&["diff-files", "-p"]),
        run(&["show", "HEAD"]),
        run(&["log", "-p", "-2"]),
        run(&["rev-list", "--count", "HEAD"]),
        run(&["for-each-ref"]),
        git.commit(&["a".into(), "b".into()], &mut seen, &|_| "ours".to_owned()).map(drop),
        git.paths(&["add"], &[dir.join("a")]).map(drop),
        run(&["commit", "--quiet", "--allow-empty", "-m", "plain"]),
        run(&["checkout", "--quiet", "HEAD~1", "--", "a"]),
        run(&["tag", "--annotate", "--force", "-m", "a tag", "t"]),
        run(&["rm", "--quiet", "--cached", "a"]),
    ]
}

/// The same for a repository of our own whose working tree is somebody else's: snapshots.
pub(crate) fn snapshots(git_dir: &Path, dir: &Path) {
    let git = Git::own(git_dir, dir).unwrap();
    if !git_dir.exists() {
        git.run(["init", "--quiet", "--initial-branch=none"]).unwrap();
        std::fs::create_dir_all(git_dir.join("info")).unwrap();
        std::fs::write(git_dir.join("info/attributes"), "* -text -eol -filter -ident\n").unwrap();
    }
    git.run(["ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard"]).unwrap();
    git.feed(&["update-index", "--add", "--remove", "-z", "--stdin"], *b"a\0b\0").unwrap();
    let tree = git.run(["write-tree"]).unwrap().text();
    git.run(["diff-tree", "-p", tree.trim(), tree.trim()]).unwrap();
    git.run(["checkout-index", "--force", "--all"]).unwrap();
}
