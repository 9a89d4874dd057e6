//! A secret's bytes do not come out, whatever the command.

use super::*;

/// None of these commands shows the secret, and each is let run: what they print is looked at, not how they end.
#[track_caller]
fn keeps(world: &World, scripts: &[&str]) {
    for script in scripts {
        let text = world.sh(script).text();
        assert!(!text.contains(SECRET) && !text.contains("aHVudGVyMi1mcm9t"), "{script}\n{text}");
    }
}

#[test]
fn no_program_opens_a_secret_file() {
    if !is_whole() {
        return;
    }
    let world = World::with_repository();
    world.write("config/prod.env", &format!("TOKEN={SECRET}\n"));
    world.write("keys/server.pem", &format!("-----BEGIN PRIVATE KEY-----\n{SECRET}\n"));
    let python = "python3 -c \"import os\nfor top, _, names in os.walk('.'):\n  for name in names:\n    try: print(open(os.path.join(top, name), errors='replace').read())\n    except OSError: pass\"";
    keeps(
        &world,
        &[
            "cat .env",
            "cat<.env",
            "cat .e*",
            "cat ./config/../.env; cat $PWD/.env",
            "cat config/prod.env keys/server.pem",
            "dd if=.env bs=1 2>&1",
            "tar cf - . 2>/dev/null | base64",
            "tar cf - . 2>/dev/null | tar xO",
            "find . -name .env -exec cat {} +",
            "find . -type f | xargs cat",
            "cp .env x; cat x",
            "cp -a . /tmp/copy-$$ 2>/dev/null; cat /tmp/copy-$$/.env; rm -rf /tmp/copy-$$",
            "ln .env hard; cat hard",
            "ln -s .env soft; cat soft",
            "mv .env x; cat x",
            "rm -f .env; cat .env",
            "mv config moved && cat moved/prod.env; mv moved config",
            "mkdir new && mv config new/ && cat new/config/prod.env; mv new/config .",
            "cp -r config other; cat other/prod.env",
            "exec 3<.env; cat <&3",
            "while read line; do echo \"$line\"; done < .env",
            "source ./.env; echo $TOKEN",
            "grep -r . . 2>/dev/null",
            "sed '' .env; awk 1 .env; head .env; strings .env; xxd .env; od -c .env",
            "git add -f .env; git diff --cached; git show :.env",
            "git hash-object -w .env | xargs git cat-file -p",
            "git stash -u -a; git stash show -p --include-untracked",
            "diff .env /dev/null; cmp -l .env /dev/null",
            "curl -s file://$PWD/.env",
            "chmod 777 .env; chown nobody .env; cat .env",
            "truncate -s 0 .env; echo x > .env; cat .env",
            "echo y >> .env; cat .env",
            "mount --bind /bin .env; umount .env; umount -l .env; cat .env",
            "perl -e 'open F, \"<.env\"; print <F>'",
            python,
        ],
    );
    assert_eq!(
        std::fs::read_to_string(world.path(".env")).unwrap(),
        format!("TOKEN={SECRET}\n"),
        "and it is whole"
    );
    assert!(world.path("config/prod.env").exists());
}

#[test]
fn no_way_around_the_mounts_leads_to_a_secret() {
    if !is_whole() {
        return;
    }
    let world = World::with_repository();
    keeps(
        &world,
        &[
            "unshare -Urm sh -c 'umount -l .env; mount --bind . /mnt; cat .env /mnt/.env'",
            "unshare -U cat .env; unshare -m cat .env",
            "for p in /proc/[0-9]*; do cat $p/root$PWD/.env $p/cwd/.env $p/environ; done 2>&1",
            "for p in 1 2 3 4 5; do nsenter -t $p -m cat $PWD/.env; done",
            "cat /proc/self/root$PWD/.env; cat /proc/thread-self/cwd/.env",
            "chroot / cat $PWD/.env; chroot . /bin/true",
            "strings /dev/mem /dev/kmem /proc/kcore 2>&1 | head -c 10000",
            "for d in /dev/vd* /dev/sd* /dev/nvme* /dev/dm-*; do test -b $d && head -c 100 $d && echo opened; done",
            "mknod disk b 254 0 && head -c 10 disk && echo opened",
            "debugfs -R \"cat $PWD/.env\" /dev/vda",
            "gdb -p 1 -batch -ex 'x/s 0'; strace -p 1 true",
            "python3 -c \"import ctypes,os; l=ctypes.CDLL(None,use_errno=True); print(l.syscall(425,8,0), ctypes.get_errno())\"",
            "python3 -c \"import ctypes; l=ctypes.CDLL(None,use_errno=True); fd=l.syscall(428,-100,b'/',1); print(fd); l.fchdir(fd)\"; cat .env",
            "python3 -c \"import ctypes,os; l=ctypes.CDLL(None); h=ctypes.create_string_buffer(128); print(l.syscall(304,-100,h,0))\"; cat .env",
        ],
    );
    let opened = world.sh("for d in /dev/[vsx]d[a-z]* /dev/nvme* /dev/dm-* /dev/mem /proc/kcore; do head -c 1 $d >/dev/null 2>&1 && echo opened $d; done; true");
    assert_eq!(opened.text(), "");
}

