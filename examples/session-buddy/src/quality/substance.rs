//! Whether a file is more than its name: nothing that is empty, or there for the score alone, gives points.

use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// Words from which a page says something.
const WORDS: usize = 20;
/// Bytes of a file that is looked into.
const LOOKED_AT: u64 = 256 * 1024;

/// The beginning of a file of the workspace that is one: no link, no pipe.
pub(super) fn text(workspace: &Path, path: &str) -> Option<String> {
    let path = workspace.join(path);
    std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A page with something on it.
pub(super) fn is_page(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    words.take(WORDS).count() == WORDS
}

/// A list with a line that is no comment.
pub(super) fn is_list(text: &str) -> bool {
    entries(text).next().is_some()
}

/// A file of settings, or a lockfile, with a line that sets something.
pub(super) fn is_settings(text: &str) -> bool {
    entries(text).any(|line| line.contains(['=', ':', '[', '{', ' ']))
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    let is_comment = |line: &str| ["#", "//", ";", "<!--"].iter().any(|comment| line.starts_with(comment));
    text.lines().map(str::trim).filter(move |line| !line.is_empty() && !is_comment(line))
}

/// A manifest that names something.
pub(super) fn is_manifest(name: &str, text: &str) -> bool {
    let toml = |tables: &[&str]| {
        let table: toml::Table = text.parse().unwrap_or_default();
        tables.iter().any(|name| {
            table.get(*name).and_then(toml::Value::as_table).is_some_and(|table| !table.is_empty())
        })
    };
    match name {
        "Cargo.toml" => toml(&["package", "workspace"]),
        "pyproject.toml" => toml(&["project", "tool", "build-system"]),
        "package.json" => {
            let package: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
            ["name", "dependencies", "devDependencies", "scripts", "workspaces"]
                .iter()
                .any(|key| package.get(*key).is_some())
        }
        "setup.py" => text.contains("setup("),
        "go.mod" => text.lines().any(|line| line.starts_with("module ")),
        _ => is_list(text),
    }
}

/// A workflow with a job that does something.
pub(super) fn is_workflow(text: &str) -> bool {
    let key = |names: &[&str]| {
        text.lines().any(|line| {
            let line = line.trim_start().trim_start_matches("- ");
            names.iter().any(|name| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
        })
    };
    key(&["jobs"]) && key(&["run", "uses"])
}

/// GitLab's, with a script.
pub(super) fn is_gitlab(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("script:"))
}

/// A test as its language writes one.
static TEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)^\s*(?:#\[(?:\w+::)*(?:test|rstest|test_case)\b|(?:async )?def test|func (?:Test|Fuzz|Benchmark)|@(?:Parameterized)?Test\b|(?:it|test|specify)(?:\.\w+)*\s*[("']|(?:public )?function test|TEST(?:_F|_P)?\()|\bproptest!"#,
    )
    .ok()
});
/// That something is held to be so.
static HOLDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)assert|expect|should|require|verify|\bfail|\bpanic|\bt\.(?:error|fatal)|\braises?\b|unwrap\(|\?;").ok()
});

/// A file with a test in it that can fail.
pub(super) fn is_tests(text: &str) -> bool {
    let fits = |rule: &Option<Regex>| rule.as_ref().is_some_and(|rule| rule.is_match(text));
    fits(&TEST) && fits(&HOLDS)
}

/// A line of source that is neither blank nor a comment.
pub(super) fn is_code(line: &str, extension: &str) -> bool {
    let line = line.trim();
    let comments: &[&str] =
        if matches!(extension, "py" | "rb") { &["#", "\"\"\"", "'''"] } else { &["//", "/*", "*", "<!--"] };
    !line.is_empty() && !comments.iter().any(|comment| line.starts_with(comment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_one_in_its_language_and_can_fail() {
        for text in [
            "#[test]\nfn a() { assert!(b()); }",
            "    #[tokio::test]\n    async fn a() { b().await.unwrap(); }",
            "def test_a():\n    assert b()",
            "async def test_a():\n    with raises(E):",
            "func TestA(t *testing.T) { t.Fatal(1) }",
            "it('works', () => { expect(1).toBe(1) })",
            "test.each([1])('x', () => assert(1))",
            "  it \"works\" do\n expect(1).to eq 1",
            "@Test void a() { assertEquals(1, 1); }",
            "proptest! { fn a(x in 0..9) { prop_assert!(x < 9); } }",
        ] {
            assert!(is_tests(text), "{text}");
        }
        for text in [
            "",
            "\n\n",
            "# tests",
            "def test_a():\n    pass",
            "#[test]\nfn a() {}",
            "fn contest() { assert!(x) }",
        ] {
            assert!(!is_tests(text), "{text}");
        }
    }

    #[test]
    fn what_is_empty_or_a_word_is_nothing() {
        assert!(!is_page("") && !is_page("# x\n\n----\n") && !is_page(&"- ".repeat(99)));
        assert!(is_page(&"words that say something ".repeat(5)));
        assert!(!is_settings("\n# only a remark\n") && !is_settings("x\n") && is_settings("[advisories]\n"));
        assert!(!is_list("\n# only a remark\n") && is_list("target\n"));
        assert!(!is_workflow("on: push\n") && !is_workflow("jobs:\n") && !is_workflow("run: x"));
        assert!(is_workflow("on: push\njobs:\n  a:\n    steps:\n      - run: cargo test\n"));
        assert!(is_gitlab("test:\n  script:\n    - make\n") && !is_gitlab("stages: []\n"));
        for (name, text) in [
            ("Cargo.toml", "[package]\n"),
            ("Cargo.toml", "not toml ["),
            ("package.json", "{}"),
            ("pyproject.toml", ""),
            ("go.mod", "\n"),
            ("setup.py", "\n"),
            ("requirements.txt", "# none\n"),
        ] {
            assert!(!is_manifest(name, text), "{name} {text:?}");
        }
        for (name, text) in [
            ("Cargo.toml", "[package]\nname = 'x'\n"),
            ("Cargo.toml", "[workspace]\nmembers = []\n"),
            ("package.json", r#"{"name": "x"}"#),
            ("pyproject.toml", "[project]\nname = 'x'\n"),
            ("go.mod", "module x\n"),
            ("setup.py", "setup(name='x')"),
            ("requirements.txt", "flask\n"),
        ] {
            assert!(is_manifest(name, text), "{name} {text:?}");
        }
    }

    #[test]
    fn comments_are_no_code() {
        for (line, extension) in
            [("  // x", "rs"), ("", "rs"), (" * x", "java"), ("# x", "py"), ("/* x */", "c")]
        {
            assert!(!is_code(line, extension), "{line}");
        }
        for (line, extension) in [("x = 1", "py"), ("#[test]", "rs"), ("#include <x>", "c"), ("// py", "py")]
        {
            assert!(is_code(line, extension), "{line}");
        }
    }
}
