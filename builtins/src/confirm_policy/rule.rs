//! Rules, and whether they fit a command.

use hookspec_process::command::{Redirect, Simple, Word};
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

/// Which calls are meant.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    tool: Pattern,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// Whether it also answers what a gate asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) answers_gates: bool,
}

/// A text with `*` and `?`; never empty.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Pattern(WildMatch);

/// A command's words; never none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Command {
    written: String,
    program: WildMatch,
    words: Vec<(String, WildMatch)>,
    /// Whether more words may follow.
    open: bool,
    /// The last word, where a `*` is written to its end.
    begins: Option<WildMatch>,
}

const EMPTY: &str = "a pattern is empty, and would fit nothing; `*` fits everything";

impl TryFrom<String> for Pattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.trim().is_empty() { Err(EMPTY) } else { Ok(Self(WildMatch::new(&text))) }
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.to_string()
    }
}

impl TryFrom<String> for Command {
    type Error = &'static str;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        let mut words: Vec<String> = written.split_whitespace().map(str::to_owned).collect();
        let mut begins = None;
        let count = words.len();
        let open = words.last().is_some_and(|last| last.ends_with('*'));
        if let Some(last) = words.last_mut().filter(|_| open) {
            let whole = WildMatch::new(last);
            let name = last.trim_end_matches('*').to_owned();
            if name.is_empty() && count > 1 {
                words.pop();
            } else if name.ends_with(|c: char| c.is_alphanumeric()) {
                *last = name;
                begins = Some(whole);
            }
        }
        let mut words = words.into_iter();
        let program = WildMatch::new(&words.next().ok_or(EMPTY)?);
        let words = words.map(|word| (word.clone(), WildMatch::new(&word))).collect();
        Ok(Self { written, program, words, open, begins })
    }
}

impl From<Command> for String {
    fn from(command: Command) -> Self {
        command.written
    }
}

/// Whether a rule fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    Maybe,
    Yes,
}

/// Programs that change nothing about what runs, and that an allowed command may stand behind.
const HARMLESS: [&str; 14] = [
    "bash", "builtin", "command", "dash", "env", "ionice", "nice", "nohup", "sh", "stdbuf", "time",
    "timeout", "xvfb-run", "zsh",
];

