//! Patterns of good work, looked for in a session's timeline.
//!
//! Three families (messages, edits, calls), in each the patterns in the order of the table in [`Kind`]; the first that
//! fits counts, and a family with fewer than two entries has none. What is looked for are typed moments in their order, and
//! words are whole words with their endings: "fix" is in "fixed" and not in "prefix".

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::quality::is_test_path;
use crate::timeline::Moment;

/// A pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Messages: past work is searched, then something is implemented.
    SearchBeforeImplement,
    /// Messages: two attempts, then a success.
    IterativeProblemSolving,
    /// Messages: checkpoints are spoken of twice.
    CheckpointDrivenDevelopment,
    /// Edits: a function gets annotated types.
    TypeHypothesisAddition,
    /// Edits: a test is changed, then other code is refactored.
    TestDrivenRefactoring,
    /// Edits: a helper is extracted.
    FunctionExtraction,
    /// Calls: a linter and a test run.
    TestDrivenQuality,
    /// Calls: a search in the past, then an edit.
    ReflectionGuidedDevelopment,
    /// Calls: two checkpoints.
    CheckpointIteration,
}

impl Kind {
    /// All, by family and in order.
    pub const ALL: [Self; 9] = [
        Self::SearchBeforeImplement,
        Self::IterativeProblemSolving,
        Self::CheckpointDrivenDevelopment,
        Self::TypeHypothesisAddition,
        Self::TestDrivenRefactoring,
        Self::FunctionExtraction,
        Self::TestDrivenQuality,
        Self::ReflectionGuidedDevelopment,
        Self::CheckpointIteration,
    ];

    /// Its name, as it is stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.texts().0
    }

    /// The pattern of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What it is, in a sentence.
    #[must_use]
    pub fn description(self) -> &'static str {
        self.texts().1
    }

    /// What to do, step by step.
    #[must_use]
    pub fn actions(self) -> &'static [&'static str] {
        self.texts().2
    }

    /// What it is good for.
    #[must_use]
    pub fn tags(self) -> &'static [&'static str] {
        self.texts().3
    }

    fn texts(self) -> (&'static str, &'static str, &'static [&'static str], &'static [&'static str]) {
        match self {
            Self::SearchBeforeImplement => (
                "search_before_implement",
                "Search what was learned before implementing.",
                &["search reflections for the task", "apply what was found", "implement"],
                &["search", "implementation"],
            ),
            Self::IterativeProblemSolving => (
                "iterative_problem_solving",
                "Try, look, try again until it works.",
                &["try the smallest change", "run it", "try the next", "confirm that it works"],
                &["debugging", "iteration"],
            ),
            Self::CheckpointDrivenDevelopment => (
                "checkpoint_driven_development",
                "Plan the work from checkpoint to checkpoint.",
                &["say what the next checkpoint holds", "work up to it", "make it"],
                &["checkpoint", "planning"],
            ),
            Self::TypeHypothesisAddition => (
                "type_hypothesis_addition",
                "Write down the types that a function is thought to have.",
                &["annotate the function", "let the checker judge"],
                &["types", "edit"],
            ),
            Self::TestDrivenRefactoring => (
                "test_driven_refactoring",
                "Change the tests first, then refactor.",
                &["write or change the test", "refactor", "run the test"],
                &["tests", "refactoring"],
            ),
            Self::FunctionExtraction => (
                "function_extraction",
                "Extract a helper with a name of its own.",
                &["find what is repeated", "extract it", "call it"],
                &["refactoring", "edit"],
            ),
            Self::TestDrivenQuality => (
                "test_driven_quality",
                "Run the linter and the tests.",
                &["run the linter", "run the tests"],
                &["tests", "lint"],
            ),
            Self::ReflectionGuidedDevelopment => (
                "reflection_guided_development",
                "Look up earlier lessons, then edit.",
                &["search reflections", "edit"],
                &["search", "edit"],
            ),
            Self::CheckpointIteration => (
                "checkpoint_iteration",
                "Make a checkpoint, raise the quality, make another.",
                &["make a checkpoint", "do what would raise the score", "make another"],
                &["checkpoint", "iteration"],
            ),
        }
    }
}

/// A pattern that was found, and where it shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The pattern.
    pub kind: Kind,
    /// What showed it, in short.
    pub context: String,
}

/// The patterns of a timeline: at most one a family.
#[must_use]
pub fn find(history: &[Moment]) -> Vec<Match> {
    [messages(history), edits(history), calls(history)].into_iter().flatten().collect()
}

fn found(kind: Kind, context: impl Into<String>) -> Option<Match> {
    Some(Match { kind, context: crate::store::short(&context.into(), 200) })
}

