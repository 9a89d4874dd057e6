//! The sixteen parts: what was found in the workspace, and what would raise each.

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use hookspec_process::{Program, find};
use jiff::{Timestamp, ToSpan};
use regex::Regex;

use crate::git::Git;
use crate::settings::Settings;

use super::Part;
use super::parts::{self, History};
use super::reports;
use super::tree::Tree;

const MANIFESTS: [&str; 6] =
    ["Cargo.toml", "package.json", "pyproject.toml", "setup.py", "requirements.txt", "go.mod"];
const LOCKFILES: [&str; 9] = [
    "Cargo.lock",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "uv.lock",
    "poetry.lock",
    "Pipfile.lock",
    "go.sum",
];

/// Files that show that dependencies, secrets and code are looked at by a tool, one row each.
const SECURITY: [(&str, &[&str]); 3] = [
    (
        "dependency audit",
        &["deny.toml", "audit.toml", "dependabot.y", "renovate.json", ".renovaterc", ".snyk"],
    ),
    ("secret scan", &[".gitleaks.toml", ".secrets.baseline", ".trufflehog"]),
    ("static analysis", &["codeql", ".semgrep", ".bandit", "bandit.yaml", "sonar-project.properties"]),
];

static CONVENTIONAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(\([^)]*\))?!?: ").ok()
});
static ISSUE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"#\d+|\b[A-Z][A-Z0-9]+-\d+\b").ok());

/// All parts of a workspace.
pub(super) fn parts(
    workspace: &Path,
    tree: &Tree,
    now: Timestamp,
    settings: &Settings,
    deadline: Instant,
) -> Vec<Part> {
    let git = Git::at(workspace);
    let mut parts = vec![
        coverage(workspace),
        lint(workspace, tree, settings, deadline),
        types(tree),
        complexity(tree),
        package_management(workspace),
        version_control(git.as_ref()),
        dependencies_age(workspace, git.as_ref(), now),
        tests_present(tree),
        documentation(tree),
        continuous_integration(tree),
    ];
    parts.extend(history(git.as_ref(), now));
    parts.extend([security(tree), hygiene(workspace, tree)]);
    parts
}

fn coverage(workspace: &Path) -> Part {
    let raise = "let the test run write lcov.info, coverage.xml, coverage.json or coverage.out, and test what is not covered";
    match reports::coverage(workspace) {
        None => Part::unmeasured("coverage", 15, "there is no coverage report", raise),
        Some((share, report)) => {
            let found = format!("{:.1} % of lines, by {report}", share * 100.0);
            Part::measured("coverage", 15, parts::by_share(share, 15), found, raise)
        }
    }
}

fn lint(workspace: &Path, tree: &Tree, settings: &Settings, deadline: Instant) -> Part {
    let (name, most) = ("lint", 10);
    let ruff =
        ["ruff", "check", "--quiet", "--no-cache", "--output-format", "concise", "."].map(str::to_owned);
    let command: &[String] = if !settings.lint.is_empty() {
        &settings.lint
    } else if tree.python_lines > 0 {
        &ruff
    } else {
        return Part::unmeasured(name, most, "no linter is named", "name one as `lint` in [hooks.buddy]");
    };
    let Some((program, args)) = command.split_first() else {
        return Part::unmeasured(name, most, "no linter is named", "name one as `lint` in [hooks.buddy]");
    };
    let Some(path) = find(program, Some(workspace)) else {
        return Part::unmeasured(name, most, format!("`{program}` is not installed"), "install it");
    };
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let ended = match Program::new(path).args(args).cwd(workspace).deadline(left).keep(1024 * 1024).run() {
        Ok(ended) => ended,
        Err(error) => {
            return Part::unmeasured(name, most, error.to_string(), "raise `measure_s` in [hooks.buddy]");
        }
    };
    let text = ended.stdout.text();
    let findings = text.lines().filter(|line| !line.trim().is_empty()).count();
    if !ended.status.success() && findings == 0 {
        let why = format!("`{program}` ended with {}", ended.words());
        return Part::unmeasured(name, most, why, "see why it fails");
    }
    let findings = if ended.status.success() { 0 } else { findings };
    if tree.lines == 0 {
        return Part::unmeasured(name, most, "there is no source", "");
    }
    // pylint's own score, with lines for statements: 10 - findings / statements * 10.
    let share = 1.0 - findings as f64 / tree.lines as f64;
    let found = format!("{findings} findings of `{program}` in {} lines", tree.lines);
    Part::measured(name, most, parts::by_share(share, most), found, "mend what the linter finds")
}

