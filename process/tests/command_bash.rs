//! The reader beside the shell itself: what bash runs has to be what was read, or the reading has to say that it is not clear.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a stage that cannot be set up is a failure")]

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookspec_process::command::{Reading, Scene, Simple, Word, read};

/// Folders with programs that write down what they are called with.
struct Stage {
    _folder: tempfile::TempDir,
    work: PathBuf,
    bin: PathBuf,
    log: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (work, bin, log) = (root.join("work"), root.join("bin"), root.join("log"));
        std::fs::create_dir_all(work.join("sub/deep")).unwrap();
        std::fs::create_dir(&bin).unwrap();
        for name in ["f1.rs", "f2.rs", "-n", "push", "sub/f3.rs", ".hidden", "a b"] {
            std::fs::write(work.join(name), "").unwrap();
        }
        let stub = format!(
            "#!/bin/bash\nprintf -v line '%s\\037' \"${{0##*/}}\" \"$@\"\nprintf '%s\\036' \"$line\" >> {0}\n",
            log.display()
        );
        for name in ["alpha", "beta", "git"] {
            std::fs::write(bin.join(name), &stub).unwrap();
            std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { _folder: folder, work, bin, log }
    }

    /// The words of each stub that a script made bash run.
    fn run(&self, script: &str) -> Vec<Vec<String>> {
        let _ = std::fs::remove_file(&self.log);
        let path = format!("{}:/usr/bin:/bin", self.bin.display());
        let mut bash = Command::new("bash");
        bash.arg("-c").arg(script).current_dir(&self.work).env_clear();
        bash.env("PATH", path).env("HOME", &self.work).env("LC_ALL", "C.UTF-8");
        bash.stdin(std::process::Stdio::null());
        let ended = bash.output().unwrap();
        drop(ended);
        let log = std::fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        log.split_terminator('\u{1e}')
            .map(|call| call.split_terminator('\u{1f}').map(str::to_owned).collect())
            .collect()
    }

    fn read(&self, script: &str) -> Reading {
        let path = format!("{}:/usr/bin:/bin", self.bin.display());
        let variable = |name: &str| match name {
            "HOME" => self.work.to_str().map(str::to_owned),
            "PATH" => Some(path.clone()),
            _ => None,
        };
        read(script, &Scene { cwd: &self.work, home: None, variable: &variable })
    }
}

/// Whether a command that was read is what ran.
fn is(command: &Simple, ran: &[String]) -> bool {
    let Some((program, words)) = ran.split_first() else { return false };
    let own: Vec<&Word> = command.leading.iter().chain(command.args()).collect();
    command.program == *program && fit(&own, words)
}

fn fit(words: &[&Word], ran: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return ran.is_empty() };
    if first.splits {
        return (0..=ran.len()).any(|taken| fit(rest, &ran[taken..]));
    }
    let Some((next, others)) = ran.split_first() else { return false };
    (!first.known || first.text == *next) && fit(rest, others)
}

fn check(stage: &Stage, script: &str, trouble: &mut String) -> bool {
    // What ends in a backslash goes on in the next line.
    let script = &format!("{script}\nwait");
    let reading = stage.read(script);
    if !reading.is_clear() {
        return false;
    }
    for ran in stage.run(script) {
        if !reading.commands.iter().any(|command| is(command, &ran)) {
            let lines: Vec<String> =
                reading.commands.iter().map(|command| format!("{:?}", command.words)).collect();
            let _ = writeln!(trouble, "{script:?}\n  ran {ran:?}\n  read {lines:#?}");
        }
    }
    true
}

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