fn messages(history: &[Moment]) -> Option<Match> {
    let said: Vec<Vec<String>> = history
        .iter()
        .filter_map(|moment| match moment {
            Moment::Message { text, .. } => Some(words(text)),
            _ => None,
        })
        .collect();
    if said.len() < 2 {
        return None;
    }
    let search =
        said.iter().position(|words| says(words, &["search"]) && says(words, &["reflection", "past"]));
    if let Some(at) = search
        && said[at..].iter().any(|words| says(words, &["implement", "apply", "applies", "applied"]))
    {
        return found(Kind::SearchBeforeImplement, said[at].join(" "));
    }
    let attempts: Vec<usize> =
        (0..said.len()).filter(|at| says(&said[*at], &["try", "tries", "tried", "attempt", "fix"])).collect();
    if let [_, second, ..] = attempts[..]
        && said[second..]
            .iter()
            .any(|words| says(words, &["success", "successful", "successfully", "work", "solve"]))
    {
        return found(Kind::IterativeProblemSolving, said[second].join(" "));
    }
    let checkpoints = said.iter().filter(|words| says(words, &["checkpoint"])).count();
    if checkpoints >= 2 {
        return found(
            Kind::CheckpointDrivenDevelopment,
            format!("{checkpoints} messages speak of checkpoints"),
        );
    }
    None
}

/// A function whose parameters or result have one of the basic types, in any of the languages that write them.
static ANNOTATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let types = r"(?:int|str|float|bool|bytes|list|dict|tuple|set|string|number|boolean|[iu](?:8|16|32|64|size)|f32|f64|String|u?int\d*)";
    Regex::new(&format!(
        r"(?m)^\s*(?:export |pub |pub\([a-z]+\) |async |const |static )*(?:def|fn|func|function)\b[^\n]*(?:[:>]\s*&?\s*{types}\b|\w\s+{types}\b)"
    ))
    .ok()
});
static HELPER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?mi)^\s*(?:export |pub |pub\([a-z]+\) |async |const |static )*(?:def|fn|func|function)\s+(?:\([^)]*\)\s*)?(?:\w*_)?(?:extract(?:ed)?|helper|util(?:ity|s)?)(?:_\w*)?\b").ok()
});

fn edits(history: &[Moment]) -> Option<Match> {
    let edits: Vec<(&str, &str)> = history
        .iter()
        .filter_map(|moment| match moment {
            Moment::Edit { path, added, .. } => Some((path.as_str(), added.as_str())),
            _ => None,
        })
        .collect();
    if edits.len() < 2 {
        return None;
    }
    let fits = |rule: &Option<Regex>, text: &str| rule.as_ref().is_some_and(|rule| rule.is_match(text));
    if let Some((path, _)) = edits.iter().find(|(_, added)| fits(&ANNOTATED, added)) {
        return found(Kind::TypeHypothesisAddition, *path);
    }
    // In this order: the test, then what is said or written about the refactoring of something else.
    let test =
        history.iter().position(|moment| matches!(moment, Moment::Edit { path, .. } if is_test_path(path)));
    if let Some(test) = test {
        let after = &history[test..];
        let elsewhere =
            after.iter().any(|moment| matches!(moment, Moment::Edit { path, .. } if !is_test_path(path)));
        let meant = after.iter().any(|moment| match moment {
            Moment::Edit { added: text, .. } | Moment::Message { text, .. } => {
                says(&words(text), &["refactor", "extract", "simplify", "simplifies", "simplified"])
            }
            _ => false,
        });
        if elsewhere && meant {
            return found(Kind::TestDrivenRefactoring, "a test was changed first");
        }
    }
    let helper = edits.iter().find(|(_, added)| fits(&HELPER, added));
    helper.and_then(|(path, _)| found(Kind::FunctionExtraction, *path))
}

/// Linters and test runners, as they begin a command or stand in one.
const LINTERS: [&str; 12] = [
    "clippy",
    "ruff",
    "eslint",
    "flake8",
    "pylint",
    "mypy",
    "pyright",
    "golangci-lint",
    "go vet",
    "rubocop",
    "biome",
    "lint",
];
const TESTERS: [&str; 9] =
    ["cargo test", "nextest", "pytest", "unittest", "npm test", "go test", "jest", "vitest", "rspec"];

/// Whether a call is one of these: by the tool's name, or by its command.
fn is_one_of(tool: &str, text: &str, names: &[&str]) -> bool {
    let has = |text: &str| {
        let text = words(text).join(" ");
        names.iter().any(|name| format!(" {text} ").contains(&format!(" {} ", words(name).join(" "))))
    };
    has(tool) || has(text)
}

fn calls(history: &[Moment]) -> Option<Match> {
    let count = history
        .iter()
        .filter(|moment| matches!(moment, Moment::Call { .. } | Moment::Checkpoint { .. }))
        .count();
    if count < 2 {
        return None;
    }
    let ran = |names: &'static [&'static str]| move |moment: &Moment| matches!(moment, Moment::Call { tool, text, ok: true } if is_one_of(tool, text, names));
    // A run that failed shows nothing; the linter comes before the test.
    let lint = history.iter().position(ran(&LINTERS));
    if let Some(at) = lint
        && history[at..].iter().any(ran(&TESTERS))
    {
        return found(Kind::TestDrivenQuality, "the linter passed, then the tests");
    }
    let searched = history.iter().position(
        |moment| matches!(moment, Moment::Call { tool, ok: true, .. } if says(&words(tool), &["search", "reflection"])),
    );
    if let Some(at) = searched
        && history[at..].iter().any(|moment| matches!(moment, Moment::Edit { .. }))
    {
        return found(Kind::ReflectionGuidedDevelopment, "lessons were searched before the edit");
    }
    let checkpoints = history.iter().filter(|moment| matches!(moment, Moment::Checkpoint { .. })).count();
    (checkpoints >= 2)
        .then(|| found(Kind::CheckpointIteration, format!("{checkpoints} checkpoints")))
        .flatten()
}

