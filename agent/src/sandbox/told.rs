//! What a command's result says of what was closed to it.
//!
//! A program that is kept from something says so in its own words, or not at all, and a model that reads "Permission denied" tries
//! `sudo`. So its output is looked through for words of refusal, beside them for a path or a host that the sandbox keeps closed, and
//! what is found is named with the way to ask for it. An output without such words is left as it is.

use std::path::Path;

use hookspec_process::sandbox::{Grant, Network, Profile, Sandbox};

use super::wish::wish;

/// How systems and programs say that something is not allowed. In lower case.
const REFUSED: [&str; 12] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "permissionerror",
    "eacces",
    "eperm",
    "erofs",
    "access denied",
    "device or resource busy",
    "could not lock config file",
    "can only add regular files",
    "not a regular file",
];

/// How they say that nobody can be reached.
const UNREACHED: [&str; 10] = [
    "could not resolve host",
    "couldn't resolve host",
    "network is unreachable",
    "name resolution",
    "name or service not known",
    "enotfound",
    "eai_again",
    "enetunreach",
    "failed to lookup address",
    "address family not supported",
];

/// Bytes of an output that are looked through, from its end.
const LOOKED: usize = 64 * 1024;
/// Lines of refusal that are looked at.
const LINES: usize = 200;
/// So many are named.
const MOST: usize = 5;

/// What of an output is the sandbox's doing, as a remark for the model; `None` if nothing seems to be.
pub(crate) fn told(command: &str, output: &str, cwd: &Path, sandbox: &Sandbox) -> Option<String> {
    if sandbox.profile() == Profile::Full {
        return None;
    }
    let mut closed = closed(output, cwd, sandbox);
    for name in variables(command) {
        let need = Grant::Variable(name.to_owned());
        if std::env::var_os(name).is_some() && !sandbox.passes(name) && !closed.contains(&need) {
            closed.push(need);
        }
    }
    if closed.is_empty() {
        return None;
    }
    closed.truncate(MOST);
    let named: Vec<_> = closed.iter().map(ToString::to_string).collect();
    let asked: Vec<_> = closed.iter().map(|need| format!("{:?}", wish(need))).collect();
    Some(format!(
        "[sandbox] It keeps this command from what it tried: to {}. If the task needs it, call again with `opens` set to [{}]: the user is asked. Otherwise do without it.",
        named.join(", to "),
        asked.join(", ")
    ))
}

/// What was closed, by the lines that speak of a refusal.
fn closed(output: &str, cwd: &Path, sandbox: &Sandbox) -> Vec<Grant> {
    let start = output.ceil_char_boundary(output.len().saturating_sub(LOOKED));
    let mut closed = Vec::new();
    let mut add = |need: Grant| {
        if !closed.contains(&need) && closed.len() < MOST {
            closed.push(need);
        }
    };
    let says = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
    let mut seen = 0;
    for line in output[start..].lines() {
        let lower = line.to_lowercase();
        if sandbox.reaches() != Network::On && says(&lower, &UNREACHED) {
            add(Grant::Network);
        }
        if !says(&lower, &REFUSED) {
            continue;
        }
        seen += 1;
        if seen > LINES {
            break;
        }
        for path in paths(line) {
            let path = cwd.join(path);
            if sandbox.forbids_reading(&path) {
                add(Grant::Read(path));
            } else if sandbox.forbids_writing(&path) {
                add(Grant::Write(path));
            }
        }
    }
    closed
}

/// What of a line may be a path: with what programs put around names taken off. A bare word is none, unless it has a dot: the program's own name is one.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split(['\'', '"', '`', '‘', '’']).skip(1).step_by(2);
    let words = line.split(|c: char| c.is_whitespace() || "'\"`‘’:;,()[]<>=".contains(c));
    quoted.chain(words).map(|word| word.trim_end_matches('.')).filter(|word| {
        (word.contains('/') || word.contains('.'))
            && word.len() < 4096
            && *word != "/"
            && !word.contains('\0')
    })
}

