//! Built-ins of the shell that change how what follows is read.

use std::path::PathBuf;

use super::super::reading::{Doubt, Redirect, Word};
use super::super::syntax::is_name;
use super::call::Call;
use super::shell::Shell;
use super::{NESTED, Walk};

/// Built-ins that set variables by their words.
pub(super) const SETS: [&str; 20] = [
    ".",
    "builtin",
    "cd",
    "command",
    "declare",
    "eval",
    "export",
    "getopts",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "source",
    "typeset",
    "unset",
];

/// Built-ins that may lead to another folder.
pub(super) const MOVES: [&str; 5] = ["cd", "eval", "popd", "pushd", "source"];

/// A file that is read within a script is read up to this size.
const SOURCE: u64 = 256 * 1024;

pub(super) fn is_declaring(word: &str) -> bool {
    matches!(word, "declare" | "export" | "local" | "readonly" | "typeset")
}

/// Follows a built-in. Whether nothing remains to be noted.
pub(super) fn run(walk: &mut Walk<'_>, call: &Call, shell: &mut Shell) -> bool {
    let Some((first, args)) = call.words.split_first() else { return true };
    let texts: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
    match first.text.as_str() {
        "cd" | "pushd" => change(walk, &call.words, shell),
        "popd" => {
            shell.cwd = None;
            shell.set("PWD", None, false);
        }
        "export" | "declare" | "local" | "readonly" | "typeset" => declare(walk, call, shell),
        "unset" => args.iter().for_each(|word| {
            shell.undefine(&word.text);
            if is_name(&word.text) {
                shell.set(&word.text, None, false);
            }
            walk.calculates |= word.text.contains('[') || !word.known;
        }),
        "read" | "mapfile" | "readarray" | "getopts" | "let" | "wait" => {
            walk.calculates |= args.iter().any(|word| word.text.contains('['));
            for name in texts.iter().flat_map(|text| super::names_in(text)) {
                shell.set(name, None, false);
            }
        }
        "printf" => {
            if let Some([option, name]) = texts.get(..2).and_then(|texts| <[&str; 2]>::try_from(texts).ok()) {
                if option == "-v" {
                    walk.calculates |= name.contains('[');
                    shell.set(name, None, false);
                }
            } else if let Some(name) = texts.first().and_then(|text| text.strip_prefix("-v")) {
                shell.set(name, None, false);
            }
        }
        "set" => set(walk, call, shell),
        "shift" => shell.words = None,
        "shopt" => {
            let harmless = [
                "-s",
                "-u",
                "-q",
                "-p",
                "expand_aliases",
                "inherit_errexit",
                "checkwinsize",
                "histappend",
                "cmdhist",
                "lithist",
            ];
            shell.odd_patterns |= texts.iter().any(|text| !harmless.contains(text));
            if args.iter().any(|word| !word.known) || texts.contains(&"lastpipe") || texts.contains(&"-o") {
                walk.doubt(&call.text, Doubt::Mode);
            }
        }
        "hash" if texts.iter().any(|text| text.starts_with("-p")) => walk.doubt(&call.text, Doubt::Mode),
        "enable" if !texts.is_empty() => walk.doubt(&call.text, Doubt::Mode),
        "alias" => {
            for word in args {
                if let Some((name, value)) = word.text.split_once('=') {
                    shell.aliases.insert(name.to_owned(), value.to_owned());
                    if !word.known {
                        walk.doubt(&call.text, Doubt::Script);
                    }
                }
            }
        }
        "trap" => {
            let action = args.iter().find(|word| word.text != "--");
            if let Some(action) = action.filter(|action| !action.text.starts_with('-')) {
                script(walk, action, call, &mut shell.clone());
            }
        }
        "eval" => {
            let words = args.strip_prefix(&[Word::known("--")]).unwrap_or(args);
            let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            let known = words.iter().all(|word| word.known && !word.splits);
            let joined = Word { text, known, ..Word::default() };
            script(walk, &joined, call, shell);
            return known;
        }
        "." | "source" => {
            source(walk, call, shell);
        }
        // What it redirects stays so.
        "exec" if args.is_empty() => {
            let own =
                call.redirections.iter().skip(walk.around.redirections.len()).cloned().collect::<Vec<_>>();
            if own
                .iter()
                .any(|redirection| redirection.kind == Redirect::Text || redirection.kind == Redirect::Read)
            {
                walk.around.piped = true;
            }
            walk.around.redirections.extend(own);
        }
        "test" | "[" => walk.calculates |= texts.iter().any(|text| matches!(*text, "-v" | "-R")),
        _ => {}
    }
    false
}

/// Walks a text that the shell will read as a script.
fn script(walk: &mut Walk<'_>, text: &Word, call: &Call, shell: &mut Shell) {
    if !text.known || text.splits {
        return walk.doubt(&call.text, Doubt::Script);
    }
    if walk.calls.len() >= NESTED {
        return walk.doubt(&call.text, Doubt::Deep);
    }
    let before = walk.around.clone();
    walk.around.redirections.clone_from(&call.redirections);
    walk.calls.push(String::new());
    walk.text(&text.text, shell);
    walk.calls.pop();
    walk.around = before;
}