#[test]
fn system_calls_around_the_sandbox_are_refused() {
    if !is_whole() || !has("python3") {
        return;
    }
    let world = World::new();
    let script = "import ctypes, os, struct\nl = ctypes.CDLL(None, use_errno=True)\ndef call(*a):\n  r = l.syscall(*a)\n  return ctypes.get_errno() if r < 0 else 0\nfor name, a in [\n('io_uring_setup', (425, 8, ctypes.create_string_buffer(120))), ('bpf', (321, 0, ctypes.create_string_buffer(128), 128)), ('keyctl', (250, 0, -3, 0)),\n('perf', (298, ctypes.create_string_buffer(128), 0, -1, -1, 0)), ('userfaultfd', (323, 0)), ('mount', (165, b'/bin', b'/mnt', 0, 4096, 0)),\n('open_tree', (428, -100, b'/', 1)), ('setns', (308, os.open('/proc/self/ns/uts', 0), 0)), ('unshare', (272, 0x10000000)), ('clone', (56, 0x10000011, 0, 0, 0, 0)),\n('clone3', (435, 0, 0)), ('x32', (0x40000000 + 39,)), ('tiocsti', (16, 0, 0x5412, b'x')), ('tiocsti high', (16, 0, 0x100005412, b'x')), ('ptrace', (101, 16, 1, 0, 0))]:\n  print(name, call(*a))";
    let ran = world.sh(&format!("python3 - <<'EOF'\n{script}\nEOF"));
    let text = ran.text();
    let expected = "io_uring_setup 1\nbpf 1\nkeyctl 1\nperf 1\nuserfaultfd 1\nmount 1\nopen_tree 1\nsetns 1\nunshare 1\nclone 1\nclone3 38\nx32 38\ntiocsti 1\ntiocsti high 1\nptrace 1\n";
    if cfg!(target_arch = "x86_64") {
        assert_eq!(text, expected);
    }
}

#[test]
fn a_secret_that_is_a_link_or_has_another_name_is_hidden_too() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    world.write("shared/development.txt", SECRET);
    std::os::unix::fs::symlink("shared/development.txt", world.path(".env")).unwrap();
    let elsewhere = outside();
    std::fs::write(elsewhere.path().join("plain"), SECRET).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("plain"), world.path("prod.env")).unwrap();
    world.write("secrets/.netrc", SECRET);
    std::fs::hard_link(world.path("secrets/.netrc"), world.path("innocent.txt")).unwrap();
    std::fs::create_dir(world.path("node_modules")).unwrap();
    std::fs::hard_link(world.path("secrets/.netrc"), world.path("node_modules/index.js")).unwrap();
    keeps(
        &world,
        &[
            "cat .env shared/development.txt prod.env",
            &format!("cat {}", elsewhere.path().join("plain").display()),
            "cat innocent.txt secrets/.netrc node_modules/index.js",
        ],
    );
}

#[test]
fn names_that_try_to_be_overlooked_are_not() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    for name in [
        ".ENV",
        "a b/.env",
        "new\nline/.env",
        "-n/.env",
        "ä/.env.local",
        "deep/a/b/c/d/e/f/g/.env",
        "x/.env.",
        "$(id)/.env",
    ] {
        world.write(name, SECRET);
    }
    let outcome = world.sh("find . -type f -print0 | xargs -0 cat; true").text();
    assert!(!outcome.contains(SECRET), "{outcome}");
}

#[test]
fn a_secret_that_appears_between_two_commands_is_hidden_from_the_next() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    world.sh("true").succeeds();
    world.write("late/.env", SECRET);
    let text = world.sh("cat late/.env").fails().text();
    assert!(text.contains("Permission denied"), "{text}");
    std::fs::rename(world.path("late"), world.path("later")).unwrap();
    world.sh("cat later/.env").fails();
    std::fs::remove_file(world.path("later/.env")).unwrap();
    world.sh("echo mine > later/.env && cat later/.env").succeeds();
}

