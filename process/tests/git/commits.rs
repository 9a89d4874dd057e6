//! Commits of these files and no others.

use std::fs;
use std::path::{Path, PathBuf};

use hookspec_process::git::{Git, LeftOut, Version};

use crate::stage::Stage;

fn git(stage: &Stage) -> Git {
    stage.set("user.name", "T");
    stage.set("user.email", "t@example.org");
    Git::around(&stage.work()).unwrap().unwrap()
}

#[test]
fn what_is_shown_is_what_is_committed() {
    let stage = Stage::new();
    let (work, git) = (stage.work(), git(&stage));
    fs::write(work.join("staged"), "theirs\n").unwrap();
    stage.good(&work, &["add", "staged"]);
    fs::write(work.join("other"), "theirs\n").unwrap();
    let mut shown = Vec::new();
    let files: Vec<PathBuf> = ["a", "b", "gone"].map(PathBuf::from).to_vec();
    let mut screen = |version: Version<'_>| {
        shown.push((version.path.to_owned(), version.before.to_vec(), version.after.to_vec()));
        // Somebody is quick.
        fs::write(work.join(version.path), "password\n").unwrap();
        None
    };
    let made = git.commit(&files, &mut screen, &|files| format!("{} files", files.len())).unwrap();
    assert_eq!(made.files, [Path::new("a"), Path::new("b")]);
    assert_eq!(made.left_out, []);
    let one =
        |name: &str, before: &[u8], after: &[u8]| (PathBuf::from(name), before.to_vec(), after.to_vec());
    assert_eq!(shown, [one("a", b"one\n", b"two\n"), one("b", b"", b"new\n")]);
    assert_eq!(stage.good(&work, &["log", "-1", "--format=%s", "--name-status"]), "2 files\n\nM\ta\nA\tb");
    assert_eq!(stage.good(&work, &["show", "HEAD:a"]), "two");
    assert_eq!(stage.good(&work, &["status", "--porcelain"]), " M a\n M b\nA  staged\n?? other");
    assert_eq!(stage.good(&work, &["log", "-1", "--format=%h"]), made.id.unwrap());
}

#[test]
fn what_is_objected_to_stays_and_the_rest_is_committed() {
    let stage = Stage::new();
    let (work, git) = (stage.work(), git(&stage));
    fs::remove_file(work.join("a")).unwrap();
    fs::write(work.join("big"), vec![b'x'; (16 << 20) + 1]).unwrap();
    let files: Vec<PathBuf> = ["a", "b", "big"].map(PathBuf::from).to_vec();
    let mut screen = |version: Version<'_>| (version.path == Path::new("b")).then(|| "no".to_owned());
    let made = git.commit(&files, &mut screen, &|_| "x".to_owned()).unwrap();
    assert_eq!(made.files, [Path::new("a")]);
    let left = |path: &str, why: &str| LeftOut { path: path.into(), why: why.to_owned() };
    assert_eq!(made.left_out, [left("b", "no"), left("big", "it is too large to be looked through")]);
    assert_eq!(stage.good(&work, &["status", "--porcelain"]), "?? b\n?? big");
    let head = stage.good(&work, &["rev-parse", "HEAD"]);
    let none = git.commit(&files[1..2], &mut screen, &|_| "x".to_owned()).unwrap();
    assert_eq!((none.id, none.files.len(), none.left_out.len()), (None, 0, 1));
    assert_eq!(stage.good(&work, &["rev-parse", "HEAD"]), head);
}

#[test]
fn the_first_commit_of_a_repository_and_many_files() {
    let stage = Stage::new();
    let new = stage.path("new");
    fs::create_dir(&new).unwrap();
    stage.good(&new, &["init", "-q"]);
    stage.good(&new, &["config", "user.name", "T"]);
    stage.good(&new, &["config", "user.email", "t@example.org"]);
    let names: Vec<PathBuf> = (0..450).map(|number| PathBuf::from(format!("d/{number}\nx"))).collect();
    fs::create_dir(new.join("d")).unwrap();
    for name in &names {
        fs::write(new.join(name), name.to_str().unwrap()).unwrap();
    }
    let git = Git::around(&new).unwrap().unwrap();
    let made = git.commit(&names, &mut |_| None, &|_| "\n#1 --amend\n".to_owned()).unwrap();
    assert_eq!(made.files.len(), 450);
    assert_eq!(stage.good(&new, &["log", "--format=%s"]), "#1 --amend");
    assert_eq!(stage.good(&new, &["status", "--porcelain"]), "");
    for name in &names {
        fs::remove_file(new.join(name)).unwrap();
    }
    git.commit(&names, &mut |_| None, &|_| "gone".to_owned()).unwrap();
    assert_eq!(stage.good(&new, &["ls-files"]) + &stage.good(&new, &["status", "--porcelain"]), "");
}

#[test]
fn a_replaced_object_hides_nothing() {
    let stage = Stage::new();
    let (work, git) = (stage.work(), git(&stage));
    let secret = stage.good(&work, &["hash-object", "-w", "b"]);
    fs::write(work.join("harmless"), "x").unwrap();
    let harmless = stage.good(&work, &["hash-object", "-w", "harmless"]);
    stage.good(&work, &["replace", &secret, &harmless]);
    let mut seen = Vec::new();
    let mut screen = |version: Version<'_>| {
        seen.extend_from_slice(version.after);
        None
    };
    git.commit(&["b".into()], &mut screen, &|_| "x".to_owned()).unwrap();
    assert_eq!(seen, b"new\n");
}