/// The words of a text, in small letters.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Whether one of the stems is said, with an ending or without.
fn says(words: &[String], stems: &[&str]) -> bool {
    const ENDINGS: [&str; 9] = ["", "s", "es", "ed", "d", "ing", "ation", "ion", "ting"];
    words.iter().any(|word| {
        stems.iter().any(|stem| word.strip_prefix(stem).is_some_and(|ending| ENDINGS.contains(&ending)))
    })
}

#[cfg(test)]
mod tests {
    use hookspec::Role;

    use super::*;

    fn said(text: &str) -> Moment {
        Moment::Message { role: Role::Assistant, text: text.into() }
    }
    fn edit(path: &str, added: &str) -> Moment {
        Moment::Edit { path: path.into(), added: added.into(), created: false }
    }
    fn ran(text: &str) -> Moment {
        Moment::Call { tool: "shell".into(), text: text.into(), ok: true }
    }
    fn kinds(history: &[Moment]) -> Vec<Kind> {
        find(history).into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn each_pattern_is_found_in_its_order_only() {
        let checkpoint = || Moment::Checkpoint { score: 90, accepted: true };
        let searched = || Moment::Call { tool: "search_reflections".into(), text: "x".into(), ok: true };
        let rows: [(Kind, Vec<Moment>); 9] = [
            (Kind::SearchBeforeImplement, vec![said("Search past reflections"), said("now implement it")]),
            (
                Kind::IterativeProblemSolving,
                vec![said("trying this"), said("another attempt"), said("it works")],
            ),
            (Kind::CheckpointDrivenDevelopment, vec![said("to the checkpoint"), said("next checkpoint")]),
            (
                Kind::TypeHypothesisAddition,
                vec![edit("a.txt", "x"), edit("a.py", "def f(x: int):\n    pass")],
            ),
            (Kind::TestDrivenRefactoring, vec![edit("tests/a.py", "x"), edit("a.py", "# simplify")]),
            (Kind::FunctionExtraction, vec![edit("a.go", "x"), edit("b.js", "function parse_helper(x) {")]),
            (Kind::TestDrivenQuality, vec![ran("cargo clippy"), ran("cargo test -q")]),
            (Kind::ReflectionGuidedDevelopment, vec![ran("ls"), searched(), edit("a", "x")]),
            (Kind::CheckpointIteration, vec![checkpoint(), checkpoint()]),
        ];
        for (kind, history) in rows {
            assert_eq!(kinds(&history), [kind], "{history:?}");
            assert_eq!(kinds(&history[..1]), [], "one entry is too few for {kind:?}");
        }
        for backwards in [
            vec![said("implement it"), said("search past reflections")],
            vec![ran("cargo test"), ran("cargo clippy")],
            vec![edit("a.py", "# simplify"), edit("tests/a.py", "x")],
            vec![said("it works"), said("trying"), said("attempt")],
            vec![edit("a", "x"), ran("ls"), searched()],
        ] {
            assert_eq!(kinds(&backwards), [], "{backwards:?}");
        }
    }

    #[test]
    fn words_are_whole_words() {
        assert!(says(&words("it was Fixed."), &["fix"]) && says(&words("fixing"), &["fix"]));
        assert!(!says(&words("a prefix, a suffix"), &["fix"]));
        let prefixes = [said("the prefix"), said("a suffix"), said("works")];
        assert_eq!(kinds(&prefixes), []);
    }

    #[test]
    fn the_first_of_a_family_counts_and_a_failed_run_shows_nothing() {
        let both = [
            said("search the past, try to fix the checkpoint"),
            said("implement; fix the checkpoint; works"),
        ];
        assert_eq!(kinds(&both), [Kind::SearchBeforeImplement]);
        let failed = Moment::Call { tool: "shell".into(), text: "cargo test".into(), ok: false };
        assert_eq!(kinds(&[ran("cargo clippy"), failed]), []);
    }

    #[test]
    fn functions_in_other_languages_have_types_too() {
        for text in [
            "fn f(x: u32) -> bool {",
            "pub async fn g(name: &str) {",
            "func Add(a int, b int) int {",
            "export function f(x: number): string {",
            "def f() -> bool:",
        ] {
            assert_eq!(kinds(&[edit("x", ""), edit("y", text)]), [Kind::TypeHypothesisAddition], "{text}");
        }
        for text in ["def f(x):", "function f(x) {", "let x: u32 = 1;"] {
            assert_eq!(kinds(&[edit("x", ""), edit("y", text)]), [], "{text}");
        }
    }

    #[test]
    fn names_are_as_they_serialise() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
    }
}
