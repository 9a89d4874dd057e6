#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use super::*;

fn subject(folder: &Path, command: &str) -> Subject {
    Subject {
        file: folder.join("hookspec.toml"),
        part: "session.start".into(),
        text: command.to_owned(),
        commands: vec![Line::Shell(command.to_owned())],
        variables: vec![("PROJECT".to_owned(), folder.display().to_string())],
        cwd: folder.to_owned(),
    }
}

fn grant(fingerprint: Fingerprint) -> Grant {
    Grant { fingerprint, file: "f".into(), part: "p".into(), at: "now".into() }
}

#[test]
fn the_command_the_place_and_the_script_all_count() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&one, &two] {
        std::fs::write(folder.path().join("check.sh"), "echo 1").unwrap();
    }
    let print = |folder: &Path, command| subject(folder, command).fingerprint().unwrap();
    let first = print(one.path(), "./check.sh");
    assert_eq!(first, print(one.path(), "./check.sh"));
    assert_ne!(first, print(one.path(), "./check.sh -v"));
    assert_ne!(first, print(two.path(), "./check.sh"));
    std::fs::write(one.path().join("check.sh"), "echo 2").unwrap();
    assert_ne!(first, print(one.path(), "./check.sh"));
}

#[test]
fn files_are_found_wherever_they_stand_in_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap().join("a b.sh");
    std::fs::write(&real, "").unwrap();
    for line in [
        "'a b.sh'",
        "bash ./a\\ b.sh",
        "cd . && sh \"$PROJECT\"/'a b.sh'",
        "sh \"${PROJECT}/a b.sh\" | tee log",
        "env X=1 bash -c 'true' < 'a b.sh'",
    ] {
        assert_eq!(subject(folder.path(), line).files(), std::slice::from_ref(&real), "{line}");
    }
    std::fs::write(folder.path().join("x"), "").unwrap();
    assert_eq!(subject(folder.path(), "true;./x>out").files().len(), 1);
    assert!(subject(folder.path(), "/bin/sh -c true").files().is_empty(), "the system's own");
    assert!(subject(folder.path(), "unclosed ' quote").files().is_empty());
    let inner = folder.path().join("checks");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("one.sh"), "").unwrap();
    for line in [
        "cd checks && ./one.sh",
        "cd \"$PROJECT/checks\"; sh one.sh",
        "for f in ./checks/*.sh; do sh $f; done",
        "sh ${NOTHING:-./checks/one.sh}",
        "run -f./checks/one.sh",
        "sh -c 'cd checks; . ./one.sh'",
    ] {
        assert_eq!(subject(folder.path(), line).files().len(), 1, "{line}");
    }
    // What is only written to would change each time.
    for (line, count) in [
        ("echo >x", 0),
        ("echo 2>> 'x' | cat", 0),
        ("echo >&x;true", 0),
        ("sh >x x", 1),
        ("sh <>x", 1),
        ("sh -c '. $1' '>' x", 1),
        ("sh -c '. $1' \"a > \" x", 1),
        ("# '\nsh -c '. $1' '>' x", 1),
    ] {
        assert_eq!(subject(folder.path(), line).files().len(), count, "{line}");
    }
    let words = vec![Line::Words(["sh", "-c", ". ${0#>}", "> x"].map(str::to_owned).into())];
    assert_eq!(Subject { commands: words, ..subject(folder.path(), "") }.files().len(), 1);
}

#[test]
fn grants_last_until_they_are_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("new/trust.json"));
    let print = subject(folder.path(), "true").fingerprint().unwrap();
    assert!(!store.load().unwrap().has(&print));
    store.grant([grant(print.clone())]).unwrap();
    assert!(store.load().unwrap().has(&print));
    assert!(print.begins(print.short()) && !print.begins("sha") && !print.begins(""));
    let subject = subject(folder.path(), "true");
    assert_eq!(store.load().unwrap().standing(&subject, &print), Standing::Trusted);
    assert_eq!(store.revoke(|grant| grant.part == "p").unwrap().len(), 1);
    assert_eq!(store.load().unwrap().standing(&subject, &print), Standing::New);
    let before = Grant { file: subject.file.clone(), part: subject.part.clone(), ..grant(print.clone()) };
    store.grant([before]).unwrap();
    let other = Fingerprint("sha256:0".into());
    assert_eq!(store.load().unwrap().standing(&subject, &other), Standing::Changed);
    store.revoke(|_| true).unwrap();
    assert!(!store.load().unwrap().has(&print));
}

#[test]
fn writers_lose_nothing_to_each_other_and_a_damaged_list_trusts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("trust.json"));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (store, folder) = (&store, folder.path());
            scope.spawn(move || {
                let print = subject(folder, &format!("echo {number}")).fingerprint().unwrap();
                store.grant([grant(print)]).unwrap();
            });
        }
    });
    assert_eq!(store.load().unwrap().iter().count(), 8);
    std::fs::write(store.path(), "{\"version\":2,\"grants\":[]}").unwrap();
    assert!(store.load().unwrap_err().to_string().contains("version 2"));
    std::fs::write(store.path(), "{").unwrap();
    let error = store.grant([]).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
    assert_eq!(std::fs::read_to_string(store.path()).unwrap(), "{", "it is not overwritten");
}
