//! What a command checks: the program and its targets, whatever else is on its line, and what its run proved.
//!
//! `pytest -q`, `python -m pytest` and `cd . && pytest --color=no` are one check; `pytest tests/a.py` is another, and so is `pytest -k
//! name`. `true # pytest` and `echo pytest` are none. A run of tests proves something only where its output says that some passed:
//! `cargo test --no-run`, `pytest --collect-only` and a program that says nothing do not.

use std::path::Path;
use std::sync::LazyLock;

use hookspec_process::command::{Scene, Simple, read};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run has proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A linter or a checker of types found nothing.
    Lint,
    /// Tests ran, and passed.
    Tests,
}

/// Options that change what is shown and not what is checked.
const SHOWN: [&str; 33] = [
    "-q",
    "-qq",
    "--quiet",
    "-v",
    "-vv",
    "-vvv",
    "--verbose",
    "-s",
    "-x",
    "--exitfirst",
    "--silent",
    "--nocapture",
    "--no-capture",
    "--show-output",
    "--showlocals",
    "--color",
    "--colors",
    "--no-color",
    "--colour",
    "--tb",
    "--no-header",
    "--no-summary",
    "--durations",
    "--message-format",
    "--reporter",
    "--fail-fast",
    "--failfast",
    "--no-fail-fast",
    "-failfast",
    "--bail",
    "-json",
    "--force-color",
    "--",
];
/// Those of them that take a value as the next word.
const WITH_VALUE: [&str; 6] =
    ["--color", "--colour", "--tb", "--durations", "--message-format", "--reporter"];
/// Options with which a program does something else than it is known for.
const OTHERWISE: [&str; 14] = [
    "--help",
    "-h",
    "--version",
    "-V",
    "--no-run",
    "--collect-only",
    "--co",
    "--list",
    "-list",
    "--dry-run",
    "--listTests",
    "--list-tests",
    "--exit-zero",
    "--setup-plan",
];
/// Commands beside a check that change nothing about it.
const BESIDE: [&str; 14] = [
    "cd", "pushd", "popd", "export", "set", "echo", "printf", "true", ":", "pwd", "date", "source", ".",
    "clear",
];
/// Programs that run what follows their first word in an environment of the project's.
const RUNNERS: [(&str, &str); 10] = [
    ("poetry", "run"),
    ("uv", "run"),
    ("pipenv", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("pdm", "run"),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("yarn", "exec"),
    ("bundle", "exec"),
];

const LINTERS: [&str; 18] = [
    "cargo clippy",
    "ruff check",
    "eslint",
    "flake8",
    "pylint",
    "mypy",
    "pyright",
    "golangci-lint",
    "go vet",
    "rubocop",
    "biome lint",
    "biome check",
    "shellcheck",
    "tsc",
    "npm lint",
    "stylelint",
    "clang-tidy",
    "staticcheck",
];
const TESTERS: [&str; 24] = [
    "cargo test",
    "cargo nextest",
    "pytest",
    "unittest",
    "npm test",
    "go test",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "tox",
    "nox",
    "phpunit",
    "ava",
    "playwright",
    "node",
    "bun test",
    "deno test",
    "gradle test",
    "gradlew test",
    "mvn test",
    "make test",
    "make check",
    "ctest",
];

/// A check: its program, its targets and other words that count, and where it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Check {
    program: String,
    words: Vec<String>,
    folder: String,
    /// Whether the script ends as the check did.
    decides: bool,
}

/// What tells a check from others, if a script is one check whose end is the script's.
#[must_use]
pub fn identity(script: &str, cwd: &Path) -> Option<String> {
    let mut check = only_check(script, cwd).filter(|check| check.decides)?;
    check.words.sort();
    Some(format!("{}\0{}\0{}", check.folder, check.program, check.words.join("\0")))
}