fn types(tree: &Tree) -> Part {
    if tree.lines == 0 {
        return Part::unmeasured("types", 10, "there is no source", "");
    }
    let share = tree.typed_lines / tree.lines as f64;
    let found = format!("{:.0} % of lines are in languages or functions with checked types", share * 100.0);
    Part::measured("types", 10, parts::by_share(share, 10), found, "annotate functions")
}

fn complexity(tree: &Tree) -> Part {
    if tree.lines == 0 {
        return Part::unmeasured("complexity", 5, "there is no source", "");
    }
    let share = tree.simple_lines as f64 / tree.lines as f64;
    let found = format!("{:.1} % of lines are nested four levels deep or less", share * 100.0);
    Part::measured("complexity", 5, parts::by_share(share, 5), found, "make functions of what is nested deep")
}

fn package_management(workspace: &Path) -> Part {
    let first = |names: &[&'static str]| names.iter().copied().find(|name| workspace.join(name).is_file());
    let (manifest, lockfile) = (first(&MANIFESTS), first(&LOCKFILES));
    let points = parts::package_management(manifest.is_some(), lockfile.is_some());
    let found = format!("manifest: {}, lockfile: {}", manifest.unwrap_or("none"), lockfile.unwrap_or("none"));
    Part::measured("package management", 5, points, found, "keep a manifest and its lockfile")
}

fn version_control(git: Option<&Git>) -> Part {
    let history = match git {
        None => History::None,
        Some(git) if git.head().is_none() => History::Commits(0),
        Some(git) => git.commits_since(None).map_or(History::Unknown, History::Commits),
    };
    let found = match history {
        History::None => "no git repository".to_owned(),
        History::Unknown => "a git repository of unknown length".to_owned(),
        History::Commits(count) => format!("{count} commits"),
    };
    Part::measured("version control", 5, parts::version_control(history), found, "commit to git")
}

fn dependencies_age(workspace: &Path, git: Option<&Git>, now: Timestamp) -> Part {
    let (name, raise) = ("dependencies' age", "update the dependencies");
    let Some(lockfile) = LOCKFILES.iter().find(|name| workspace.join(name).is_file()) else {
        return Part::unmeasured(name, 5, "there is no lockfile", "keep a lockfile");
    };
    // A checkout makes files new, so git knows better.
    let written =
        || Timestamp::try_from(std::fs::metadata(workspace.join(lockfile)).ok()?.modified().ok()?).ok();
    let Some(changed) = git.and_then(|git| git.committed(lockfile)).or_else(written) else {
        return Part::unmeasured(name, 5, format!("nobody knows when {lockfile} changed"), raise);
    };
    let days = now.duration_since(changed).as_hours() / 24;
    Part::measured(
        name,
        5,
        parts::dependencies_age(days),
        format!("{lockfile} changed {days} days ago"),
        raise,
    )
}

fn tests_present(tree: &Tree) -> Part {
    let setup = tree.count_where(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name == "conftest.py"
            || path.contains("tests/common/")
            || path.contains("/testdata/")
            || ["jest.setup", "vitest.setup", "setupTests", "test_helper", "testutil"]
                .iter()
                .any(|p| name.starts_with(p))
    });
    let found =
        format!("{} files with tests, shared setup: {}", tree.tests, if setup > 0 { "yes" } else { "no" });
    let points = parts::tests_present(tree.tests, setup > 0);
    Part::measured("tests", 5, points, found, "write tests, with their setup in one place")
}

fn documentation(tree: &Tree) -> Part {
    let readme =
        tree.files.iter().any(|path| !path.contains('/') && path.to_lowercase().starts_with("readme"));
    let docs = tree.count_where(|path| path.starts_with("docs/") || path.starts_with("doc/"));
    let found = format!("README: {}, files in docs: {docs}", if readme { "yes" } else { "no" });
    let points = parts::documentation(readme, docs);
    Part::measured("documentation", 5, points, found, "write a README, and pages in docs/")
}

fn continuous_integration(tree: &Tree) -> Part {
    let workflows = tree.count_where(|path| {
        path.starts_with(".github/workflows/") && (path.ends_with(".yml") || path.ends_with(".yaml"))
    });
    let gitlab = tree.has(".gitlab-ci.yml");
    let found = format!("{workflows} workflows, GitLab's: {}", if gitlab { "yes" } else { "no" });
    let points = parts::continuous_integration(workflows, gitlab);
    Part::measured("continuous integration", 5, points, found, "let a workflow run the tests")
}