const WORDS: &[&str] = &[
    "a",
    "push",
    "'a b'",
    "\"a b\"",
    "$x",
    "\"$x\"",
    "${x}",
    "${x:-d}",
    "${x:+e}",
    "${u:-d}",
    "$y",
    "\"$y\"",
    "\\a",
    "a\\ b",
    "$'a\\tb'",
    "$'it\\'s'",
    "{a,b}",
    "{1..3}",
    "*",
    "f*",
    "\"*\"",
    "\\*",
    "~",
    "~/x",
    "\"~\"",
    "$(echo q)",
    "`echo q`",
    "\"$(echo q r)\"",
    "$((1+2))",
    "a#b",
    "\"\"",
    "''",
    "$@",
    "\"$@\"",
    "$*",
    "${x%b}",
    "${x#a}",
    "${x##*a}",
    "-n",
    "--",
    "a=b",
    "[x]",
    "é",
    "$1",
    "${#x}",
    "\\\\",
    "\"\\$x\"",
    "\"\\a\"",
    "'it'\\''s'",
    "x{,y}z",
    "{a,{b,c}}",
    "{a}",
    "a{b,c",
    "$",
    "\"$\"",
    "%",
    "!",
    "{}",
    "+",
    "a\\\nb",
    "?2.rs",
    "[fg]1.rs",
    "f[!1].rs",
    "sub/*",
    "*/f3.rs",
    "$z",
    "\"${z}\"",
    "${z}x",
    "a$x",
    "$x$y",
    "\"$x\"$y",
    "$IFS",
    "a${IFS}b",
    "{x,$x}",
    "\"{a,b}\"",
    "'$x'",
    "$'\\x70ush'",
    "\"`echo q`\"",
    "${x/a/b}",
    "${x^}",
    "x=$x",
    "-",
    "~+",
    "..",
    "./f1.rs",
    "#no",
    "a;beta",
    "a|beta",
    "a&&beta",
    ">/dev/null",
    "2>&1",
    "</dev/null",
    "<<<x",
    "<(beta)",
    "$?",
    "$#",
    "$0",
    "${1:-p}",
    "{3..1}",
    "{a..c}",
    "{01..03}",
    "{a,b}{c,d}",
    "\"a\"'b'c",
    "$\"loc\"",
    "a\\",
    ".h*",
    "\\~",
    "~root",
    "$(beta i)",
    "\"$(beta \"i j\")\"",
    "$(cd sub; alpha in)",
    "^",
    "a^b",
    "a,b",
    "{,}",
    "{a,b",
    "}",
    "a}",
    "$ x",
    "\"$ x\"",
    "[!a",
    "]",
    "?",
    "??",
];

fn simple(dice: &mut Dice) -> String {
    let before = dice.of(&[
        "",
        "",
        "",
        "",
        "x=9 ",
        "! ",
        "time ",
        ">/dev/null ",
        "command ",
        "env ",
        "env A=1 ",
        "nice -n 1 ",
        "timeout 5 ",
        "exec ",
        "nohup ",
        "stdbuf -o L ",
        "env -u A -- ",
        "\\",
        "builtin command ",
        "eval ",
        "setsid -w ",
        "sh -c 'alpha \"$@\"' ",
        "xargs -n1 ",
        "env -S ",
        "x+=9 ",
    ]);
    let mut text = format!(
        "{before}{}",
        dice.of(&[
            "alpha",
            "alpha",
            "beta",
            "'alpha'",
            "al\"pha\"",
            "$p",
            "\"$p\"",
            "g",
            "git",
            "${p}",
            "al{pha,x}",
            "al*"
        ])
    );
    for _ in 0..dice.below(4) {
        text.push(' ');
        text.push_str(dice.of(WORDS));
    }
    text
}

fn script(dice: &mut Dice, deep: usize) -> String {
    if deep == 0 {
        return simple(dice);
    }
    let (one, two) = (script(dice, deep - 1), script(dice, deep - 1));
    match dice.below(22) {
        0 => format!("{one}; {two}"),
        1 => format!("{one} && {two}"),
        2 => format!("{one} || {two}"),
        3 => format!("{one} | {two}"),
        4 => format!("({one})\n{two}"),
        5 => format!("{{ {one}; }}; {two}"),
        6 => format!("if {one}; then {two}; else x=w; fi; alpha $x"),
        7 => format!("for x in {} {}; do {one}; done; {two}", dice.of(WORDS), dice.of(WORDS)),
        8 => format!("case {} in a|b) {one};; (*) {two};; esac", dice.of(WORDS)),
        9 => format!("g() {{ {one}; }}; g {}; {two}", dice.of(WORDS)),
        10 => format!("x={}; {one}; {two}", dice.of(WORDS)),
        11 => format!("cd sub; {one}; cd ..; {two}"),
        12 => format!("{one} &\nwait; {two}"),
        13 => format!("set -- {} {}; {one}", dice.of(WORDS), dice.of(WORDS)),
        14 => format!("cat <<E >/dev/null\n{}\n$({one})\nE\n{two}", dice.of(WORDS)),
        15 => format!("bash <<'E'\n{one}\nE\n{two}"),
        16 => format!("x=1; while [ $x = 1 ]; do {one}; x=2; done; alpha $x; {two}"),
        17 => format!("export y={}; {one}; unset y; {two}", dice.of(WORDS)),
        18 => format!("p=beta; z='a  b *'; {one}; {two}"),
        19 => format!("alpha \"$({one})\" $({two})"),
        20 => format!("find . -maxdepth 0 -exec {one} \\; ; {two}"),
        _ => format!("bash -c '{}' {}; {two}", one.replace('\'', "'\\''"), dice.of(WORDS)),
    }
}

