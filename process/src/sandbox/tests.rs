use super::*;

#[test]
fn paths_are_judged_as_the_sandbox_does() {
    let folder = tempfile::tempdir_in("/var").unwrap_or_else(|_| tempfile::tempdir().unwrap());
    let workspace = folder.path().canonicalize().unwrap();
    for name in [".git/hooks", "src"] {
        std::fs::create_dir_all(workspace.join(name)).unwrap();
    }
    for name in [".env", "src/main.rs", "dev.env"] {
        std::fs::write(workspace.join(name), "").unwrap();
    }
    let sandbox = Sandbox::new(Profile::Workspace, &workspace).shown(["dev.env"]);
    let read_only = Sandbox::new(Profile::ReadOnly, &workspace);
    for (path, read, write) in [
        (".env", false, false),
        ("./src/../.env", false, false),
        (".env.new", false, true),
        ("dev.env", true, true),
        ("src/main.rs", true, true),
        ("src/new/deep.rs", true, true),
        (".git/hooks/pre-commit", true, false),
        (".git/index", true, true),
        ("sub/.git/config", true, false),
        ("/etc/hostname", true, false),
        ("../beside", true, false),
        ("/tmp/x", true, true),
    ] {
        let path = Path::new(path);
        assert_eq!(!sandbox.forbids_reading(path), read, "read {path:?}");
        assert_eq!(!sandbox.forbids_writing(path), write, "write {path:?}");
        assert!(!path.starts_with("src") || read_only.forbids_writing(path));
    }
    let open = sandbox.granted(&[Grant::Write(".git/config".into()), Grant::Read(workspace.join(".env"))]);
    assert!(!open.forbids_reading(Path::new(".env")) && open.forbids_writing(Path::new(".env")));
    assert!(!open.forbids_writing(Path::new(".git/config")));
    assert!(sandbox.forbids_reading(Path::new(".env")), "a grant is for its own clone");
    let full = sandbox.granted(&[Grant::Everything]);
    assert!(!full.forbids_reading(Path::new(".env")) && !full.forbids_writing(Path::new("/etc/x")));
}
