//! The reader beside the shell itself: what bash runs has to be what was read, or the reading has to say that it is not clear.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a stage that cannot be set up is a failure")]

mod tricks;

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