/// Variables that change nothing about what runs.
const TELLING: [&str; 14] = [
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "LANG",
    "LC_ALL",
    "LINES",
    "NO_COLOR",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

impl Rule {
    /// Whether the rule is for all calls of this tool.
    pub(super) fn is_for_all(&self, tool: &str) -> bool {
        self.command.is_none() && self.tool.0.matches(tool)
    }

    /// Whether the rule is for some commands of this tool.
    pub(super) fn is_for_some(&self, tool: &str) -> bool {
        self.command.is_some() && self.tool.0.matches(tool)
    }

    /// Read widely: in any of its wrappers, and with options wherever they may stand.
    pub(super) fn denies(&self, command: &Simple) -> Fit {
        let Some(pattern) = &self.command else { return Fit::No };
        let all: Vec<&Word> = command.leading.iter().chain(command.args()).collect();
        let own =
            command.words.first().map_or(Fit::No, |first| pattern.denies(first, &command.program, &all));
        let outer = command.wrappers.iter().filter_map(|wrapper| {
            let (first, args) = wrapper.words.split_first()?;
            Some(pattern.denies(first, &wrapper.program, &args.iter().collect::<Vec<_>>()))
        });
        // Where options of git's stand before a word of the rule, the words behind them count as well.
        let short: Vec<&Word> = command.args().iter().collect();
        let plain =
            command.words.first().map_or(Fit::No, |first| pattern.denies(first, &command.program, &short));
        let said = if mentions(command) && pattern.is_in(command) { Fit::Maybe } else { Fit::No };
        outer.chain([own, plain, said]).max().unwrap_or(Fit::No)
    }

    /// Read narrowly: as it is written, with nothing that could lead elsewhere.
    pub(super) fn allows(&self, tool: &str, command: &Simple) -> bool {
        let Some(pattern) = self.command.as_ref().filter(|_| self.tool.0.matches(tool)) else { return false };
        let harmless_wrappers = command.wrappers.iter().all(|wrapper| {
            HARMLESS.contains(&wrapper.program.as_str())
                && wrapper.words.first().is_some_and(|word| is_systems(&word.text))
                && !wrapper.words.iter().any(|word| {
                    word.text.starts_with("-S")
                        || word.text.starts_with("--split")
                        || word.text.contains('i')
                            && word.text.starts_with('-')
                            && wrapper.program.ends_with("sh")
                })
        });
        let harmless_redirections = command.redirections.iter().all(|redirection| match redirection.kind {
            Redirect::Duplicate => redirection.target.known,
            Redirect::Text => true,
            Redirect::Read | Redirect::Write | Redirect::Append | Redirect::ReadWrite => {
                redirection.target.exact() == Some("/dev/null")
            }
        });
        let harmless_variables = command.running_variable().is_none()
            && command
                .assignments
                .iter()
                .filter(|assignment| assignment.exported)
                .all(|assignment| TELLING.contains(&assignment.name.as_str()) && assignment.value.known);
        harmless_wrappers
            && harmless_redirections
            && harmless_variables
            && !command.background
            && !text_runs(command)
            && pattern.allows(command)
    }
}

/// Programs that run what a text among their words says.
const READ_TEXTS: [&str; 22] = [
    "at",
    "awk",
    "batch",
    "deno",
    "docker",
    "expect",
    "gawk",
    "kubectl",
    "lua",
    "make",
    "mawk",
    "node",
    "osascript",
    "perl",
    "php",
    "podman",
    "python",
    "ruby",
    "screen",
    "sed",
    "tmux",
    "vim",
];

/// Subcommands of git that run the words behind them, or push by another name.
const GIT_RUNS: [&str; 8] = [
    "bisect",
    "filter-branch",
    "for-each-repo",
    "http-push",
    "send-pack",
    "submodule",
    "subtree",
    "difftool",
];

/// Whether what a command runs may be in its words in a form that is not read: code of another language, an option's program.
fn mentions(command: &Simple) -> bool {
    let name = command.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let git = command.program == "git"
        && command.words.get(1).is_some_and(|word| GIT_RUNS.contains(&word.text.as_str()));
    READ_TEXTS.contains(&name) || git || command.running_option().is_some()
}

/// Whether a text among the words of `sed` or `awk` may run or write something.
fn text_runs(command: &Simple) -> bool {
    let texts = || command.args().iter().map(|word| word.text.as_str());
    match command.program.as_str() {
        "awk" | "gawk" | "mawk" | "nawk" => texts().any(|text| {
            text.contains("system") || text.contains("getline") || text.contains(['|', '>', '@'])
        }),
        "sed" | "gsed" => texts().any(|text| {
            let bytes = text.as_bytes();
            bytes.iter().enumerate().any(|(at, byte)| {
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                let begins = before.is_none_or(|byte| !byte.is_ascii_alphabetic() || b"pgImM".contains(byte));
                let ends = bytes
                    .get(at + 1)
                    .is_none_or(|byte| !byte.is_ascii_alphabetic() || b"pgImM".contains(byte));
                matches!(byte, b'e' | b'w' | b'W') && begins && ends && !text.starts_with("--")
            })
        }),
        _ => false,
    }
}

/// Whether a program is called by its name, or in a folder of the system's.
fn is_systems(path: &str) -> bool {
    match path.rsplit_once('/') {
        None => true,
        Some((folder, _)) => matches!(folder, "/bin" | "/usr/bin" | "/usr/local/bin" | "/sbin" | "/usr/sbin"),
    }
}

impl Command {
    fn denies(&self, first: &Word, program: &str, args: &[&Word]) -> Fit {
        // What program runs is not known: the reading says so.
        if !first.known || !(self.program.matches(&first.text) || self.program.matches(program)) {
            return Fit::No;
        }
        let mut fit = Fit::Yes;
        let mut rest = args.iter().copied();
        // Whether the word before was an option that may take this one.
        let mut takes = false;
        for (index, (text, pattern)) in self.words.iter().enumerate() {
            let last = index + 1 == self.words.len();
            let fits = |word: &str| {
                pattern.matches(word)
                    || last && self.begins.as_ref().is_some_and(|begins| begins.matches(word))
            };
            if text.starts_with('-') {
                fit = fit.min(args.iter().map(|word| option_fit(text, &fits, word)).max().unwrap_or(Fit::No));
                continue;
            }
            loop {
                let Some(word) = rest.next() else { return Fit::No };
                if !word.known {
                    return Fit::Maybe;
                }
                if fits(&word.text) {
                    takes = false;
                    break;
                }
                if word.text.starts_with('-') && word.text.len() > 1 {
                    takes = word.text != "--" && !word.text.contains('=');
                } else if takes {
                    takes = false;
                    fit = fit.min(Fit::Maybe);
                } else {
                    return Fit::No;
                }
            }
        }
        if !self.open {
            // Other words make it another command; options do not.
            for word in rest {
                if !word.known {
                    fit = fit.min(Fit::Maybe);
                } else if word.text.starts_with('-') {
                    takes = true;
                } else if takes {
                    takes = false;
                    fit = fit.min(Fit::Maybe);
                } else {
                    return Fit::No;
                }
            }
        }
        fit
    }

    /// Whether the words stand in a command's words in their order, as parts of a text. `git push` is also said as `send-pack`.
    fn is_in(&self, command: &Simple) -> bool {
        let words = command.words.iter().take(1).chain(&command.leading).chain(command.args());
        let text = words
            .map(|word| word.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
            .replace("send-pack", "push")
            .replace("http-push", "push");
        let mut rest = text.as_str();
        let wanted = self
            .written
            .split_whitespace()
            .map(|word| word.trim_matches('*'))
            .filter(|word| !word.is_empty());
        for word in wanted {
            let Some((_, after)) = rest.split_once(word) else { return false };
            rest = after;
        }
        true
    }

    fn allows(&self, command: &Simple) -> bool {
        let Some(first) = command.words.first().filter(|word| word.known) else { return false };
        let names_path = self.program.to_string().contains('/');
        if !self.program.matches(if names_path { &first.text } else { &command.program })
            || !(names_path || is_systems(&first.text))
        {
            return false;
        }
        let Some(args) = collapsed(command.args()) else { return false };
        let Some(leading) = collapsed(&command.leading) else { return false };
        let whole: Vec<&str> = leading.iter().chain(&args).map(String::as_str).collect();
        let short: Vec<&str> = args.iter().map(String::as_str).collect();
        let spelt = |word: &str| self.words.iter().any(|(text, _)| text == word);
        let leads = |word: &&str| !spelt(word) && word.starts_with('+');
        if whole.iter().any(leads) && !command.leading.is_empty() {
            return false;
        }
        // Every option that runs something has to be in the rule.
        let mut own = command.clone();
        own.words.retain(|word| !spelt(&word.text));
        own.leading.retain(|word| !spelt(&word.text));
        if own.words.is_empty() {
            own.words.push(first.clone());
        }
        own.running_option().is_none() && (self.is_in_order(&short) || self.is_in_order(&whole))
    }

    fn is_in_order(&self, args: &[&str]) -> bool {
        args.len() >= self.words.len()
            && (self.open || args.len() == self.words.len())
            && self.words.iter().zip(args).all(|((_, pattern), word)| pattern.matches(word))
    }
}

/// The words, those that came from one pattern as the pattern again; none where one is not known, or where a file's name looks
/// like an option.
fn collapsed(words: &[Word]) -> Option<Vec<String>> {
    let mut texts: Vec<String> = Vec::new();
    let mut before: Option<&str> = None;
    for word in words {
        if !word.known || word.splits || word.pattern.is_some() && word.text.starts_with('-') {
            return None;
        }
        match word.pattern.as_deref() {
            Some(pattern) if before == Some(pattern) => {}
            Some(pattern) => texts.push(pattern.to_owned()),
            None => texts.push(word.text.clone()),
        }
        before = word.pattern.as_deref();
    }
    Some(texts)
}

/// Whether a word is an option of a rule: `--force` also as `--forc` and `--force=x`, `-f` also in `-uf`.
fn option_fit(option: &str, fits: &dyn Fn(&str) -> bool, word: &Word) -> Fit {
    let text = word.text.as_str();
    if !word.known {
        return if word.splits || !text.starts_with(|c: char| c.is_alphanumeric()) {
            Fit::Maybe
        } else {
            Fit::No
        };
    }
    if fits(text) || text.split_once('=').is_some_and(|(name, _)| fits(name)) {
        return Fit::Yes;
    }
    if option.starts_with("--") {
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        let short = name.len() > 2 && name.starts_with("--") && option.starts_with(name);
        return if short { Fit::Maybe } else { Fit::No };
    }
    let letter = option.get(1..).filter(|letter| letter.chars().count() == 1);
    let is_in = letter
        .is_some_and(|letter| text.starts_with('-') && !text.starts_with("--") && text.contains(letter));
    if is_in { Fit::Yes } else { Fit::No }
}
