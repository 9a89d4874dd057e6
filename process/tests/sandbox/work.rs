//! Ordinary work goes on.

use super::*;

#[test]
fn a_shell_works_as_ever() {
    let world = World::new();
    for (script, out) in [
        ("echo a | tr a b", "b\n"),
        ("cat <<EOF\nhere\nEOF", "here\n"),
        ("diff <(echo a) <(echo a) && echo same", "same\n"),
        ("f=$(mktemp); echo x > $f; cat $f; rm $f", "x\n"),
        ("sleep 0.01 & wait && echo waited", "waited\n"),
        ("echo to-null > /dev/null; echo err > /dev/stderr; echo out > /dev/stdout", "out\n"),
        ("head -c 4 /dev/urandom | wc -c", "4\n"),
        ("yes | head -n 1", "y\n"),
        ("mkdir -p a/b && cd a/b && pwd | grep -c /a/b", "1\n"),
        ("test -t 0 || echo no terminal", "no terminal\n"),
        ("ulimit -n > /dev/null && echo ok", "ok\n"),
        ("(exec -a named sleep 0) && echo ok", "ok\n"),
        ("mkfifo p && (echo through > p &) && cat p && rm p", "through\n"),
        ("ps -o comm= -p $$; true", "bash\n"),
        ("kill -0 $$ && echo alive", "alive\n"),
        ("trap 'echo trapped' EXIT; true", "trapped\n"),
        ("chmod +x a && touch -d 2020-01-01 a && echo ok", "ok\n"),
    ] {
        let ran = world.sh(script);
        assert_eq!(String::from_utf8_lossy(&ran.output.stdout), out, "{script}: {}", ran.text());
    }
}

#[test]
fn git_works() {
    let world = World::with_repository();
    for script in [
        "git status --short && git log --oneline",
        "echo b > b && git add -A && git commit -qm two && git diff HEAD~1",
        "git checkout -q -b feature && echo c > c && git add c && git commit -qm three && git checkout -q main && git merge -q feature",
        "echo d >> a.txt && git stash -q && git stash pop -q && git commit -qam four",
        "git rebase -q HEAD~1 && git tag v1 && git branch -d feature && git reset -q --hard HEAD~1 && git gc -q",
        "git worktree add -q ../$(basename $PWD)/tree && cd tree && echo e > e && git add e && git commit -qm five",
        "git mv a.txt z.txt && git commit -qm moved && git clean -fdq",
        "git clone -q . copy && cd copy && git log --oneline && git pull -q",
    ] {
        world.sh(script).succeeds();
    }
    assert!(std::fs::read_to_string(world.path(".env")).unwrap().contains(SECRET));
}