/// The four parts that git's history gives.
fn history(git: Option<&Git>, now: Timestamp) -> Vec<Part> {
    let names = ["commit frequency", "conventional commits", "issue references", "branches"];
    let Some(git) = git.filter(|git| git.head().is_some()) else {
        let unmeasured = |name: &&str| Part::unmeasured(name, 5, "there are no commits", "commit to git");
        return names.iter().map(unmeasured).collect();
    };
    let since = now.checked_sub((30 * 24).hours()).unwrap_or(Timestamp::MIN);
    let frequency = match git.commits_after(since) {
        None => Part::unmeasured(names[0], 5, "git does not tell", ""),
        Some(count) => {
            let found = format!("{count} commits in 30 days");
            Part::measured(names[0], 5, parts::commit_frequency(count), found, "commit in smaller steps")
        }
    };
    let log = git.ask(["log", "-50", "--no-merges", "--format=%s%x00%b%x1e"]).unwrap_or_default();
    let commits: Vec<&str> = log.split('\x1e').map(str::trim).filter(|commit| !commit.is_empty()).collect();
    let percent = |rule: &Option<Regex>| {
        let fit =
            commits.iter().filter(|commit| rule.as_ref().is_some_and(|rule| rule.is_match(commit))).count();
        if commits.is_empty() { 0.0 } else { fit as f64 * 100.0 / commits.len() as f64 }
    };
    let of = |percent: f64| format!("{percent:.0} % of the last {} commits", commits.len());
    let (conventional, issues) = (percent(&CONVENTIONAL), percent(&ISSUE));
    let features = feature_branches(git);
    vec![
        frequency,
        Part::measured(
            names[1],
            5,
            parts::conventional_commits(conventional),
            of(conventional),
            "begin a commit's subject as in `fix: …`",
        ),
        Part::measured(
            names[2],
            5,
            parts::issue_references(issues),
            of(issues),
            "name the issue in the commit",
        ),
        Part::measured(
            names[3],
            5,
            parts::branches(features),
            format!("{features} feature branches"),
            "work on branches",
        ),
    ]
}

fn feature_branches(git: &Git) -> usize {
    let all =
        git.ask(["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"]).unwrap_or_default();
    let short = |name: &str| -> Option<String> {
        let name = name
            .strip_prefix("refs/heads/")
            .or_else(|| Some(name.strip_prefix("refs/remotes/")?.split_once('/')?.1))?;
        (!["main", "master", "trunk", "develop", "HEAD"].contains(&name)).then(|| name.to_owned())
    };
    all.lines().filter_map(short).collect::<std::collections::BTreeSet<_>>().len()
}

fn security(tree: &Tree) -> Part {
    let used: Vec<&str> = SECURITY
        .iter()
        .filter(|(_, marks)| tree.files.iter().any(|path| marks.iter().any(|mark| path.contains(mark))))
        .map(|(kind, _)| *kind)
        .collect();
    let share = used.len() as f64 / SECURITY.len() as f64;
    let found = if used.is_empty() { "no tool is configured".to_owned() } else { used.join(", ") };
    let raise = "configure a dependency audit, a secret scan and a static analysis";
    Part::measured("security tools", 5, parts::by_share(share, 5), found, raise)
}

fn hygiene(workspace: &Path, tree: &Tree) -> Part {
    let open_env = tree.has(".env");
    // A workspace may be a part of a repository: then the whole's ignore file counts.
    let within = workspace.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(workspace);
    let ignore_file = workspace
        .ancestors()
        .take_while(|folder| folder.starts_with(within))
        .any(|folder| folder.join(".gitignore").is_file());
    let points = parts::hygiene(open_env, ignore_file, tree.secrets.len());
    let mut found = Vec::new();
    if open_env {
        found.push(".env is not ignored".to_owned());
    }
    if !ignore_file {
        found.push("there is no .gitignore".to_owned());
    }
    if !tree.secrets.is_empty() {
        found.push(format!(
            "literal secrets in {}",
            tree.secrets.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    if tree.cut_short {
        found.push("not all files were looked at".to_owned());
    }
    let found = if found.is_empty() { "nothing is open".to_owned() } else { found.join("; ") };
    Part::measured("hygiene", 5, points, found, "ignore .env, and take secrets out of the files")
}