/// The variables that a command names: `$NAME`, `${NAME…`.
fn variables(command: &str) -> impl Iterator<Item = &str> {
    command.split('$').skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        (end > 0).then_some(&rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use hookspec_process::sandbox::Sandbox;

    use super::*;

    fn walls() -> (tempfile::TempDir, Sandbox) {
        let folder = tempfile::tempdir_in("/var").unwrap_or_else(|_| tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.path().join(".git/hooks")).unwrap();
        std::fs::write(folder.path().join(".env"), "x").unwrap();
        let sandbox = Sandbox::new(Profile::Workspace, folder.path()).network(Network::Off);
        (folder, sandbox)
    }

    #[test]
    fn what_was_closed_is_named_with_the_way_to_ask() {
        let (folder, sandbox) = walls();
        let cwd = folder.path().canonicalize().unwrap();
        for (output, wish) in [
            ("cat: .env: Permission denied", "read {}/.env"),
            ("cat: ./.env: Permission denied\nmore", "read {}/.env"),
            ("PermissionError: [Errno 13] Permission denied: '.env'", "read {}/.env"),
            ("Error: EACCES: permission denied, open '{}/.env'", "read {}/.env"),
            ("bash: line 1: .git/hooks/pre-commit: Read-only file system", "write {}/.git/hooks/pre-commit"),
            ("error: could not lock config file .git/config: Read-only file system", "write {}/.git/config"),
            ("touch: cannot touch '/etc/x y.z': Permission denied", "write /etc/x y.z"),
            ("curl: (6) Could not resolve host: example.org", "network"),
            ("npm error getaddrinfo ENOTFOUND registry.npmjs.org", "network"),
        ] {
            let at = |text: &str| text.replace("{}", cwd.to_str().unwrap());
            let said = told("x", &at(output), &cwd, &sandbox).unwrap_or_else(|| panic!("{output}"));
            let wish = format!("{:?}", at(wish).replace("/./", "/"));
            assert!(said.replace("/./", "/").contains(&wish), "{output}: {said}");
        }
    }

    #[test]
    fn what_is_not_the_sandboxes_doing_is_left_alone() {
        let (folder, sandbox) = walls();
        for output in [
            "",
            "all good",
            "cat: src/main.rs: Permission denied",
            "bash: ./run.sh: Permission denied",
            "reading .env.example",
            "the file .env is ignored",
            "permission denied",
        ] {
            assert_eq!(told("x", output, folder.path(), &sandbox), None, "{output}");
        }
        let full = sandbox.granted(&[Grant::Everything]);
        assert_eq!(told("x", "cat: .env: Permission denied", folder.path(), &full), None);
        let open = Sandbox::new(Profile::Workspace, folder.path());
        assert_eq!(told("x", "Could not resolve host: a", folder.path(), &open), None, "the network is open");
    }

    #[test]
    fn a_variable_that_was_kept_out_is_named() {
        let (folder, sandbox) = walls();
        let name = "HOOKSPEC_TRIAL_OF_A_KEY";
        let said = |command: &str| told(command, "", folder.path(), &sandbox);
        assert_eq!(said(&format!("echo ${name}")), None, "it is not set");
        assert_eq!(variables("a $X ${Y:-1} $ $1 $$ \"$Z_9\"").collect::<Vec<_>>(), ["X", "Y", "1", "Z_9"]);
        // One that every test has, and that is let through.
        assert_eq!(said("echo $PATH $HOME"), None);
    }

    #[test]
    fn a_hostile_output_costs_little_and_names_few() {
        let (folder, sandbox) = walls();
        let mut output = String::new();
        for number in 0..20_000 {
            output.push_str(&format!("cp: cannot create '/etc/{number}.conf': Permission denied\n"));
        }
        let said = told("x", &output, folder.path(), &sandbox).unwrap();
        assert_eq!(said.matches("write /etc/").count(), MOST, "{said}");
        let line = format!("{} permission denied", "/a".repeat(100_000));
        assert_eq!(told("x", &line, folder.path(), &sandbox), None);
        assert!(
            told("x", "open('/etc/a\u{1b}[2K.x'): EACCES", folder.path(), &sandbox)
                .is_some_and(|said| !said.contains('\u{1b}'))
        );
    }
}
