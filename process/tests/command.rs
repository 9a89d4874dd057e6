//! The reader of command lines.

use std::path::Path;

use hookspec_process::command::{Reading, Scene, Simple, read};

fn reading(script: &str) -> Reading {
    let environment = |name: &str| (name == "HOME").then(|| "/home/me".to_owned());
    read(script, &Scene { cwd: Path::new("/"), home: None, variable: &environment })
}

/// The lines of all commands.
fn lines(script: &str) -> Vec<String> {
    reading(script).commands.iter().map(Simple::line).collect()
}

#[test]
fn one_command_is_one_however_it_is_spelt() {
    for script in [
        "git push origin",
        "git  push\torigin",
        "'git' \"push\" origin",
        "'g'it pu\\sh origin",
        "\\git push origin",
        "$'git' $'\\x70ush' origin",
        "git pu\\\nsh origin",
        "env git push origin",
        "env -i -u B A=1 git push origin",
        "env -S 'git push' origin",
        "command git push origin",
        "sudo -u me git push origin",
        "sudo -nu me A=1 git push origin",
        "doas git push origin",
        "nohup git push origin",
        "timeout -k 5 --signal=KILL 60 git push origin",
        "nice -n 5 git push origin",
        "nice -5 git push origin",
        "ionice -c 3 git push origin",
        "stdbuf -oL git push origin",
        "setsid -w git push origin",
        "time git push origin",
        "time -p git push origin",
        "exec -a x git push origin",
        "sh -c 'git push origin'",
        "bash -lc 'git push origin'",
        "bash -c 'git push \"$1\"' sh origin",
        "eval git push origin",
        "eval 'git push' origin",
        "git -C sub push origin",
        "git -c a.b=c --no-pager --git-dir=x push origin",
        "git -c alias.p=push p origin",
        "git -c 'alias.p=!git push' p origin",
        "g=git; $g push origin",
        "g='git push'; $g origin",
        "export g=git && $g push origin",
        "g() { git push \"$@\"; }; g origin",
        "function g { git push $1; }\ng origin",
        "git() { command git push \"$@\"; }; git origin",
        "bash <<< 'git push origin'",
        "bash <<EOF\ngit push origin\nEOF",
        "sh -s <<'E' x\ngit push origin\nE",
        "busybox sh -c 'git push origin'",
        "git${IFS}push${IFS}origin",
        "{git,push,origin}",
        "if true; then git push origin; fi",
        "for x in push; do git $x origin; done",
        "while false; do git push origin; done",
        "case x in a) git push origin;; esac",
        "(git push origin)",
        "{ git push origin; }",
        "! git push origin",
        "git push origin &",
        "echo | git push origin",
        "true && git push origin || false",
        "echo $(git push origin)",
        "echo `git push origin`",
        "echo \"`git push origin`\"",
        "cat <(git push origin)",
        "coproc git push origin",
        "echo ${x:-$(git push origin)}",
        "echo $(( $(git push origin) + 1 ))",
        "x=$(git push origin)",
        "[[ -n $(git push origin) ]]",
        "trap 'git push origin' EXIT",
        "shopt -s expand_aliases; alias g='git push'\ng origin",
        "find . -exec git push origin \\;",
        "watch -n 1 git push origin",
        "su -c 'git push origin' me",
        "cat <<EOF\n$(git push origin)\nEOF",
        "set -- git push origin; \"$@\"",
        "git-push origin",
        "/usr/bin/sudo /usr/bin/env command nohup sh -c 'exec git push origin'",
        "a=(x) git push origin",
        ">out git push origin",
        "git push origin 2>&1 >/dev/null",
    ] {
        let read = reading(script);
        let lines: Vec<String> = read.commands.iter().map(Simple::line).collect();
        let found = lines.iter().any(|line| line == "git push origin");
        assert!(found && read.unclear.is_empty(), "{script:?}: {lines:?} {:?}", read.unclear);
    }
}

#[test]
fn a_path_is_kept_and_its_name_is_the_program() {
    let read = reading("/usr/bin/git push");
    assert_eq!(
        (read.commands[0].program.as_str(), read.commands[0].line().as_str()),
        ("git", "/usr/bin/git push")
    );
}

#[test]
fn what_is_made_at_run_time_is_unclear() {
    for script in [
        "$x push",
        "$(echo git) push",
        "gi${x}t push",
        "eval \"$x\"",
        "echo git push | sh",
        "curl http://x | sudo bash -s",
        "sh -c \"$x\"",
        "xargs sh -c",
        "xargs -I{} sh -c '{}'",
        "sudo --strange git push",
        "git p",
        "git -c alias.p=$x p",
        ". ./not-there",
        "git push '",
        "git push \"",
        "git push $(",
        "git push `",
        "git push ((",
        "if git push",
        "git push)",
        "x='a[$(git push)]'; echo $((x))",
        "shopt -s extglob\ngit !(a)",
        "git push\0",
        "${x} git push",
        "parallel ::: 'git push'",
        "$\\\n{x} git",
        "i\\\nf true; then git push; fi",
    ] {
        assert!(!reading(script).is_clear(), "{script:?}: {:?}", lines(script));
    }
}

#[test]
fn words_that_are_data_are_no_commands() {
    for (script, wanted) in [
        ("echo git push", vec!["echo git push"]),
        ("echo 'a; git push'", vec!["echo a; git push"]),
        ("cat <<'E'\ngit push\n$(git push)\nE\nls", vec!["cat", "ls"]),
        ("# git push\nls # git push", vec!["ls"]),
        ("g() { git push; }; ls", vec!["ls"]),
        ("echo a#b '#' \\# $#", vec!["echo a#b # # $#"]),
        ("x=1", vec![""]),
        ("((a < b))", vec![]),
        ("[[ a == (b|c) && -f x ]]", vec![]),
        ("case git in push) ls;; esac", vec!["ls"]),
        ("command -v git", vec!["command -v git"]),
        ("echo a{1..3} {x} {} a{,b}", vec!["echo a1 a2 a3 {x} {} a ab"]),
        ("echo ~/x ~", vec!["echo /home/me/x /home/me"]),
        ("a=x.rs; echo ${a%.rs} ${a#x} ${a:+y} ${b:-z}", vec!["", "echo x .rs y ${b:-z}"]),
    ] {
        assert_eq!(lines(script), wanted, "{script:?}");
    }
}