/// What a script that ended well has proved, by what it ran and what that said.
#[must_use]
pub fn proof(script: &str, cwd: &Path, said: &str) -> Option<Proof> {
    let check = only_check(script, cwd)?;
    if check.words.iter().any(|word| OTHERWISE.contains(&word.as_str())) {
        return None;
    }
    let is = |names: &[&str]| names.contains(&check.program.as_str());
    if is(&LINTERS) && check.decides {
        return Some(Proof::Lint);
    }
    (is(&TESTERS) && tests_passed(said)).then_some(Proof::Tests)
}

/// Whether a command only looks: it cannot have mended anything.
#[must_use]
pub fn only_looks(script: &str, cwd: &Path) -> bool {
    const LOOKS: [&str; 38] = [
        "ls", "cat", "head", "tail", "grep", "rg", "pwd", "which", "wc", "tree", "ps", "stat", "file", "du",
        "df", "date", "whoami", "test", "[", "[[", "diff", "less", "more", "sort", "uniq", "cut", "awk",
        "type", "printenv", "id", "uname", "realpath", "basename", "dirname", "jq", "column", "nl", "sleep",
    ];
    const GIT: [&str; 9] =
        ["status", "log", "diff", "show", "blame", "branch", "grep", "ls-files", "rev-parse"];
    let reading = read(script, &Scene::new(cwd));
    reading.is_clear()
        && reading.commands.iter().all(|command| {
            let name = command.program.as_str();
            let writes = command.redirections.iter().any(writes_a_file);
            let git =
                name == "git" && command.args().first().is_some_and(|word| GIT.contains(&word.text.as_str()));
            let checks = canonical(command).is_some_and(|(program, _)| {
                TESTERS.contains(&program.as_str()) || LINTERS.contains(&program.as_str())
            });
            !writes && (git || checks || LOOKS.contains(&name) || BESIDE.contains(&name))
        })
}

fn writes_a_file(redirection: &hookspec_process::command::Redirection) -> bool {
    use hookspec_process::command::Redirect;
    matches!(redirection.kind, Redirect::Write | Redirect::Append | Redirect::ReadWrite)
        && redirection.target.text != "/dev/null"
}

fn only_check(script: &str, cwd: &Path) -> Option<Check> {
    let reading = read(script, &Scene::new(cwd));
    let piped = |command: &&Simple| command.piped_from.is_none();
    let beside = |command: &&Simple| !BESIDE.contains(&command.program.as_str());
    let mut commands = reading.commands.iter().filter(piped).filter(beside);
    let (command, None) = (commands.next()?, commands.next()) else { return None };
    if !reading.is_clear() || command.background || command.words.iter().any(|word| !word.known) {
        return None;
    }
    let (program, words) = canonical(command)?;
    let words = targets(command, &words);
    let folder = command.cwd.as_deref()?.display().to_string();
    let decides = ends_with_it(script, command);
    Some(Check { program, words, folder, decides })
}

/// Whether the script's end tells how the command ended: nothing behind it but what runs only if it went well.
fn ends_with_it(script: &str, command: &Simple) -> bool {
    if command.piped_into.is_some() && !script.contains("pipefail") {
        return false;
    }
    let Some(at) = script.rfind(&command.text) else { return false };
    let behind = script[at + command.text.len()..].trim();
    let behind = behind.split('#').next().unwrap_or_default();
    !behind.contains("||")
        && !behind.contains([';', '\n'])
        && !script[..at].trim_end().ends_with(['!', '{', '('])
}