/// The seed is fixed; `HOOKSPEC_SEED` and `HOOKSPEC_SCRIPTS` try others.
#[test]
fn what_bash_runs_is_what_was_read() {
    let number =
        |name: &str, or: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    let stage = Stage::new();
    let mut dice = Dice(number("HOOKSPEC_SEED", 0x9e37_79b9_7f4a_7c15));
    let scripts = number("HOOKSPEC_SCRIPTS", 300);
    let (mut clear, mut trouble) = (0_u64, String::new());
    for _ in 0..scripts {
        let deep = dice.below(3);
        let text = format!("x=ab; p=alpha; {}", script(&mut dice, deep));
        clear += u64::from(check(&stage, &text, &mut trouble));
    }
    assert!(trouble.is_empty(), "{trouble}");
    assert!(clear * 2 > scripts, "only {clear} of {scripts} were clear");
}

/// Ways to run something that a reader might miss, each tried on the real shell.
#[test]
fn what_bash_runs_by_a_trick_is_read_or_not_clear() {
    let stage = Stage::new();
    let tricks = [
        "a=alpha; $a{,x}",
        "alpha ${x:=beta}; $x q",
        "eval \"eval 'alpha a'\"",
        "x=alpha; y=x; ${!y} a",
        "f() { alpha \"$@\"; }; f a 'b c'",
        "f() { g() { alpha in; }; }; f; g",
        "alias z='alpha a'\nz",
        "shopt -s expand_aliases; alias z='alpha a'\nz b",
        "IFS=,; x='alpha,a'; $x",
        "IFS=:; set -- a b; alpha \"$*\"",
        "x='alpha a'; \"$x\"; $x",
        "trap 'alpha t' EXIT",
        "trap 'alpha t' DEBUG; :",
        "printf -v x alpha; $x",
        "read x <<< alpha; $x a",
        "mapfile x <<< alpha; ${x[0]}",
        "x[0]=alpha; ${x[0]} a",
        "x=(alpha a); \"${x[@]}\"",
        "declare -n r=x; x=alpha; $r a",
        "x=1; ((x++)); alpha $x",
        "x='a[$(alpha hidden)]'; echo $((x))",
        "x='a[$(alpha hidden)]'; [[ $x -eq 1 ]]",
        "test -v 'a[$(alpha hidden)]'",
        "echo ${y[$(alpha i)]}",
        "y='$(alpha p)'; echo ${y@P}",
        "PS4='$(alpha p) '; set -x; :",
        "x=a; for x in b c; do alpha $x; done; alpha $x",
        "x=1; f() { x=2; }; f; alpha $x",
        "x=1; (x=2); alpha $x",
        "x=1; true | x=2; alpha $x",
        "x=1; if false; then x=2; fi; alpha $x",
        "x=1; true && x=2; alpha $x",
        "x=1; false && x=2; alpha $x",
        "while read -r l; do alpha $l; done <<< 'a b'",
        "for ((i=0;i<2;i++)); do alpha $i; done",
        "alpha $(alpha inner) x",
        "cd sub && alpha *",
        "cd nowhere; alpha *",
        "cd nowhere && alpha *",
        "cd sub; cd -; alpha *",
        "pushd sub; alpha *; popd; alpha *",
        "touch new; alpha n*",
        "alpha > out; alpha o*",
        "set -f; alpha *",
        "shopt -s nullglob; alpha zz*",
        "shopt -s dotglob; alpha *",
        "shopt -s extglob\nalpha !(f*)",
        "set -k; alpha a=b c",
        "set +B; alpha {a,b}",
        "alpha {$x,b}",
        "BASH_ENV=x bash -c 'alpha a'",
        "bash -c 'alpha $0 $1' z y",
        "bash -s a <<< 'alpha $1'",
        "echo alpha x | bash",
        "bash < f1.rs",
        "cat <<< \"$(alpha in)\"",
        "cat << E\n$(alpha in)\nE",
        "cat <<'E'\n$(alpha in)\nE",
        "cat <<E\n`alpha in`\\$(alpha out)\nE",
        "cat <<-E\n\tx\n\tE\nalpha after",
        "cat <<E1; cat <<E2\na\nE1\nb\nE2\nalpha after",
        "alpha a # c; beta",
        "alpha a#b",
        "al\\\npha a",
        "alpha a\\\n b",
        "alpha 'a\\\nb'",
        "if\\\n true; then alpha a; fi",
        "i\\\nf true; then alpha a; fi",
        "coproc alpha a; wait",
        "coproc N { alpha a; }; wait",
        "time -p alpha a",
        "! alpha a",
        "{ alpha a; } 2>&1 | cat",
        "alpha a |& cat",
        "alpha a &>/dev/null",
        "echo x >&2; alpha $(</dev/null)",
        "exec 3>&1; alpha a >&3",
        "exec alpha a",
        "command alpha a",
        "builtin eval alpha a",
        "env -i PATH=$PATH alpha a",
        "env -S 'alpha a' b",
        "env -S alpha -- a",
        "find . -maxdepth 0 -exec alpha + \\;",
        "xargs alpha < f1.rs",
        "echo a b | xargs alpha",
        "echo a | xargs -I{} alpha {} x{}",
        "echo 'alpha q' | xargs -I{} sh -c '{}'",
        "find . -name 'f1*' -exec alpha {} +",
        "find . -name f1.rs -exec sh -c 'alpha \"$1\"' _ {} \\;",
        "git -C sub -c a=b push x",
        "git --no-pager log",
        "source ./none; alpha a",
        "echo 'alpha s' > s.sh; . ./s.sh",
        "select x in a; do alpha $x; break; done <<< 1",
        "case a in a) alpha 1;;& *) alpha 2;; esac",
        "case x in esac; alpha a",
        "f() (alpha sub); f",
        "f() { alpha f; } >/dev/null; f",
        "function f { alpha a; }; f",
        "alpha() { beta \"$@\"; }; alpha a; command alpha b",
        "unset -f alpha; alpha a",
        "alpha() { command alpha w \"$@\"; }; alpha a",
        "if false; then alpha() { beta; }; fi; alpha a",
        "(alpha() { beta sub; }; alpha 1); alpha 2",
        "f() { local x=l; alpha $x; }; x=g; f; alpha $x",
        "x=o; f() { alpha $x; }; x=n f; f",
        "x=1 alpha $x",
        "export x=1; bash -c 'alpha $x'",
        "x=1; bash -c 'alpha $x'",
        "x=1 bash -c 'alpha $x'",
        "set -a; x=1; bash -c 'alpha $x'",
        "set -- a 'b c'; alpha $@; alpha \"$@\"; shift; alpha $1",
        "set -- 'a b'; f() { alpha $1; }; f 'c d'",
        "alpha ${@:1} a",
        "sh -c 'alpha {a,b}'",
        "sh -c \"alpha $'a'\"",
        "dash -c 'alpha ${x:-d}'",
        "sh -c 'alpha $0' '*'",
        "sh -c 'alpha a &> /dev/null'",
        "x='{a,b}'; alpha $x",
        "x='~'; alpha $x",
        "x='*'; alpha $x \"$x\"",
        "x='a*\\*'; alpha $x",
        "x=$'a\\nb'; alpha $x",
        "alpha \"a\nb\"",
        "alpha $'\\u00e9' $'\\101' $'a\\cb'",
        "alpha \"\\\"\" '\"' \\\"",
        "alpha \\$x '\\$x' \"\\\\$x\"",
        "alpha \"${x:-\"a b\"}\"",
        "alpha ${x:-'a b'} ${u:-\"c d\"}",
        "alpha ${x:-a}b",
        "((1)) && alpha a",
        "((x=1, y=2)); alpha $x",
        "(( alpha ))",
        "((alpha a); alpha b)",
        "$((1)) a",
        "alpha $((1 + $(alpha n; echo 1)))",
        "alpha $[1+1]",
        "[[ a == a ]] && alpha a",
        "[[ a =~ ^(a|b)$ ]] && alpha b",
        "[[ a < b ]] && alpha c",
        "[[ $(alpha t) ]]",
        "a=(1 $(alpha arr)); alpha ${a[0]}",
        "declare -A m=([k]=v); alpha ${m[k]}",
        "declare x=1; alpha $x",
        "readonly q=1; alpha $q",
        "declare -i n=1+1; alpha $n",
        "let n=1+1; alpha $n",
        "x=1; unset x; alpha a $x",
        "getopts a x -a; alpha $x",
        "exec -a other alpha a",
        "nice alpha a",
        "nice -5 alpha a",
        "nohup alpha a",
        "timeout --foreground 5 alpha a",
        "timeout -k1 5s alpha a",
        "stdbuf -oL -eL alpha a",
        "setsid --wait alpha a",
        "env -u x alpha a",
        "env --chdir=sub alpha *",
        "env -C sub alpha a",
        "\\alpha a",
        "'alpha' a",
        "$'alpha' a",
        "\"al\"pha a",
        "a\\lpha a",
        "~+/../bin/alpha a",
        "../bin/alpha a",
        "../bin/al* a",
        "../b*/alpha a",
        "$(echo alpha) a",
        "`echo alpha` a",
        "hash -p ../bin/beta alpha; alpha a",
        "PATH=../none:$PATH alpha a",
        "enable -n echo; alpha a",
    ];
    let mut trouble = String::new();
    let clear = tricks.iter().filter(|script| check(&stage, script, &mut trouble)).count();
    assert!(trouble.is_empty(), "{trouble}");
    assert!(clear > 110, "{clear} of {}", tricks.len());
    for name in ["new", "out", "s.sh"] {
        let _ = std::fs::remove_file(Path::new(&stage.work).join(name));
    }
}

