//! What a restore brings back: modes, files, folders and links, and what it leaves alone.

use super::*;

fn mode(place: &Place, name: &str) -> u32 {
    use std::os::unix::fs::MetadataExt;
    place.workspace.path().join(name).symlink_metadata().unwrap().mode() & 0o7777
}

fn chmod(place: &Place, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(place.workspace.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
}

fn back(place: &Place, to: &Snapshot) -> Restored {
    place.clock.advance(Duration::from_secs(1));
    place.shadow().restore(to, place.clock.now()).unwrap()
}

#[test]
fn modes_come_back() {
    let place = Place::new();
    let modes = [("key", 0o600), ("run", 0o755), ("mine", 0o700), ("shut", 0o400), ("plain", 0o644)];
    for (name, mode) in modes {
        place.write(&format!("d/{name}"), "x");
        chmod(&place, &format!("d/{name}"), mode);
    }
    chmod(&place, "d", 0o750);
    let first = place.snapshot("post:one");
    for (name, _) in modes {
        chmod(&place, &format!("d/{name}"), 0o666);
    }
    chmod(&place, "d", 0o755);
    chmod(&place, "a", 0o600);
    let second = place.snapshot("post:two");
    assert_ne!(place.shadow().find(&first.id).unwrap().files(), second.files());
    fs::remove_file(place.workspace.path().join("d/key")).unwrap();
    back(&place, &first);
    for (name, wanted) in modes {
        assert_eq!(mode(&place, &format!("d/{name}")), wanted, "{name}");
    }
    assert_eq!((mode(&place, "d"), mode(&place, "a")), (0o750, 0o644));
    back(&place, &second);
    assert_eq!((mode(&place, "d"), mode(&place, "d/key"), mode(&place, "a")), (0o755, 0o666, 0o600));
}

#[test]
fn a_changed_mode_alone_is_a_change() {
    let place = Place::new();
    let session = place.session("s");
    before(&session, &save());
    chmod(&place, "a", 0o600);
    after(&session, &save());
    assert_eq!(place.labels(), ["initial", "pre:save", "post:save"]);
}

#[test]
fn files_folders_and_links_take_each_others_place_in_one_go() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let path = |name: &str| place.workspace.path().join(name);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("inner"), "theirs").unwrap();
    place.write("file", "f");
    place.write("folder/inner/deep", "d");
    symlink("file", path("link")).unwrap();
    let first = place.snapshot("post:one");
    for name in ["file", "link"] {
        fs::remove_file(path(name)).unwrap();
        place.write(&format!("{name}/inner/deep"), "new");
    }
    fs::create_dir_all(path("file/empty/er")).unwrap();
    fs::remove_dir_all(path("folder")).unwrap();
    symlink(outside.path(), path("folder")).unwrap();
    let second = place.snapshot("post:two");
    let restored = back(&place, &first);
    assert!(restored.left.is_empty(), "{restored:?}");
    assert_eq!(
        (place.read("file").unwrap(), place.read("folder/inner/deep").unwrap()),
        ("f".into(), "d".into())
    );
    assert_eq!(fs::read_link(path("link")).unwrap(), Path::new("file"));
    let restored = back(&place, &second);
    assert!(restored.left.is_empty(), "{restored:?}");
    assert_eq!(place.read("link/inner/deep").unwrap(), "new");
    assert_eq!(fs::read_link(path("folder")).unwrap(), outside.path());
    assert_eq!(fs::read_to_string(outside.path().join("inner")).unwrap(), "theirs");
}

#[test]
fn a_folder_with_something_that_no_snapshot_holds_stays() {
    let place = Place::new();
    place.write(".gitignore", "ignored\n");
    place.write("file", "f");
    let first = place.snapshot("post:one");
    fs::remove_file(place.workspace.path().join("file")).unwrap();
    place.write("file/ignored", "precious");
    place.write("file/other", "x");
    let restored = back(&place, &first);
    assert_eq!(restored.left, [Path::new("file")]);
    assert_eq!(place.read("file/ignored").unwrap(), "precious");
    assert!(restored.not_held.contains(&"file/ignored (ignored)".to_owned()), "{restored:?}");
}

