//! Which shell commands may change files.
//!
//! What is known to only read is listed; everything else is taken to write. To be wrong that way costs a snapshot
//! of an unchanged tree, to be wrong the other way costs somebody's work.

use super::shell::{self, Script};

/// Read, whatever their arguments.
const READERS: &str = "
    : [ [[ arch b2sum basename bg break cal cat cd cksum cmp column comm continue cut date declare df diff dig
    dir dirname dirs du echo egrep exit expand export expr false fg fgrep file fmt fold free getent grep groups
    head hexdump history host hostname id jobs join jq kill ldd less let local locale locate ls lsblk lscpu
    lsof man md5sum more netstat nl nm nproc nslookup numfmt objdump od paste pgrep ping pkill popd printenv
    printf ps pushd pwd read readelf readlink readonly realpath return rev rg seq set sha1sum sha224sum
    sha256sum sha384sum sha512sum shift shopt size sleep ss stat strings sum tac tail test top tr true
    tsort tty type typeset ulimit umask unalias uname unexpand unset uptime users vmstat w wait wc whatis
    whereis which who whoami zcat zgrep zless
";

/// Words of the shell's grammar, which stand before a command.
const KEYWORDS: &str = "
    ! { } if then elif else fi while until do done time coproc esac
";

/// Write unless the word after them is a question.
const TOOLS: &str = "
    bun cargo cmake deno gem go make mvn node npm npx perl php pip pip3 pnpm poetry python python3 ruby rustc
    rustup uv yarn
";
const QUESTIONS: &str = "
    --help --version -V audit env freeze help info list ls metadata outdated search show tree version view why
";

/// Subcommands of git that leave the files of the tree alone.
const GIT_READERS: &str = "
    --help --version add annotate blame branch cat-file check-attr check-ignore count-objects describe diff
    diff-tree fetch for-each-ref fsck grep help log ls-files ls-remote ls-tree merge-base name-rev push reflog
    remote rev-list rev-parse shortlog show show-branch show-ref status tag var version whatchanged
";

/// Commands that run another: their name, their options that take a word, and how many words of their own come
/// before the other's name.
const PREFIXES: &[(&str, &[&str], usize)] = &[
    ("builtin", &[], 0),
    ("chronic", &[], 0),
    ("command", &[], 0),
    ("doas", &["-u", "-C"], 0),
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("exec", &["-a"], 0),
    ("ionice", &["-c", "-n", "-p"], 0),
    ("nice", &["-n", "--adjustment"], 0),
    ("nohup", &[], 0),
    ("setsid", &[], 0),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-r", "-t", "-U"], 0),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("watch", &["-n", "--interval"], 0),
    ("xargs", &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s"], 0),
];

/// How deep commands may lie in one another (`sh -c`, `eval`, `sudo`, `find -exec`); deeper ones are taken to write.
const DEEPEST: u8 = 8;

/// Whether a word is in a list of words.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// Whether a script may change files. A blank one may not; one that cannot be read may.
pub(super) fn script_writes(text: &str) -> bool {
    writes_at(text, 0)
}

fn writes_at(text: &str, depth: u8) -> bool {
    let Script { commands, targets, is_broken } = shell::parse(text);
    depth > DEEPEST
        || is_broken
        || targets.iter().any(|target| is_file(target))
        || commands.iter().any(|words| command_writes(words, depth))
}

/// Whether what is written there stays.
fn is_file(target: &str) -> bool {
    !(matches!(target, "-" | "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        || target.starts_with("/dev/fd/"))
}

fn command_writes(words: &[String], depth: u8) -> bool {
    if depth > DEEPEST {
        return true;
    }
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    let start = words.iter().position(|word| !has(KEYWORDS, word) && !is_assignment(word));
    words.drain(..start.unwrap_or(words.len()));
    let Some((&path, args)) = words.split_first() else { return false };
    // A path names a program of the project's, unless it is one of the system's.
    let name = ["/bin/", "/usr/bin/", "/usr/local/bin/"]
        .iter()
        .find_map(|dir| path.strip_prefix(dir))
        .unwrap_or(path);
    if name == "command" && matches!(args.first(), Some(&"-v" | &"-V")) {
        return false;
    }
    if let Some((_, with_word, own)) = PREFIXES.iter().find(|(prefix, ..)| *prefix == name) {
        let inner = after_options(args, with_word, *own);
        let inner: Vec<String> = inner.iter().map(|&word| word.to_owned()).collect();
        return command_writes(&inner, depth + 1);
    }
    if has(TOOLS, name) {
        return !is_question(args);
    }
    match name {
        // Lists, and the patterns of a `case`, are no commands.
        "for" | "case" | "select" | "in" => false,
        "git" => git_writes(args),
        "sed" => {
            has_short(args, 'i') || args.iter().any(|arg| arg.starts_with("--in-place")) || sed_writes(args)
        }
        "awk" | "gawk" | "mawk" => args.windows(2).any(|pair| pair == ["-i", "inplace"]) || awk_writes(args),
        "find" | "fd" => find_writes(args, depth),
        "tee" => args.iter().any(|arg| !arg.starts_with('-') && is_file(arg)),
        "tar" | "bsdtar" => tar_writes(args),
        "unzip" => !args.iter().any(|arg| matches!(*arg, "-l" | "-t" | "-v" | "-p" | "-Z" | "-lv")),
        "dd" => args.iter().any(|arg| arg.strip_prefix("of=").is_some_and(is_file)),
        "curl" => curl_writes(args),
        "wget" => {
            !(args.contains(&"--spider")
                || args.windows(2).any(|pair| pair == ["-O", "-"])
                || ends_in_stdout(args))
        }
        "sort" | "tree" => has_short(args, 'o') || args.iter().any(|arg| arg.starts_with("--output")),
        "yq" => has_short(args, 'i') || args.contains(&"--inplace"),
        // The second file is written.
        "uniq" | "xxd" => args.iter().filter(|arg| !arg.starts_with('-')).count() > 1,
        "docker" | "podman" => container_writes(args),
        "sh" | "bash" | "dash" | "zsh" | "ksh" => match args.iter().position(|arg| is_short(arg, 'c')) {
            Some(index) => args.get(index + 1).is_none_or(|script| writes_at(script, depth + 1)),
            None => !is_question(args),
        },
        "eval" => writes_at(&args.join(" "), depth + 1),
        // What it is told runs later.
        "trap" => {
            let action = args.iter().find(|arg| **arg != "--");
            action.is_some_and(|action| !action.starts_with('-') && writes_at(action, depth + 1))
        }
        _ => !has(READERS, name),
    }
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A bundle of short options that holds this one.
fn is_short(arg: &str, option: char) -> bool {
    arg.strip_prefix('-').is_some_and(|bundle| !bundle.starts_with('-') && bundle.contains(option))
}

fn has_short(args: &[&str], option: char) -> bool {
    args.iter().any(|arg| is_short(arg, option))
}

/// What a prefix runs: the words after its options, assignments and own words.
fn after_options<'a>(args: &'a [&'a str], with_word: &[&str], own: usize) -> &'a [&'a str] {
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        if *arg == "--" {
            index += 1;
            break;
        }
        if !arg.starts_with('-') && !is_assignment(arg) {
            break;
        }
        index += if with_word.contains(arg) { 2 } else { 1 };
    }
    args.get(index + own..).unwrap_or_default()
}

/// `cargo tree`, `cargo +nightly --version`, `uv pip list`; not `npm version patch` and `npm audit fix`.
fn is_question(args: &[&str]) -> bool {
    let mut args = args.iter().skip_while(|arg| arg.starts_with('+') || **arg == "pip");
    match args.next().copied() {
        Some("version") => args.next().is_none(),
        Some("audit") => !args.any(|arg| arg.trim_start_matches('-') == "fix"),
        word => word.is_some_and(|word| has(QUESTIONS, word)),
    }
}

fn git_writes(args: &[&str]) -> bool {
    let options = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"];
    let args = if matches!(args.first(), Some(&"--version" | &"--help")) {
        args
    } else {
        after_options(args, &options, 0)
    };
    let second = args.get(1).copied().unwrap_or_default();
    match args.first().copied() {
        // Without a subcommand it prints its help.
        None => false,
        Some("stash") => !matches!(second, "list" | "show"),
        Some("worktree" | "submodule" | "notes" | "bisect") => {
            !matches!(second, "list" | "status" | "summary" | "show" | "log")
        }
        Some("config") => !args
            .iter()
            .any(|arg| arg.starts_with("--get") || matches!(*arg, "-l" | "--list" | "get" | "list")),
        Some("diff" | "log" | "show") => args.iter().any(|arg| arg.starts_with("--output")),
        Some(name) => !has(GIT_READERS, name),
    }
}

/// A `w` command, or the `w` flag of `s`.
fn sed_writes(args: &[&str]) -> bool {
    args.iter().any(|arg| {
        arg.split([';', '\n', '{', '}']).any(|command| {
            let command = command.trim_start();
            let command = command.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$'));
            command.starts_with("w ") || command.contains("/w ") || command.contains("/gw ")
        })
    })
}

/// A program of awk that redirects, which it does into a quoted name or a command; `$1 > 5` compares.
fn awk_writes(args: &[&str]) -> bool {
    args.iter().any(|arg| {
        let printed = arg.match_indices("print").any(|(at, _)| {
            let statement = arg[at..].split([';', '}', '\n']).next().unwrap_or_default();
            statement.contains('>')
        });
        printed || arg.contains("system(") || arg.contains("| \"") || arg.contains("|\"")
    })
}

fn find_writes(args: &[&str], depth: u8) -> bool {
    let mut rest = args;
    while let Some((arg, after)) = rest.split_first() {
        rest = after;
        match *arg {
            "-delete" | "-fprint" | "-fprint0" | "-fprintf" | "-fls" => return true,
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch" => {
                let end = after.iter().position(|word| matches!(*word, ";" | "+")).unwrap_or(after.len());
                let command: Vec<String> = after[..end].iter().map(|&word| word.to_owned()).collect();
                if command_writes(&command, depth + 1) {
                    return true;
                }
                rest = &after[end..];
            }
            _ => {}
        }
    }
    false
}

/// Only a listing, or a comparison, leaves everything alone.
fn tar_writes(args: &[&str]) -> bool {
    let reads = |bundle: &str| bundle.contains(['t', 'd']) && !bundle.contains(['x', 'c', 'r', 'u']);
    match args.first() {
        Some(long) if long.starts_with("--") => {
            !args.iter().any(|arg| matches!(*arg, "--list" | "--diff" | "--compare" | "--version" | "--help"))
        }
        Some(bundle) => !reads(bundle.trim_start_matches('-')),
        None => false,
    }
}

fn curl_writes(args: &[&str]) -> bool {
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        let into = match *arg {
            "--output" | "--dump-header" | "--cookie-jar" | "--trace" | "--trace-ascii" | "--stderr" => {
                args.next()
            }
            "--remote-name" | "--remote-name-all" | "--remote-header-name" | "--output-dir" => return true,
            long if long.starts_with("--") => continue,
            // The last of a bundle may take a word.
            bundle if bundle.starts_with('-') && bundle.contains('O') => return true,
            bundle if bundle.starts_with('-') && bundle.ends_with(['o', 'D', 'c']) => args.next(),
            // `-ofile`: bundles of letters that take no word may come first.
            bundle if bundle.starts_with("-o") => return true,
            _ => continue,
        };
        if into.is_none_or(|file| is_file(file)) {
            return true;
        }
    }
    false
}

/// `wget -qO- URL`.
fn ends_in_stdout(args: &[&str]) -> bool {
    args.iter().enumerate().any(|(index, arg)| {
        arg.starts_with('-')
            && !arg.starts_with("--")
            && (arg.ends_with("O-") || (arg.ends_with('O') && args.get(index + 1) == Some(&"-")))
    })
}

/// A container sees the files of the tree only where it is given them.
fn container_writes(args: &[&str]) -> bool {
    let given = |arg: &&str| {
        let long = ["--volume", "--mount", "--volumes-from"].iter().any(|option| arg.starts_with(option));
        long || (arg.starts_with("-v") && *arg != "-v=0") || *arg == "-o"
    };
    match args.first().copied() {
        Some("run" | "create") => args.iter().any(given),
        Some("cp" | "save" | "export" | "compose" | "buildx" | "build") => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::script_writes;

    #[test]
    fn t_positive_payloads() {
        for text in [
            "echo hi > out.txt",
            "ls >> log",
            "cat f | tee g",
            "sed -i s/a/b/ f",
            "perl -pi -e x f",
            "rm -rf x",
            "git checkout f",
            "tar -xzf a",
            "make",
            "cargo build",
            "npm install",
            "uv sync",
            "pytest t",
        ] {
            assert!(script_writes(text), "{text}");
        }
    }

    #[test]
    fn t_negative_payloads() {
        for text in [
            "ls -la",
            "git status",
            "git log --oneline",
            "echo hello",
            "pip show x",
            "pip list",
            "cargo --version",
            "cargo tree",
            "npm outdated",
            "uv help",
            "",
            "  \n ",
        ] {
            assert!(!script_writes(text), "{text}");
        }
    }

    #[test]
    fn w_false_positives() {
        for text in [
            "ls 2>&1",
            "ls > /dev/null",
            "ls >/dev/null 2>&1",
            "echo 'a -> b'",
            "grep -n '->' src",
            "echo \"<a>\"",
            "docker run --rm alpine ls",
            "echo make",
            "echo rm -rf /",
            "grep tee f",
            "awk '$1 > 5' f",
            "# rm x",
            "cat <<'EOF'\nrm x > y\nEOF",
        ] {
            assert!(!script_writes(text), "{text}");
        }
    }

    #[test]
    fn w_false_negatives() {
        for text in [
            "curl -o f http://h",
            "curl -sSLo f http://h",
            "curl -O http://h",
            "wget http://h/f",
            "dd if=a of=b",
            "python s.py",
            "go build",
            "git switch x",
            "git stash",
            "patch -p1 < d",
            "tar xzf a.tgz",
            "install a b",
        ] {
            assert!(script_writes(text), "{text}");
        }
    }

    #[test]
    fn commands_behind_very_many_others_are_taken_to_write_without_being_looked_for() {
        for (text, end) in
            [("sudo ", "ls"), ("find . -exec ", "ls"), ("eval ", "ls"), ("find -exec ", "ls ;")]
        {
            for count in [40, 20_000] {
                assert!(script_writes(&(text.repeat(count) + end)), "{text}");
            }
            assert!(!script_writes(&(text.repeat(3) + end)), "{text}");
        }
    }

    #[test]
    fn a_question_with_a_verb_behind_it_is_none() {
        for text in ["npm version patch", "npm audit fix", "yarn version --patch", "uv version --bump minor"]
        {
            assert!(script_writes(text), "{text}");
        }
        for text in ["npm version", "npm audit", "go version", "npm audit --json", "deno help fix"] {
            assert!(!script_writes(text), "{text}");
        }
    }

    #[test]
    fn commands_behind_others_count() {
        for text in [
            "sudo -u me rm x",
            "env A=1 make",
            "timeout 5 make",
            "nice -n 5 cargo test",
            "find . -name x | xargs -n 1 rm",
            "find . -delete",
            "find . -exec sed -i s/a/b/ {} +",
            "bash -c 'rm x'",
            "sh -lc \"echo a > b\"",
            "eval rm x",
            "bash run.sh",
            "./build.sh",
            "X=1 ./x",
            "if true; then rm x; fi",
            "echo $(touch f)",
            "ls `touch f`",
            "git -C sub stash pop",
            "git commit -m x",
            "docker run -v .:/w i make",
            "echo 'open",
            "sed -n 's/a/b/w out' f",
            "awk '{print > \"f\"}' f",
            "sort -o f f",
            "uniq a b",
            "cp a b",
            "mv a b",
            "touch a",
            "mkdir a",
            "chmod +x a",
            "ln -s a b",
            "unzip a",
            "while read f; do rm $f; done",
            "trap 'rm x' EXIT",
        ] {
            assert!(script_writes(text), "{text}");
        }
        for text in [
            "sudo ls",
            "env",
            "FOO=1",
            "timeout 5 ls",
            "command -v cargo && command ls",
            "nice -n 5 ls",
            "find . -name '*.rs' -exec grep x {} \\;",
            "bash -c 'ls'",
            "git -C sub log",
            "git stash list",
            "git config --get user.name",
            "tar tzf a",
            "unzip -l a",
            "for f in a b; do cat $f; done",
            "curl -s http://h",
            "curl -o /dev/null http://h",
            "wget -qO- http://h",
            "python3 --version",
            "cargo +nightly --version",
            "uv pip list",
            "dd if=/dev/zero of=/dev/null",
            "/usr/bin/ls",
            "sed -n 1,5p f",
            "if [ -f a ]; then cat a; else echo no; fi",
            "trap 'echo done' EXIT; trap - INT; trap -p",
        ] {
            assert!(!script_writes(text), "{text}");
        }
    }
}
