//! What may be written, and what not.

use super::*;
use hookspec_process::sandbox::Network;

#[test]
fn only_the_workspace_and_the_temporary_folder_are_written() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    let elsewhere = outside();
    let other = elsewhere.path().canonicalize().unwrap();
    std::fs::write(other.join("file"), "before").unwrap();
    world
        .sh("echo a > a; mkdir -p b/c; mv a b/c/; ln -s b l; rm -r b l; f=$(mktemp) && echo x > $f && rm $f")
        .succeeds();
    for script in [
        "echo x > OTHER/new",
        "echo x >> OTHER/file",
        "rm OTHER/file",
        "mv OTHER/file .",
        "mv OTHER/file OTHER/x",
        "mkdir OTHER/d",
        "ln -s /bin OTHER/l",
        "ln OTHER/file hard && echo x > hard",
        "truncate -s 0 OTHER/file",
        "cp /bin/true OTHER/t",
        "mkfifo OTHER/p",
        "ln -s OTHER out && echo x > out/new",
        "cd OTHER && echo x > new",
        "echo x > ~/.bashrc-of-hookspec",
        "echo x > /etc/hookspec",
        "echo x > /usr/hookspec",
        "rmdir OTHER",
        "mv OTHER ./",
        "echo 1 > /proc/sys/kernel/core_pattern",
        "echo x > /proc/sysrq-trigger",
        "echo x > /sys/kernel/uevent_helper",
        "mkdir /sys/fs/cgroup/x",
        "echo x > /dev/kmsg",
        "mknod null c 1 3",
        "rm -rf OTHER/",
    ] {
        world.sh(&script.replace("OTHER", &other.to_string_lossy())).fails();
    }
    assert_eq!(std::fs::read_to_string(other.join("file")).unwrap(), "before");
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1);
    let open = world.sandbox.clone().writable(&other);
    world.sh_with(&open, &format!("echo x > {}/new", other.display())).succeeds();
    world
        .granted(&[Grant::Write(other.join("file"))], &format!("echo x > {}/file", other.display()))
        .succeeds();
    world
        .granted(&[Grant::Write(other.join("file"))], &format!("echo x > {}/second", other.display()))
        .fails();
}

#[test]
fn read_only_writes_nothing_but_temporary_files() {
    if !is_whole() {
        return;
    }
    let world = World::with(Profile::ReadOnly);
    world.write("a.txt", "a");
    world.sh("cat a.txt && cat <<< here && mktemp").succeeds();
    for script in ["echo x > a.txt", "echo x > new", "rm a.txt", "mkdir d", "git init"] {
        world.sh(script).fails();
    }
}

#[test]
fn what_runs_later_is_not_written() {
    if !is_whole() {
        return;
    }
    let world = World::with_repository();
    world.write(".claude/settings.json", "{}");
    world.write("hookspec.toml", "");
    world.write("lib/.git/config", "[core]\n\tbare = false\n");
    world.write("lib/.git/HEAD", "ref: refs/heads/main\n");
    let before = std::fs::read_to_string(world.path(".git/config")).unwrap();
    for script in [
        "echo evil > .git/hooks/pre-commit",
        "echo evil >> .git/config",
        "git config core.fsmonitor evil",
        "git config alias.x '!evil'",
        "mv .git/hooks .git/h && mkdir .git/hooks",
        "rm -rf .git/hooks",
        "rm .git/hooks/commit-msg.sample",
        "mv .git .git2",
        "echo x > .git/hooks.new && mv -T .git/hooks.new .git/config",
        "cp .git/config c && echo evil >> c && mv -f c .git/config",
        "ln -sf /tmp/evil .git/config",
        "echo '{\"hooks\": 1}' > .claude/settings.json",
        "echo x > .claude/settings.local.json",
        "mv .claude .c",
        "echo x >> hookspec.toml",
        "mv hookspec.toml h",
        "rm hookspec.toml",
        "echo x >> lib/.git/config",
        "mv lib/.git lib/x",
    ] {
        world.sh(script).fails();
    }
    let emptied = World::with_repository();
    emptied.sh("rm -rf .git && git init && printf '#!/bin/sh' > .git/hooks/pre-commit").fails();
    emptied.sh("mkdir -p .git/hooks && echo x > .git/hooks/pre-commit").fails();
    // A folder above may be moved: what is protected moves with it.
    world.sh("mv lib other && ! echo x >> other/.git/config && mv other lib").succeeds();
    assert_eq!(std::fs::read_to_string(world.path(".git/config")).unwrap(), before);
    assert_eq!(std::fs::read_to_string(world.path(".claude/settings.json")).unwrap(), "{}");
    let own = world.path(".claude/settings.json");
    let open = world.granted(
        &[Grant::Write(own.clone())],
        "echo new > .claude/settings.json && ! echo x >> hookspec.toml",
    );
    assert_eq!(open.succeeds().findings, Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(own).unwrap(), "new\n");
    world
        .granted(
            &[Grant::Write(".git/config".into())],
            "git config a.b c && git remote add o https://example.org/x",
        )
        .succeeds();
}