/// What bash takes for a script of its own, and what it does not.
#[test]
fn scripts_of_the_system_are_read_as_bash_accepts_them() {
    let mut scripts = Vec::new();
    for folder in [
        "/etc/init.d",
        "/etc/profile.d",
        "/usr/bin",
        "/usr/sbin",
        "/usr/lib/git-core",
        "/usr/share/bash-completion/completions",
        "/etc/cron.daily",
        "/usr/share/doc",
    ] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            let first = text.lines().next().unwrap_or_default();
            if first.starts_with("#!")
                && (first.contains("bash") || first.ends_with("/sh"))
                && text.len() < 100_000
            {
                scripts.push((entry.path(), text));
            }
        }
    }
    scripts.sort();
    let (mut accepted, mut read_whole, mut missed) = (0, 0, String::new());
    for (path, text) in scripts.iter().take(150) {
        let bash = Command::new("bash").arg("-n").arg(path).output().unwrap();
        let accepts = bash.status.success() && bash.stderr.is_empty();
        let reading = read(text, &Scene::new(Path::new("/nonexistent")));
        let syntax =
            reading.unclear.iter().find(|unclear| unclear.why == hookspec_process::command::Doubt::Syntax);
        if accepts {
            accepted += 1;
            match syntax {
                None => read_whole += 1,
                Some(unclear) => {
                    let _ = writeln!(
                        missed,
                        "{}: {}",
                        path.display(),
                        unclear.text.lines().next().unwrap_or_default()
                    );
                }
            }
        } else {
            assert!(!reading.is_clear(), "{}", path.display());
        }
    }
    assert!(accepted > 10, "{accepted}");
    assert!(read_whole * 100 >= accepted * 90, "{read_whole} of {accepted}:\n{missed}");
}