#[test]
fn a_secret_that_one_command_moved_is_hidden_from_the_next() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    for name in ["a/.env", "b/.aws/credentials", "c/.env", "d/.env", "e/deep/.netrc"] {
        world.write(name, SECRET);
    }
    world.write("elsewhere/plain", "plain");
    let beside = tempfile::Builder::new().prefix("hookspec-moved-").tempdir_in("/var/tmp").unwrap();
    let beside = beside.path().display();
    let moves = "mkdir -p node_modules/x target; mv a node_modules/x/; mv b/.aws b/plain; mv c node_modules; mv d BESIDE/; mv e .git-not";
    let _first = world.sh(&moves.replace("BESIDE", &beside.to_string()));
    let all = format!(
        "find . {beside} -type f -exec cat {{}} +; cat b/plain/credentials node_modules/*/.env {beside}/d/.env"
    );
    keeps(&world, &[&all, &all]);
    // Again and again, and one that is removed by the user is forgotten.
    world.sh("mv node_modules/x/a back; mv b/plain/ b/other").succeeds();
    keeps(&world, &["cat back/.env b/other/credentials", "find . -type f -exec cat {} +"]);
    std::fs::remove_dir_all(world.path("b")).unwrap();
    world.sh("mkdir -p b/other; echo mine > b/other/credentials; cat b/other/credentials").succeeds();
}

#[test]
fn a_folder_that_moves_while_commands_start_uncovers_nothing() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    world.write("here/.env", SECRET);
    std::fs::create_dir(world.path("decoy")).unwrap();
    world.write("decoy/.env", "decoy");
    let moving = "while :; do mv here there; ln -s decoy here; rm here; mv there here; done";
    let mut command = bash(&world.path(""), moving);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let leash = world.sandbox.confine(&mut command).unwrap();
    let mut mover = command.spawn().unwrap();
    let mut ran = 0;
    for _ in 0..100 {
        let mut command = bash(&world.path(""), "for i in 1 2 3 4 5; do cat */.env; done");
        let _leash = world.sandbox.confine(&mut command).unwrap();
        // One that finds another file than was looked at does not start.
        let Ok(output) = command.output() else { continue };
        ran += 1;
        assert!(!String::from_utf8_lossy(&output.stdout).contains(SECRET));
    }
    assert!(ran > 0);
    drop(leash);
    mover.wait().unwrap();
}

#[test]
fn a_yes_opens_what_it_names_for_one_command() {
    if !is_whole() {
        return;
    }
    let world = World::with_repository();
    world.write("other.env", SECRET);
    let env = world.path(".env");
    let read = world.granted(&[Grant::Read(env.clone())], "cat .env; cat other.env; echo x >> .env");
    assert_eq!(read.text().matches(SECRET).count(), 1, "{}", read.text());
    world
        .granted(&[Grant::Write(".env".into())], "echo more >> .env && rm .env && mv .gitignore .env")
        .succeeds();
    world.write(".env", SECRET);
    world.sh("cat .env").fails();
    world.granted(&[Grant::Everything], "cat .env other.env").succeeds();
    let shown = world.sandbox.clone().shown(["other.env"]);
    let text = world.sh_with(&shown, "cat other.env .env").text();
    assert_eq!(text.matches(SECRET).count(), 1, "{text}");
    let hidden = world.sandbox.clone().hidden("a.txt").hidden("../nothing");
    world.sh_with(&hidden, "cat a.txt").fails();
    world.sh("cat a.txt").succeeds();
}

#[test]
fn variables_and_doors_do_not_reach_a_command() {
    if !is_whole() {
        return;
    }
    let world = World::new();
    let listening = world.path("agent.sock");
    let _socket = std::os::unix::net::UnixListener::bind(&listening).unwrap();
    let mut command =
        bash(&world.path(""), "env; cat /proc/self/environ; cat /proc/$PPID/environ; cat /proc/1/environ");
    command.env("SET_ON_IT", "yes");
    let leash = world.sandbox.confine(&mut command).unwrap();
    let text = String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned();
    drop(leash);
    assert!(text.contains("SET_ON_IT=yes") && text.contains("PATH="), "{text}");
    assert!(!text.contains("CARGO_PKG_NAME_NOT") && !text.contains("SSH_AUTH_SOCK"), "{text}");
    for door in ["/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"] {
        if Path::new(door).exists() && has("python3") {
            let script =
                format!("python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{door}')\"");
            world.sh(&script).fails();
        }
    }
}