#[test]
fn what_is_made_anew_is_moved_aside_and_told() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    world.write("src/a.rs", "");
    let ran = world.sh("mkdir -p .claude sub/.cursor && echo '{}' > .claude/settings.json && echo x > .mcp.json && echo x > sub/.cursor/hooks.json");
    let told = ran.succeeds().findings.join("\n");
    for name in ["`.claude`", "`.mcp.json`", "`sub/.cursor`"] {
        assert!(told.contains(name), "{told}");
    }
    assert!(!world.path(".claude").exists() && world.path(".claude.held/settings.json").exists());
    assert!(!world.path("sub/.cursor").exists() && !world.path(".mcp.json").exists());
    // A repository of its own is ordinary; with a hook in it, it is not.
    let ran =
        world.sh("git init -q new && cd new && git config user.name x && echo a > a && git add a").succeeds();
    assert_eq!(ran.findings, Vec::<String>::new());
    let ran = world.sh("git init -q evil && printf '#!/bin/sh\\n' > evil/.git/hooks/post-checkout && git -C evil config core.fsmonitor ./x");
    let told = ran.succeeds().findings.join("\n");
    assert!(told.contains("post-checkout") && told.contains("evil/.git/config"), "{told}");
    assert!(
        !world.path("evil/.git/hooks/post-checkout").exists() && !world.path("evil/.git/config").exists()
    );
    // Twice, and by a name with a line break in it.
    let ran = world.sh("mkdir .claude; mkdir -p $'a\\nb/.gemini'");
    let told = ran.findings.join("|");
    assert!(told.contains(".claude.1.held") && told.contains(r"a\nb/.gemini"), "{told}");
    // What was there stays, and what a yes opened.
    world.write(".vscode/tasks.json", "{}");
    let ran = world.granted(
        &[Grant::Write(".codex".into())],
        "mkdir .codex && echo x > .codex/config.toml && cat .vscode/tasks.json",
    );
    assert_eq!(ran.succeeds().findings, Vec::<String>::new());
    assert!(world.path(".codex/config.toml").exists());
}

#[test]
fn a_further_tree_of_a_repository_can_be_committed_to() {
    if !is_whole() {
        return;
    }
    let main = World::with_repository();
    let folder = outside();
    let tree = folder.path().canonicalize().unwrap().join("tree");
    let status = Command::new("git")
        .args(["worktree", "add", "-q"])
        .arg(&tree)
        .current_dir(main.path(""))
        .status()
        .unwrap();
    assert!(status.success());
    let sandbox = Sandbox::new(Profile::Workspace, &tree);
    let world = World { folder, sandbox };
    let sh = |script: &str| world.sh(&format!("cd tree && {script}"));
    sh("echo b > b && git add b && git commit -qm two && git checkout -q -b more").succeeds();
    sh(&format!("echo x > {}/.git/hooks/pre-commit", main.path("").display())).fails();
    sh("git config core.pager evil").fails();
    sh("echo 'gitdir: /evil' > .git").fails();
    sh(&format!("echo x > {}/a.txt", main.path("").display())).fails();
    // A file that only says so opens nothing.
    let liar = World::new();
    liar.write(".git", &format!("gitdir: {}\n", main.path(".git").display()));
    liar.sh(&format!("echo x > {}/.git/x", main.path("").display())).fails();
}

#[test]
fn the_network_is_what_was_said() {
    if !is_whole() || !has("python3") {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let world = World::new();
    let reach = format!("python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 2)\"");
    world.sh(&reach).succeeds();
    for network in [Network::Off, Network::Loopback] {
        let closed = world.sandbox.clone().network(network);
        world.sh_with(&closed, &reach).fails();
        world.sh_with(&closed.granted(&[Grant::Network]), &reach).succeeds();
    }
    let serve = "python3 -c \"import socket,sys\ns = socket.create_server(('127.0.0.1', 47113)); open('ready', 'w').close()\nwhile True: s.accept()[0].sendall(b'hello')\" & while [ ! -e ready ]; do sleep 0.01; done";
    let look =
        "python3 -c \"import socket; print(socket.create_connection(('127.0.0.1', 47113), 2).recv(9))\"";
    let inside = world.sandbox.clone().network(Network::Loopback);
    let _server = world.sh_with(&inside, &format!("({serve}) > /dev/null 2>&1")).succeeds();
    world.sh_with(&inside, look).succeeds();
    world.sh(look).fails();
}
