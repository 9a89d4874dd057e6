//! Where the system has less: what is held still, and that it is said.

use super::*;
use hookspec_process::sandbox::{Network, SandboxError};

#[test]
fn without_namespaces_writing_and_homes_are_held() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    let elsewhere = outside();
    let less = world.sandbox.clone().without([Part::Namespaces]);
    world.sh_with(&less, "echo a > a && cat a && cat <<< x && sleep 0.01 & wait").succeeds();
    world.sh_with(&less, &format!("echo x > {}/x", elsewhere.path().display())).fails();
    world.sh_with(&less, "unshare -Urm true").fails();
    world.sh_with(&less, &format!("kill -0 {}", std::process::id())).fails();
    let ran = world.sh_with(&less, "exit 9");
    assert_eq!(ran.output.status.code(), Some(9));
    let hidden = less.clone().hidden(elsewhere.path());
    std::fs::write(elsewhere.path().join("token"), SECRET).unwrap();
    let text = world
        .sh_with(
            &hidden,
            &format!("cat {}/token; ls /usr > /dev/null && echo usr", elsewhere.path().display()),
        )
        .text();
    assert!(!text.contains(SECRET) && text.contains("usr"), "{text}");
    let mark = sleep();
    let ran = world.sh_with(
        &less,
        &format!("setsid sh -c '{mark} & {mark}' > /dev/null 2>&1 & {mark} > /dev/null 2>&1 &"),
    );
    while running(&mark) < 3 {
        std::thread::yield_now();
    }
    drop(ran);
    assert_eq!(running(&mark), 0);
    if has("python3") {
        let reach = "python3 -c 'import socket; socket.socket(socket.AF_INET)'";
        world.sh_with(&less.clone().network(Network::Off), reach).fails();
        world.sh_with(&less, reach).succeeds();
    }
}

#[test]
fn without_landlock_secrets_are_hidden_and_what_runs_later_is_protected() {
    if !is_whole() {
        return;
    }
    let world = World::with_repository();
    let less = world.sandbox.clone().without([Part::Landlock]);
    let text =
        world.sh_with(&less, "cat .env; echo x >> .git/config; echo new > new && cat new").succeeds().text();
    assert!(!text.contains(SECRET) && text.contains("new"), "{text}");
    world.sh_with(&less, "echo x >> .git/config").fails();
    world.sh_with(&less, "echo 1 > /proc/sys/kernel/core_pattern").fails();
    world.sh_with(&less, "umount -l .env && cat .env").fails();
    let elsewhere = outside();
    world.sh_with(&less, &format!("echo x > {}/x", elsewhere.path().display())).fails();
}

#[test]
fn a_sandbox_that_is_required_lets_nothing_run_where_it_is_not_held() {
    let world = World::new();
    let less = world.sandbox.clone().without([Part::Namespaces]).required(true);
    let error = less.confine(&mut bash(&world.path(""), "true")).unwrap_err();
    assert!(matches!(error, SandboxError::NotHeld(_)) && error.to_string().contains("required"), "{error}");
    if support().is_complete() {
        let whole = world.sandbox.clone().required(true);
        world.sh_with(&whole, "true").succeeds();
    }
    for sentence in support().held().iter().chain(support().missing()) {
        assert!(sentence.ends_with('.'), "{sentence}");
    }
}
