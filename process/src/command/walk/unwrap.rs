//! Programs that run others: what they run.

use super::super::programs::{self, Given, Options, Programs};
use super::super::reading::{Assignment, Doubt, Word, Wrapper};
use super::super::syntax::is_name;
use super::call::{Call, quoted};
use super::shell::Shell;
use super::{NESTED, Walk};

/// What is in a call.
pub(super) enum Inner {
    /// It is what runs.
    None,
    /// Another one.
    Call(Box<Call>),
    /// All in it was walked.
    Done,
}

impl Walk<'_> {
    /// Takes one wrapper off.
    pub(super) fn unwrap(&mut self, call: &Call, shell: &Shell) -> Inner {
        let Some((first, args)) = call.words.split_first() else { return Inner::None };
        let name = programs::base(&first.text);
        match name {
            _ if programs::is_shell(name) => return self.shell(call, shell),
            "find" => return self.find(call, args, shell),
            "fd" | "fdfind" => return self.fd(call, args, shell),
            "git" => return self.git(call, args, shell),
            "parallel" => return self.parallel(call, args, shell),
            // What it is, and not what it does.
            "command"
                if args
                    .first()
                    .is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V" | "-pv" | "-pV")) =>
            {
                return Inner::None;
            }
            _ => {}
        }
        let Some(options) = Programs::get().wrapper(name) else { return Inner::None };
        if options.script {
            return self.with_script(call, args, options, shell);
        }
        let Some((given, mut start)) = options.split(args) else {
            self.doubt(&call.text, Doubt::Wrapper);
            return self.guess(call, args);
        };
        let mut inner = wrapped(call, name);
        let has = |names: &[&str]| given.iter().any(|option| names.contains(&option.name));
        match name {
            "sudo" if has(&["l", "list", "v", "V", "K", "k", "e", "edit"]) => return Inner::None,
            "ionice" if has(&["p", "P", "u", "pid", "pgid", "uid"]) => return Inner::None,
            "xargs" => return self.xargs(call, args, start, &given),
            // Its words are read anew, with what the text holds before those behind it.
            "env"
                if given.iter().any(|option| {
                    option.name == "S" || option.name.len() > 1 && "split-string".starts_with(option.name)
                }) =>
            {
                return self.split_string(call, args);
            }
            _ => {}
        }
        if let Some(folder) = given.iter().find(|option| match name {
            "env" => option.name == "C" || option.name.starts_with("ch"),
            "sudo" => option.name == "D" || option.name == "chdir",
            _ => false,
        }) {
            let base = shell.cwd.clone();
            inner.cwd = Some(base.map(|cwd| cwd.join(folder.value.unwrap_or_default())));
        }
        start += options.own;
        // A word of its own that may be none or several hides where the command begins.
        if args
            .get(start.saturating_sub(options.own)..start)
            .is_some_and(|own| own.iter().any(|word| word.splits))
        {
            self.doubt(&call.text, Doubt::Wrapper);
        }
        if options.assigns {
            while let Some((name, value)) = args.get(start).and_then(|word| word.text.split_once('=')) {
                if !is_name(name) {
                    break;
                }
                let known = args.get(start).is_some_and(|word| word.known);
                let value = Word { text: value.to_owned(), known, ..Word::default() };
                inner.assignments.push(Assignment { name: name.to_owned(), value, exported: true });
                start += 1;
            }
        }
        if name == "flock"
            && args.get(start).is_some_and(|word| word.text == "-c" || word.text == "--command")
        {
            return self.script_of(call, args.get(start + 1), shell);
        }
        let Some(words) = args.get(start..).filter(|words| !words.is_empty()) else { return Inner::None };
        if options.joins && !has(&["x", "exec"]) {
            return self.joined(call, words, options, shell);
        }
        inner.words = words.to_vec();
        if matches!(name, "command" | "builtin") {
            inner.in_shell = call.in_shell;
            inner.no_functions = true;
        }
        Inner::Call(Box::new(inner))
    }

    /// Where an option is not known: the first word that looks like a program.
    fn guess(&self, call: &Call, args: &[Word]) -> Inner {
        let plain = |word: &Word| word.known && !word.text.starts_with('-') && !word.text.contains('=');
        match args.iter().position(plain) {
            Some(start) => {
                let mut inner = wrapped(call, "");
                inner.words = args.get(start..).unwrap_or_default().to_vec();
                Inner::Call(Box::new(inner))
            }
            None => Inner::None,
        }
    }

    fn xargs(&mut self, call: &Call, args: &[Word], start: usize, given: &[Given<'_>]) -> Inner {
        let Some(words) = args.get(start..).filter(|words| !words.is_empty()) else { return Inner::None };
        let mut inner = wrapped(call, "xargs");
        let replaced = given.iter().find(|option| {
            matches!(option.name, "I" | "J") || "replace".starts_with(option.name) && option.name.len() > 1
        });
        inner.words = words.to_vec();
        match replaced.map(|option| option.value.filter(|value| !value.is_empty()).unwrap_or("{}")) {
            Some(mark) => {
                for word in inner.words.iter_mut().filter(|word| word.text.contains(mark)) {
                    word.known = false;
                }
            }
            None => inner.words.push(Word::unknown("…", true)),
        }
        Inner::Call(Box::new(inner))
    }

    /// `env -S 'a b'`, without other options.
    fn split_string(&mut self, call: &Call, args: &[Word]) -> Inner {
        let first = args.first().map_or("", |word| word.text.as_str());
        let (text, rest) = match first.strip_prefix("-S").or_else(|| first.strip_prefix("--split-string=")) {
            Some("") => (args.get(1).map_or("", |word| word.text.as_str()), args.get(2..)),
            Some(text) => (text, args.get(1..)),
            None => ("$", None),
        };
        let rest = rest.unwrap_or_default();
        if text.contains(['\\', '$', '#', '\'', '"']) {
            self.doubt(&call.text, Doubt::Script);
            return Inner::None;
        }
        let mut inner = wrapped(call, "env");
        inner.words = vec![Word::known("env")];
        inner.words.extend(text.split_ascii_whitespace().map(Word::known));
        inner.words.extend(rest.iter().cloned());
        if inner.words.len() < 2 { Inner::None } else { Inner::Call(Box::new(inner)) }
    }

    /// `su -c script`.
    fn with_script(&mut self, call: &Call, args: &[Word], options: &Options, shell: &Shell) -> Inner {
        let mut at = 0;
        while let Some(word) = args.get(at) {
            let text = word.text.as_str();
            let long = text.strip_prefix("--").filter(|long| !long.is_empty() && "command".starts_with(long));
            if let Some(script) = text.strip_prefix("--command=") {
                return self.script_of(call, Some(&Word { text: script.to_owned(), ..word.clone() }), shell);
            }
            let bundle =
                text.strip_prefix('-').filter(|bundle| !bundle.starts_with('-') && bundle.contains('c'));
            if long.is_some() || bundle.is_some_and(|bundle| bundle.ends_with('c')) {
                return self.script_of(call, args.get(at + 1), shell);
            }
            if bundle.is_some() {
                self.doubt(&call.text, Doubt::Wrapper);
                return Inner::None;
            }
            // `runuser -u name command`
            let own =
                Options::split(options, args.get(at..).unwrap_or_default().get(..1).unwrap_or_default());
            at += if own.is_none() && text.starts_with('-') && text.len() == 2 { 2 } else { 1 };
            if text == "--" {
                break;
            }
        }
        Inner::None
    }

    fn script_of(&mut self, call: &Call, script: Option<&Word>, shell: &Shell) -> Inner {
        match script {
            Some(script) if script.known && !script.splits => {
                self.nested(&script.text, None, call, shell);
                Inner::Done
            }
            _ => {
                self.doubt(&call.text, Doubt::Script);
                Inner::None
            }
        }
    }

    fn joined(&mut self, call: &Call, words: &[Word], options: &Options, shell: &Shell) -> Inner {
        if words.iter().any(|word| !word.known || word.splits) {
            self.doubt(&call.text, Doubt::Script);
            return Inner::None;
        }
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let mut call = call.clone();
        if options.elsewhere {
            call.cwd = Some(None);
            call.assignments.clear();
            self.nested(&text, None, &call, &Shell::default());
        } else {
            self.nested(&text, None, &call, shell);
        }
        Inner::Done
    }

    /// GNU parallel: its words are joined, and each of what stands behind `:::` is added.
    fn parallel(&mut self, call: &Call, args: &[Word], shell: &Shell) -> Inner {
        let end = args.iter().position(|word| word.text.starts_with(":::")).unwrap_or(args.len());
        let words = args.get(..end).unwrap_or_default();
        let takes = [
            "-j",
            "-N",
            "-n",
            "-L",
            "-I",
            "-S",
            "-a",
            "-d",
            "--jobs",
            "--delay",
            "--timeout",
            "--joblog",
            "--tmpdir",
            "--colsep",
            "--results",
            "--retries",
        ];
        let mut start = 0;
        while let Some(word) = words.get(start).filter(|word| word.text.starts_with('-')) {
            start += if takes.contains(&word.text.as_str()) { 2 } else { 1 };
        }
        let Some(words) = words.get(start..).filter(|words| !words.is_empty()) else {
            // Each line is a command.
            self.doubt(&call.text, Doubt::Script);
            return Inner::None;
        };
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        if words.iter().any(|word| !word.known || word.splits) || text.starts_with('{') {
            self.doubt(&call.text, Doubt::Script);
            return Inner::None;
        }
        // What is put in is quoted by it.
        let script = format!(
            "{} \"$1\"",
            text.replace("{}", "\"$1\"").replace("{.}", "\"$1\"").replace("{/}", "\"$1\"")
        );
        self.nested(&script, None, call, shell);
        Inner::Done
    }

    fn find(&mut self, call: &Call, args: &[Word], shell: &Shell) -> Inner {
        if args.iter().any(|word| word.splits && word.pattern.is_none()) {
            self.doubt(&call.text, Doubt::Wrapper);
        }
        self.note(call.clone(), shell);
        let mut rest = args;
        while let Some((word, after)) = rest.split_first() {
            rest = after;
            if !matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
                continue;
            }
            // A `+` ends it only behind `{}`.
            let ends = |at: &usize| {
                after.get(*at).is_some_and(|word| word.text == ";")
                    || after.get(*at).is_some_and(|word| word.text == "+")
                        && at
                            .checked_sub(1)
                            .and_then(|at| after.get(at))
                            .is_some_and(|word| word.text == "{}")
            };
            let end = (0..after.len()).find(ends).unwrap_or(after.len());
            let many = after.get(end).is_some_and(|word| word.text == "+");
            self.each_found(
                call,
                after.get(..end).unwrap_or_default(),
                many,
                word.text.ends_with("dir"),
                shell,
            );
            rest = after.get(end..).unwrap_or_default();
        }
        Inner::Done
    }

    fn fd(&mut self, call: &Call, args: &[Word], shell: &Shell) -> Inner {
        self.note(call.clone(), shell);
        let runs = |word: &Word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
        if let Some(at) = args.iter().position(runs) {
            let after = args.get(at + 1..).unwrap_or_default();
            let end = after.iter().position(|word| word.text == ";").unwrap_or(after.len());
            self.each_found(call, after.get(..end).unwrap_or_default(), true, false, shell);
        }
        Inner::Done
    }

    /// What runs for each file that is found.
    fn each_found(&mut self, call: &Call, words: &[Word], many: bool, moved: bool, shell: &Shell) {
        let mut inner = wrapped(call, "find");
        inner.words = words.to_vec();
        for word in inner.words.iter_mut().filter(|word| word.text.contains("{}")) {
            word.known = false;
            word.splits = many;
        }
        if moved {
            inner.cwd = Some(None);
        }
        if self.calls.len() >= NESTED {
            return self.doubt(&call.text, Doubt::Deep);
        }
        self.calls.push(String::new());
        self.run(inner, &mut shell.clone());
        self.calls.pop();
    }

    /// `git -c alias.x=… x`.
    fn git(&mut self, call: &Call, args: &[Word], shell: &Shell) -> Inner {
        let table = Programs::get();
        let Some((given, start)) = table.leading("git").and_then(|options| options.split(args)) else {
            return Inner::None;
        };
        let Some(name) = args.get(start).filter(|word| word.known && !table.is_git(&word.text)) else {
            return Inner::None;
        };
        let alias = given
            .iter()
            .filter(|option| option.name == "c")
            .filter_map(|option| option.value?.split_once('='))
            .rev();
        let mut alias = alias.filter(|(key, _)| {
            key.to_ascii_lowercase()
                .strip_prefix("alias.")
                .is_some_and(|alias| alias == name.text.to_ascii_lowercase())
        });
        let Some((_, value)) = alias.next() else { return Inner::None };
        let rest = args.get(start + 1..).unwrap_or_default();
        if let Some(script) = value.strip_prefix('!') {
            let rest: Vec<String> = rest.iter().map(quoted).collect();
            self.nested(&format!("{script} {}", rest.join(" ")), None, call, shell);
            return Inner::Done;
        }
        if value.contains(['\\', '\'', '"']) {
            self.doubt(&call.text, Doubt::Script);
            return Inner::None;
        }
        let mut inner = wrapped(call, "git");
        inner.words = vec![Word::known("git")];
        inner.words.extend(args.get(..start).unwrap_or_default().iter().cloned());
        inner.words.extend(value.split_ascii_whitespace().map(Word::known));
        inner.words.extend(rest.iter().cloned());
        Inner::Call(Box::new(inner))
    }
}

/// The call of what a wrapper wraps, without its words.
fn wrapped(call: &Call, name: &str) -> Call {
    let mut inner = call.clone();
    let program = if name.is_empty() {
        call.words.first().map(|word| programs::base(&word.text).to_owned()).unwrap_or_default()
    } else {
        name.to_owned()
    };
    inner.wrappers.push(Wrapper { program, words: call.words.clone() });
    inner.in_shell = false;
    inner.cwd = call.cwd.clone();
    inner
}