/// A program by its usual name, with its subcommand, and the words behind it.
fn canonical(command: &Simple) -> Option<(String, Vec<String>)> {
    let mut words: Vec<String> = command.words.iter().map(|word| word.text.clone()).collect();
    *words.first_mut()? = command.program.clone();
    loop {
        let first = words.first()?.as_str();
        let second = words.get(1).map(String::as_str).unwrap_or_default();
        let taken = if matches!(first, "npx" | "bunx" | "pnpx") {
            1
        } else if RUNNERS.contains(&(first, second)) || first.starts_with("python") && second == "-m" {
            2
        } else {
            break;
        };
        words.drain(..taken);
        while words.first().is_some_and(|word| word.starts_with('-')) {
            words.remove(0);
        }
    }
    let program = base(words.first()?).to_owned();
    let second = words.get(1).map(String::as_str).unwrap_or_default().to_owned();
    let (name, taken) = match (program.as_str(), second.as_str()) {
        ("py.test", _) => ("pytest".to_owned(), 1),
        ("cargo", "t") => ("cargo test".to_owned(), 2),
        ("npm" | "pnpm" | "yarn" | "bun", "t" | "test") => (format!("{} test", npm(&program)), 2),
        ("npm" | "pnpm" | "yarn" | "bun", "run") => {
            (format!("{} {}", npm(&program), words.get(2).map(String::as_str).unwrap_or_default()), 3)
        }
        (
            "cargo" | "go" | "ruff" | "biome" | "npm" | "pnpm" | "yarn" | "bun" | "deno" | "make" | "gradle"
            | "gradlew" | "mvn" | "git",
            _,
        ) if !second.starts_with('-') => (format!("{program} {second}").trim_end().to_owned(), 2),
        _ => (program, 1),
    };
    Some((name, words.split_off(taken.min(words.len()))))
}

fn npm(program: &str) -> &str {
    if program == "bun" { "bun" } else { "npm" }
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The words that count: without options about what is shown, with paths as they are found.
fn targets(command: &Simple, words: &[String]) -> Vec<String> {
    let mut counted = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if SHOWN.contains(&name) {
            if WITH_VALUE.contains(&word.as_str()) {
                words.next_if(|value| !value.starts_with('-'));
            }
            continue;
        }
        let path = command.path(word.trim_end_matches('/'));
        let found = (!word.starts_with('-')).then(|| path.canonicalize().ok()).flatten();
        counted.push(found.map_or_else(|| word.clone(), |path| path.display().to_string()));
    }
    counted
}

static PASSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|\bRan [1-9]\d* tests?\b|^ok\s+\S+\s+(?:\d|\(cached\))|\b[1-9]\d* examples?, 0 failures|\b[1-9]\d* runs, |^# pass [1-9]|OK \([1-9]\d* tests?|Tests run: [1-9]|\b100% tests passed\b|ok \| [1-9]\d* passed").ok()
});
static FAILED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|^FAILED\b|^FAIL\b|^# fail [1-9]|(?:Failures|Errors): [1-9]").ok()
});