#[test]
fn folders_that_may_not_be_written_to_are_opened_and_shut_again() {
    let place = Place::new();
    place.write("shut/inner/one", "1");
    place.write("shut/inner/two", "2");
    chmod(&place, "shut/inner", 0o555);
    chmod(&place, "shut", 0o555);
    let first = place.snapshot("post:one");
    chmod(&place, "shut/inner", 0o755);
    place.write("shut/inner/one", "changed");
    place.write("shut/inner/more", "new");
    fs::remove_file(place.workspace.path().join("shut/inner/two")).unwrap();
    chmod(&place, "shut/inner", 0o555);
    let restored = back(&place, &first);
    assert!(restored.left.is_empty(), "{restored:?}");
    assert_eq!(place.read("shut/inner/one").unwrap() + &place.read("shut/inner/two").unwrap(), "12");
    assert_eq!(place.read("shut/inner/more"), None);
    assert_eq!((mode(&place, "shut"), mode(&place, "shut/inner")), (0o555, 0o555));
    // For the folder's own removal.
    chmod(&place, "shut", 0o755);
    chmod(&place, "shut/inner", 0o755);
}

#[test]
fn files_that_hold_credentials_are_not_copied_unless_wanted_and_that_is_told() {
    let place = Place::new();
    place.write("sub/.env", "SECRET=7f3a9c\n");
    let first = place.snapshot("post:one");
    assert_eq!(place.files(&first.id), ["a"]);
    assert_eq!(first.left_out, ["sub/.env (made to hold credentials)"]);
    place.write("sub/.env", "SECRET=other\n");
    let restored = back(&place, &first);
    assert!(restored.not_held.contains(&"sub/.env (made to hold credentials)".to_owned()));
    assert_eq!(place.read("sub/.env").unwrap(), "SECRET=other\n");
    place.clock.advance(Duration::from_secs(1));
    place.shadow().secrets(true).take("post:two", place.clock.now()).unwrap();
    let second = place.shadow().list().unwrap().remove(0);
    assert_eq!(place.files(&second.id), ["a", "sub/.env"]);
}

#[test]
fn a_store_of_an_earlier_version_is_read_and_goes_on() {
    let place = Place::new();
    place.write(".env", "x");
    place.snapshot("post:one");
    place.clock.advance(Duration::from_secs(1));
    let shadow = place.shadow();
    // As it was: the tree of the files itself, no format, everything in it.
    let git = shadow.git.clone().env("GIT_AUTHOR_NAME", "x").env("GIT_AUTHOR_EMAIL", "x@x");
    let git = git.env("GIT_COMMITTER_NAME", "x").env("GIT_COMMITTER_EMAIL", "x@x");
    let date = format!("@{} +0000", place.clock.now().as_second());
    let git = git.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
    git.feed(&["update-index", "--add", "-z", "--stdin"], *b".env\0").unwrap();
    let tree = git.run(["write-tree"]).unwrap().text();
    let old = git.feed(&["commit-tree", tree.trim()], *b"post:old").unwrap().text();
    git.run(["update-ref", &shadow.branch, old.trim()]).unwrap();
    fs::rename(shadow.dir.join("hookspec-ready-2"), shadow.dir.join("hookspec-ready")).unwrap();
    let old = place.shadow().list().unwrap().remove(0);
    assert_eq!(place.shadow().changes(&old).unwrap().len(), 2);
    place.write("a", "two\n");
    let second = place.snapshot("post:new");
    assert_eq!(place.files(&second.id), ["a"], "what is left out today is left out");
    assert_eq!(place.shadow().changes(&second).unwrap().len(), 2, "compared with one of the earlier kind");
    back(&place, &old);
    assert_eq!(place.read("a").unwrap(), "one\n");
}

#[test]
fn many_files_are_taken_in_at_once_and_packed_when_the_session_ends() {
    let place = Place::new();
    for number in 0..1200 {
        place.write(&format!("d{}/f{number}", number % 7), &format!("text {number}\n").repeat(20));
    }
    let session = place.session("s");
    before(&session, &save());
    let objects = || {
        let count =
            place.shadow().git.run(["for-each-ref", "--format=%(refname)"]).unwrap().text().lines().count();
        let loose = walk(&place.shadow().dir.join("objects"));
        (count, loose)
    };
    assert!(objects().1 < 60, "they are in one file: {:?}", objects());
    let size = |place: &Place| -> u64 {
        let packs = place.shadow().dir.join("objects/pack");
        fs::read_dir(packs).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
    };
    let plain = size(&place);
    let _ = fire_now!(session, SESSION_END { reason: EndReason::Exit });
    assert_eq!(session.drain_now(Duration::from_secs(60)), []);
    assert!(size(&place) < plain, "{} of {plain}", size(&place));
    assert!(!place.shadow().dir.join("hookspec-plain").exists());
    let first = place.shadow().list().unwrap().remove(0);
    assert_eq!(place.files(&first.id).len(), 1201);
}

fn walk(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { walk(&path) } else { 1 }).sum()
}