#[test]
fn slow_cargo_builds_and_tests() {
    let world = World::new();
    world.write(
        "Cargo.toml",
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    world.write("src/lib.rs", "pub fn two() -> u32 { 2 }\n#[test]\nfn is_two() { assert_eq!(two(), 2); }\n");
    world.write("build.rs", "fn main() { println!(\"cargo::rerun-if-changed=build.rs\"); }\n");
    // The folder of this test's own build must not be the one of the small crate.
    world.sh("unset CARGO_TARGET_DIR; cargo test --offline").succeeds();
    world.sh("unset CARGO_TARGET_DIR; cargo build --offline && cargo run --offline --example none; test -d target/debug").succeeds();
}

#[test]
fn make_compiles() {
    if !has("make") || !has("cc") {
        return;
    }
    let world = World::new();
    world.write("a.c", "#include <stdio.h>\nint main(void) { puts(\"made\"); return 0; }\n");
    world.write("Makefile", "a: a.c\n\tcc -o a a.c\n");
    let ran = world.sh("make -s -j2 && ./a").succeeds();
    assert_eq!(ran.text(), "made\n");
}

#[test]
fn node_and_python_work() {
    let world = World::new();
    if has("node") {
        world.write("package.json", "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node -e 'console.log(6*7)'\"}}");
        let ran = world.sh("npm test --silent").succeeds();
        assert!(ran.text().contains("42"), "{}", ran.text());
    }
    if has("python3") {
        world.sh("python3 -m venv --without-pip env2 && env2/bin/python -c 'import subprocess, threading, multiprocessing; print(subprocess.check_output([\"echo\", \"x\"]))'").succeeds();
        world.sh("python3 -c 'import multiprocessing as m\nif __name__ == \"__main__\":\n  with m.Pool(2) as p: print(p.map(abs, [-1]))'").succeeds();
    }
}

#[test]
fn package_caches_are_written_as_a_layer_of_their_own() {
    if !is_whole() {
        return;
    }
    let home = outside();
    let of = |script: &str| {
        // The home is a variable of the whole process, so that another one looks at this.
        let mut tests = Command::new(std::env::current_exe().unwrap());
        tests
            .args(["--exact", "work::in_a_home", "--nocapture"])
            .env("HOME", home.path())
            .env("HOOKSPEC_TEST_SCRIPT", script);
        tests.env_remove("CARGO_HOME").env_remove("XDG_CACHE_HOME").env_remove("XDG_STATE_HOME");
        let output = tests.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    std::fs::create_dir_all(home.path().join("work")).unwrap();
    for file in [
        ".cargo/registry/src/a.rs",
        ".cargo/bin/tool",
        ".cargo/credentials.toml",
        ".npm/_cacache/x",
        ".cache/x",
    ] {
        let path = home.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, SECRET).unwrap();
    }
    let text = of(
        "echo evil > ~/.cargo/registry/src/a.rs; echo evil > ~/.cargo/bin/tool; rm ~/.npm/_cacache/x; echo new > ~/.cache/new; \
                   cat ~/.cargo/registry/src/a.rs ~/.cache/new; cat ~/.cargo/credentials.toml; rm -f ~/.cargo/credentials.toml; mv ~/.cargo/credentials.toml ~/.cargo/c; cat ~/.cargo/c",
    );
    assert!(text.contains("evil\nnew\n") && !text.contains(SECRET), "{text}");
    for file in [
        ".cargo/registry/src/a.rs",
        ".cargo/bin/tool",
        ".cargo/credentials.toml",
        ".npm/_cacache/x",
        ".cache/x",
    ] {
        assert_eq!(std::fs::read_to_string(home.path().join(file)).unwrap(), SECRET, "{file}");
    }
    assert!(!home.path().join(".cache/new").exists());
    // It is there again in the next session of the workspace, and not in the layer's own folder by another path.
    let text = of("cat ~/.cache/new; echo x > ~/.local/state/hookspec/y; ls ~/.local/state/hookspec/y");
    assert!(text.contains("new\n") && !home.path().join(".local/state/hookspec/y").exists(), "{text}");
    let text = of("echo x > ~/new; echo x > ~/.bashrc; ls -a ~");
    assert!(!text.contains(".bashrc"), "{text}");
}

/// Not a test of its own: what the one before runs in another home.
#[test]
fn in_a_home() {
    let Ok(script) = std::env::var("HOOKSPEC_TEST_SCRIPT") else { return };
    let workspace = std::env::home_dir().unwrap().join("work");
    let mut command = bash(&workspace, &script);
    let sandbox = Sandbox::new(Profile::Workspace, &workspace);
    let _leash = sandbox.confine(&mut command).unwrap();
    command.status().unwrap();
}

#[test]
fn a_server_in_the_background_is_reached_by_the_next_command() {
    if !has("python3") || !has("curl") {
        return;
    }
    let world = World::new();
    world.write("page", "hello");
    let serve = "python3 -c \"import http.server as h\ns = h.ThreadingHTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\nopen('port.new', 'w').write(str(s.server_port))\nimport os; os.rename('port.new', 'port')\ns.serve_forever()\" > log 2>&1 &";
    let _server = world.sh(serve).succeeds();
    let ran = world
        .sh("while [ ! -e port ]; do sleep 0.01; done; curl -s http://127.0.0.1:$(cat port)/page")
        .succeeds();
    assert_eq!(ran.text(), "hello");
}