/// Whether an output says that tests passed, and of none that it failed.
fn tests_passed(said: &str) -> bool {
    let fits = |rule: &Option<Regex>| rule.as_ref().is_some_and(|rule| rule.is_match(said));
    fits(&PASSED) && !fits(&FAILED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(script: &str) -> Option<String> {
        identity(script, Path::new("/tmp"))
    }

    #[test]
    fn one_check_has_one_identity_however_it_is_written() {
        for same in [
            &[
                "pytest",
                "pytest -q",
                "pytest -x --tb=short",
                "pytest --tb short -vv",
                "python -m pytest",
                "python3 -m pytest -q",
                "py.test",
                "poetry run pytest",
                "uv run pytest -q",
                "cd /tmp && pytest",
                "cd .; pytest",
                "pytest 2>&1",
                "pytest > /dev/null",
                "/usr/local/bin/pytest",
                "env pytest",
                "timeout 60 pytest",
                "pytest # all of them",
                "echo begin; pytest",
                "set -o pipefail; pytest | tail -3",
            ][..],
            &[
                "pytest tests/a.py",
                "pytest -q tests/a.py",
                "pytest tests/a.py -q",
                "cd /tmp && python -m pytest tests/a.py",
            ],
            &["pytest a b", "pytest b -q a"],
            &[
                "cargo test",
                "cargo t",
                "cargo test -q",
                "cargo test -- --nocapture",
                "cargo test --color never",
            ],
            &["npm test", "npm t", "npm run test", "npm run --silent test"][..3],
            &["npx jest", "jest --silent", "jest"],
        ] {
            let first = id(same[0]);
            assert!(first.is_some(), "{}", same[0]);
            for script in same {
                assert_eq!(id(script), first, "{script} is {}", same[0]);
            }
        }
    }

    #[test]
    fn another_program_target_or_folder_is_another_check() {
        let scripts = [
            "pytest",
            "pytest tests/a.py",
            "pytest tests/b.py",
            "pytest -k name",
            "pytest --lf",
            "cd / && pytest",
            "cargo test",
            "cargo test -p x",
            "cargo test --release",
            "cargo clippy",
            "npm test",
            "jest",
            "make test",
            "make",
        ];
        let all: std::collections::BTreeSet<_> = scripts.iter().map(|script| id(script)).collect();
        assert_eq!(all.len(), scripts.len());
        assert!(!all.contains(&None));
    }

    #[test]
    fn what_hides_how_the_check_ended_is_none() {
        for script in [
            "pytest || true",
            "pytest; true",
            "pytest; ls",
            "pytest | tail -3",
            "pytest &",
            "! pytest",
            "false || pytest || true",
            "pytest; cargo test",
            "$TESTS",
            "pytest $ARGS",
            "ls",
            "if",
        ] {
            let id = id(script).filter(|_| script != "ls");
            assert_eq!(id, None, "{script}");
        }
    }

    #[test]
    fn a_run_proves_what_it_says() {
        let proof = |script: &str, said: &str| proof(script, Path::new("/tmp"), said);
        for (script, said) in [
            ("cargo test -q", "test result: ok. 3 passed; 0 failed; 0 ignored"),
            ("pytest -q | tail -1", "3 passed in 0.02s"),
            ("python -m unittest", "Ran 2 tests in 0.001s\n\nOK"),
            ("go test ./...", "ok  \texample.org/x\t0.003s"),
            ("npm test", "Tests:       3 passed, 3 total"),
            ("npx mocha", "  4 passing (3ms)"),
            ("bundle exec rspec", "3 examples, 0 failures"),
            ("node --test", "# pass 3\n# fail 0"),
            ("cd /tmp && cargo nextest run", "Summary 3 tests run: 3 passed, 0 skipped\n 3 passed"),
        ] {
            assert_eq!(proof(script, said), Some(Proof::Tests), "{script}");
        }
        for script in [
            "cargo clippy",
            "ruff check .",
            "uv run mypy src",
            "npx eslint .",
            "go vet ./...",
            "npm run lint",
        ] {
            assert_eq!(proof(script, ""), Some(Proof::Lint), "{script}");
        }
        for (script, said) in [
            ("true # cargo test", "test result: ok. 3 passed"),
            ("true # cargo clippy", ""),
            ("echo '3 passed'; true # pytest", "3 passed"),
            ("echo cargo test '3 passed'", "cargo test 3 passed"),
            (": pytest", "3 passed"),
            ("pytest", "1 failed, 2 passed"),
            ("pytest || true", "FAILED tests/a.py\n3 passed"),
            ("pytest", "no tests ran in 0.00s"),
            ("cargo test", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed"),
            ("cargo test --no-run", "3 passed"),
            ("pytest --collect-only", "3 passed"),
            ("cargo test --help", "3 passed"),
            ("go test ./...", "?   \tx\t[no test files]"),
            ("cargo clippy || true", ""),
            ("ruff check . | head", ""),
            ("ruff check --exit-zero .", ""),
            ("ruff --version", ""),
            ("cargo test > /dev/null", ""),
            ("grep -r 'cargo test' .", "3 passed"),
        ] {
            assert_eq!(proof(script, said), None, "{script}: {said}");
        }
    }

    #[test]
    fn what_only_looks_mends_nothing() {
        let looks = |script: &str| only_looks(script, Path::new("/tmp"));
        for script in [
            "ls -la",
            "cat a | grep b",
            "git status && git diff",
            "cargo test -q",
            "rg x 2>/dev/null",
            "cd /tmp; pwd",
        ] {
            assert!(looks(script), "{script}");
        }
        for script in [
            "pip install x",
            "touch good",
            "cat a > b",
            "git checkout a",
            "npm ci",
            "sed -i s/a/b/ c",
            "$X",
            "make",
        ] {
            assert!(!looks(script), "{script}");
        }
    }
}
