//! The same for an ordinary user, where the tests run as root.

use super::*;

#[test]
fn slow_an_ordinary_user_is_held_as_well() {
    if !rustix::process::geteuid().is_root()
        || !has("setpriv")
        || std::env::var_os("HOOKSPEC_TEST_USER").is_some()
    {
        return;
    }
    // What an ordinary user can run and write: the program of these tests, and a home.
    let place = tempfile::Builder::new().prefix("hookspec-user-").tempdir_in("/var/tmp").unwrap();
    let home = outside_temporary();
    let program = place.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    use std::os::unix::fs::PermissionsExt;
    for (path, mode) in [(place.path(), 0o755), (&program, 0o755), (home.path(), 0o777)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(&program)
        .args(["--skip", "slow_", "--skip", "cargo", "--test-threads", "4"])
        .env("HOME", home.path())
        .env("HOOKSPEC_TEST_USER", "1")
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env_remove("CARGO_HOME")
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("secrets::no_program_opens_a_secret_file ... ok"), "{text}");
}

fn outside_temporary() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("hookspec-home-").tempdir_in("/srv").unwrap()
}