fn change(walk: &Walk<'_>, words: &[Word], shell: &mut Shell) {
    let is_option = |word: &&Word| matches!(word.text.as_str(), "-L" | "-P" | "-e" | "-@" | "-n" | "--");
    let target = words.iter().skip(1).find(|word| !is_option(word));
    let path = match target {
        None if words.first().is_some_and(|word| word.text == "cd") => {
            shell.value("HOME", walk.scene).map(PathBuf::from)
        }
        Some(word) if word.known && !word.splits && word.text != "-" && !word.text.starts_with('+') => {
            let relative = !word.text.starts_with(['/', '.']);
            let elsewhere =
                relative && shell.value("CDPATH", walk.scene).is_some_and(|path| !path.is_empty());
            shell.cwd.as_ref().filter(|_| !elsewhere).map(|cwd| normal(&cwd.join(&word.text)))
        }
        _ => None,
    };
    // Where there is no such folder, the shell stays where it is.
    let absolute =
        target.filter(|word| word.known && word.text.starts_with('/')).map(|word| normal(word.text.as_ref()));
    let path = path.or(absolute);
    shell.cwd_if_ok.clone_from(&path);
    shell.cwd = path.filter(|path| path.is_dir());
    shell.set("PWD", shell.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(str::to_owned), false);
}

/// A path without `.` and `..`, as `cd` has it.
fn normal(path: &std::path::Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

fn declare(walk: &mut Walk<'_>, call: &Call, shell: &mut Shell) {
    let program = call.words.first().map(|word| word.text.clone()).unwrap_or_default();
    let options: String = call
        .words
        .iter()
        .skip(1)
        .filter(|word| word.text.starts_with('-'))
        .map(|word| word.text.as_str())
        .collect();
    if options.contains('n') && program != "export" || options.contains('i') {
        // Names of names, and values that are calculated.
        walk.doubt(&call.text, Doubt::Mode);
    }
    let is_local =
        program == "local" || matches!(program.as_str(), "declare" | "typeset") && !options.contains('g');
    let exported = program == "export" || options.contains('x');
    for word in call.words.iter().skip(1).filter(|word| !word.text.starts_with(['-', '+'])) {
        if let Some(locals) = walk.locals.last_mut().filter(|_| is_local) {
            locals.push(word.text.split_once('=').map_or(word.text.as_str(), |(name, _)| name).to_owned());
        }
        match word.text.split_once('=') {
            Some((name, value)) if is_name(name) => {
                let known = word.known && !options.contains(['a', 'A', 'u', 'l', 'c']);
                shell.set(name, known.then(|| value.to_owned()), exported);
            }
            None if is_name(&word.text) && exported => shell.export(&word.text, walk.scene),
            // `local x` has no value.
            None if is_name(&word.text) => shell.set(&word.text, None, false),
            _ => walk.doubt(&call.text, Doubt::Mode),
        }
    }
}

fn set(walk: &mut Walk<'_>, call: &Call, shell: &mut Shell) {
    let mut args = call.words.iter().skip(1);
    while let Some(word) = args.next() {
        let text = word.text.as_str();
        if !word.known {
            return walk.doubt(&call.text, Doubt::Mode);
        }
        if text == "--" || text == "-" || !text.starts_with(['-', '+']) {
            let mut words = vec![Word::unknown("$0", false)];
            if text != "--" && text != "-" {
                words.push(word.clone());
            }
            words.extend(args.cloned());
            shell.words = if words.iter().any(|word| word.splits) { None } else { Some(words) };
            return;
        }
        shell.exports_all |= text.contains('a');
        let mut names = Vec::new();
        if text.ends_with('o') {
            names.extend(args.next().map(|word| word.text.as_str()));
        }
        let harmless = [
            "allexport",
            "errexit",
            "errtrace",
            "functrace",
            "monitor",
            "noclobber",
            "nounset",
            "pipefail",
            "verbose",
            "xtrace",
        ];
        shell.odd_patterns |= text.contains('f') || names.contains(&"noglob");
        let odd = text.chars().skip(1).any(|c| !"abCeEfhmnoTuvx".contains(c));
        if odd || names.iter().any(|name| !harmless.contains(name) && *name != "noglob") {
            walk.doubt(&call.text, Doubt::Mode);
        }
        shell.exports_all |= names.contains(&"allexport");
    }
}

/// `. file`: what the file holds belongs to the script.
fn source(walk: &mut Walk<'_>, call: &Call, shell: &mut Shell) {
    let args = call.words.strip_prefix(&call.words[..1.min(call.words.len())]).unwrap_or_default();
    let args = args.strip_prefix(&[Word::known("--")]).unwrap_or(args);
    let read = args.first().filter(|word| word.known && !word.splits && !walk.changed).and_then(|file| {
        // Without a folder in its name it may be found along PATH.
        let path = shell.cwd.as_ref().map(|cwd| cwd.join(&file.text)).filter(|_| file.text.contains('/'))?;
        let size = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?.len();
        if size > SOURCE { None } else { std::fs::read_to_string(path).ok() }
    });
    let Some(text) = read.filter(|_| walk.calls.len() < NESTED) else {
        return walk.doubt(&call.text, Doubt::Source);
    };
    let words = shell.words.clone();
    if args.len() > 1 {
        let mut own = vec![Word::unknown("$0", false)];
        own.extend(args.iter().skip(1).cloned());
        shell.words = Some(own);
    }
    let before = walk.around.clone();
    walk.around.redirections.clone_from(&call.redirections);
    walk.calls.push(String::new());
    walk.text(&text, shell);
    walk.calls.pop();
    walk.around = before;
    shell.words = words.filter(|_| args.len() > 1);
}
