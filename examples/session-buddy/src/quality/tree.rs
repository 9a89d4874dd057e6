//! One walk through the workspace's files, ignore files respected: everything that parts of the score need of them.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use ignore::WalkBuilder;
use regex::Regex;

/// Files that are looked at.
const MOST_FILES: usize = 50_000;
/// Bytes of a source file that is read.
const MOST_BYTES: u64 = 1024 * 1024;
/// Levels of indentation up to which a line is simple. Indentation stands for complexity in every language: Hindle,
/// Godfrey and Holt, "Reading Beside the Lines: Indentation as a Proxy for Complexity Metrics", ICPC 2008.
const SIMPLE: usize = 4;

/// What the walk found.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Files, relative, with `/`.
    pub(crate) files: Vec<String>,
    /// Lines of source that are not blank.
    pub(crate) lines: u64,
    /// Those that are indented no deeper than [`SIMPLE`].
    pub(crate) simple_lines: u64,
    /// Lines whose types a compiler checks, and of Python's the share that has annotations.
    pub(crate) typed_lines: f64,
    /// Lines of Python.
    pub(crate) python_lines: u64,
    /// Files with a literal password, key or secret.
    pub(crate) secrets: Vec<String>,
    /// Files that hold tests.
    pub(crate) tests: usize,
    /// Whether the time, or the number of files, ran out.
    pub(crate) cut_short: bool,
}

static SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let rule =
        r#"(?i)\b[\w-]*(?:password|passwd|api[_-]?key|secret)[\w-]*["']?\s*[:=]\s*["'][^"'\s${}<>]{6,}["']"#;
    Regex::new(rule).ok()
});

impl Tree {
    pub(crate) fn walk(workspace: &Path, deadline: Instant) -> Self {
        let mut tree = Self::default();
        let walk = WalkBuilder::new(workspace)
            .hidden(false) // .github, .env
            .require_git(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        for entry in walk.flatten() {
            if tree.files.len() >= MOST_FILES || Instant::now() > deadline {
                tree.cut_short = true;
                break;
            }
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let Ok(inside) = entry.path().strip_prefix(workspace) else { continue };
            let path = inside.display().to_string();
            let small = entry.metadata().is_ok_and(|data| data.len() <= MOST_BYTES);
            let text =
                if small && is_read(&path) { std::fs::read_to_string(entry.path()).ok() } else { None };
            tree.add(path, text.as_deref());
        }
        tree.files.sort();
        tree
    }

    fn add(&mut self, path: String, text: Option<&str>) {
        let is_test = is_test_path(&path);
        let in_file = path.ends_with(".rs") && text.is_some_and(|text| text.contains("#[cfg(test)]"));
        self.tests += usize::from((is_test && is_source(&path)) || in_file);
        if let Some(text) = text {
            if is_source(&path) {
                self.count(&path, text);
            }
            // Tests hold secrets that are none.
            if !is_test && SECRET.as_ref().is_some_and(|rule| rule.is_match(text)) {
                self.secrets.push(path.clone());
            }
        }
        self.files.push(path);
    }

    fn count(&mut self, path: &str, text: &str) {
        let unit = if matches!(extension(path), "js" | "jsx" | "ts" | "tsx" | "rb") { 2 } else { 4 };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let (mut all, mut simple) = (0, 0);
        for line in lines {
            all += 1;
            simple += u64::from(depth(line, unit) <= SIMPLE);
        }
        self.lines += all;
        self.simple_lines += simple;
        match extension(path) {
            "rs" | "go" | "java" | "ts" | "tsx" | "c" | "cpp" | "h" | "hpp" => self.typed_lines += all as f64,
            "py" => {
                self.python_lines += all;
                self.typed_lines += all as f64 * annotated(text);
            }
            _ => {}
        }
    }

    /// Whether a file is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|held| held.as_str().cmp(path)).is_ok()
    }

    pub(crate) fn count_where(&self, wanted: impl Fn(&str) -> bool) -> usize {
        self.files.iter().filter(|path| wanted(path)).count()
    }
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn is_source(path: &str) -> bool {
    crate::metrics::language_of(path).is_some()
}

fn is_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_source(path)
        || matches!(extension(path), "toml" | "yaml" | "yml" | "json" | "ini" | "cfg" | "sh" | "properties")
            && !name.contains("lock")
}

/// How deep a line is indented.
fn depth(line: &str, unit: usize) -> usize {
    let mut spaces = 0;
    for c in line.chars() {
        match c {
            ' ' => spaces += 1,
            '\t' => spaces += unit,
            _ => break,
        }
    }
    spaces / unit
}

/// The share of a Python file's functions that say what they return; 1 without functions.
fn annotated(text: &str) -> f64 {
    let defs: Vec<&str> = text
        .split("\n")
        .filter(|line| line.trim_start().starts_with("def ") || line.trim_start().starts_with("async def "))
        .collect();
    if defs.is_empty() {
        return 1.0;
    }
    defs.iter().filter(|line| line.contains("->")).count() as f64 / defs.len() as f64
}

/// Whether a path is a test's by the custom of its language.
pub(crate) fn is_test_path(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    folders.split('/').any(|folder| matches!(folder, "test" | "tests" | "__tests__" | "spec"))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in ["tests/a.rs", "a/test_b.py", "b_test.go", "x.test.ts", "x/__tests__/y.js", "a_spec.rb"] {
            assert!(is_test_path(path), "{path}");
        }
        for path in ["src/latest.rs", "src/attestation.py", "contest/a.go", "src/test.rs"] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn secrets_are_literals_and_not_names() {
        let rule = SECRET.as_ref().unwrap();
        for text in ["password = \"hunter22\"", "API_KEY: 'abcdef123'", "\"client_secret\": \"s3cr3t-value\""]
        {
            assert!(rule.is_match(text), "{text}");
        }
        for text in [
            "password = os.environ['PASSWORD']",
            "secret = \"${SECRET}\"",
            "let password = ask();",
            "api_key = \"\"",
        ] {
            assert!(!rule.is_match(text), "{text}");
        }
    }

    #[test]
    fn lines_are_counted_by_depth_and_types() {
        let mut tree = Tree::default();
        tree.add(
            "a.py".into(),
            Some("def f():\n    pass\n\ndef g() -> int:\n                    return 1\n"),
        );
        assert_eq!((tree.lines, tree.simple_lines, tree.python_lines), (4, 3, 4));
        assert!((tree.typed_lines - 2.0).abs() < 1e-9);
        tree.add("b.rs".into(), Some("fn f() {}\n#[cfg(test)]\nmod tests {}\n"));
        assert!((tree.typed_lines - 5.0).abs() < 1e-9);
        assert_eq!(tree.tests, 1);
    }
}
