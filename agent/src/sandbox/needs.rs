//! What a call needs that is closed to it.

use std::path::{Path, PathBuf};

use hookspec::tool::ToolEntry;
use hookspec::{Session, ToolUse};
use hookspec_process::command::{FileUse, Scene, Simple, read};
use hookspec_process::sandbox::{Grant, Network, Profile, Sandbox};

use crate::tools::closed;

use super::Wishes;

/// So many are asked for at a time; a command that needs more is to ask for a folder, or for everything.
const MOST: usize = 16;

/// What a call needs beyond the sandbox, each once: what it asks for, and what its text or its path says.
pub(super) fn needs(call: &ToolUse, tool: &ToolEntry, session: &Session, sandbox: &Sandbox) -> Vec<Grant> {
    let mut needs = match tool.name {
        "shell" => of_command(call, tool, session, sandbox),
        "read" => of_file(call, session, sandbox, false),
        "save" | "append" | "patch" => of_file(call, session, sandbox, true),
        _ => Vec::new(),
    };
    if needs.contains(&Grant::Everything) {
        return vec![Grant::Everything];
    }
    // Who may write a file may read it.
    let written: Vec<_> = needs.iter().filter_map(|need| written(need).map(Path::to_owned)).collect();
    needs.retain(|need| !matches!(need, Grant::Read(path) if written.contains(path)));
    needs.truncate(MOST);
    needs
}

fn written(need: &Grant) -> Option<&Path> {
    match need {
        Grant::Write(path) => Some(path),
        _ => None,
    }
}

fn of_file(call: &ToolUse, session: &Session, sandbox: &Sandbox, writes: bool) -> Vec<Grant> {
    let Some(path) = call.text("path") else { return Vec::new() };
    match closed(session, sandbox, &path, writes) {
        Some(need) => vec![need],
        None => Vec::new(),
    }
}

fn of_command(call: &ToolUse, tool: &ToolEntry, session: &Session, sandbox: &Sandbox) -> Vec<Grant> {
    let mut needs = Vec::new();
    let mut add = |need: Grant| {
        if is_closed(&need, sandbox) && !needs.contains(&need) {
            needs.push(need);
        }
    };
    // One that cannot be understood is told by the tool itself.
    let wishes =
        tool.arguments(call).remove("opens").and_then(|value| serde_json::from_value::<Wishes>(value).ok());
    wishes.and_then(|wishes| wishes.grants(session).ok()).into_iter().flatten().for_each(&mut add);
    by_its_text(tool.content(call), &session.cwd(), sandbox).for_each(add);
    needs
}

/// What a command says itself that it reads, writes and reaches. What it does not say is not asked: the sandbox holds it.
fn by_its_text(command: &str, cwd: &Path, sandbox: &Sandbox) -> impl Iterator<Item = Grant> {
    let home = std::env::home_dir();
    let variable = |name: &str| sandbox.passes(name).then(|| std::env::var(name).ok()).flatten();
    let reading = read(command, &Scene { cwd, home: home.as_deref(), variable: &variable });
    let known = |file: FileUse| file.known.then_some(file.path);
    let written = reading.files_written().into_iter().filter_map(known).filter(|path| !is_device(path));
    let configured = reading.commands.iter().filter_map(configured);
    // A folder is read for its names, and what in it is secret stays so; what is not there (the message of a commit that a word
    // might be) is read by nobody.
    let read = reading.files_read().into_iter().filter_map(known).filter(|path| path.is_file());
    let mut needs: Vec<Grant> =
        written.chain(configured).map(Grant::Write).chain(read.map(Grant::Read)).collect();
    if reading.sends().next().is_some() {
        needs.push(Grant::Network);
    }
    needs.into_iter()
}

/// What every command may write: it is no file.
fn is_device(path: &Path) -> bool {
    let names = ["null", "zero", "full", "tty", "stdin", "stdout", "stderr", "random", "urandom", "ptmx"];
    path.strip_prefix("/dev").is_ok_and(|rest| {
        rest.starts_with("fd") || rest.starts_with("pts") || names.iter().any(|name| rest == Path::new(name))
    })
}

/// The configuration that a call of git changes, where its words say that it does: from then on it says what git runs.
fn configured(command: &Simple) -> Option<PathBuf> {
    if command.program != "git" {
        return None;
    }
    let words: Vec<&str> = command.args().iter().map(|word| word.text.as_str()).collect();
    let (subcommand, rest) = words.split_first()?;
    let has = |names: &[&str]| rest.iter().any(|word| names.contains(word));
    let changes = match *subcommand {
        "config" => {
            let reads = has(&[
                "-l",
                "--list",
                "list",
                "get",
                "--get",
                "--get-all",
                "--get-regexp",
                "--get-urlmatch",
                "--get-color",
            ]);
            let operands = rest.iter().filter(|word| !word.starts_with('-')).count();
            let edits = has(&[
                "--unset",
                "--unset-all",
                "--edit",
                "-e",
                "edit",
                "unset",
                "--remove-section",
                "--rename-section",
            ]);
            if has(&["--global"]) {
                return (!reads && (operands > 1 || edits))
                    .then(std::env::home_dir)
                    .flatten()
                    .map(|home| home.join(".gitconfig"));
            }
            !reads && (operands > 1 || edits) && !has(&["--file", "-f", "--system", "--worktree"])
        }
        "remote" => {
            matches!(rest.first(), Some(&("add" | "remove" | "rm" | "rename" | "set-url" | "set-branches")))
        }
        "push" => has(&["-u", "--set-upstream"]),
        "branch" => {
            has(&["-u", "--unset-upstream", "--edit-description"])
                || rest.iter().any(|word| word.starts_with("--set-upstream-to"))
        }
        "submodule" => matches!(rest.first(), Some(&("add" | "init" | "sync" | "deinit" | "update"))),
        _ => false,
    };
    let cwd = command.cwd.as_deref().filter(|_| changes)?;
    cwd.ancestors().map(|folder| folder.join(".git/config")).find(|file| file.exists())
}

/// Whether the sandbox keeps it closed.
fn is_closed(need: &Grant, sandbox: &Sandbox) -> bool {
    match need {
        Grant::Read(path) => sandbox.forbids_reading(path),
        Grant::Write(path) => sandbox.forbids_writing(path) || sandbox.forbids_reading(path),
        Grant::Network => sandbox.reaches() != Network::On,
        Grant::Variable(name) => !sandbox.passes(name),
        _ => sandbox.profile() != Profile::Full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf, Sandbox) {
        let folder = tempfile::tempdir_in("/var").unwrap_or_else(|_| tempfile::tempdir().unwrap());
        let place = folder.path().canonicalize().unwrap();
        for name in [".git/hooks", "src", "sub"] {
            std::fs::create_dir_all(place.join(name)).unwrap();
        }
        for name in [".env", ".git/config", "src/main.rs", "Cargo.toml", ".gitignore"] {
            std::fs::write(place.join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(".env", place.join("harmless")).unwrap();
        let sandbox = Sandbox::new(Profile::Workspace, &place);
        (folder, place, sandbox)
    }

    fn asked(command: &str, place: &Path, sandbox: &Sandbox) -> Vec<String> {
        let needs = by_its_text(command, place, sandbox).filter(|need| is_closed(need, sandbox));
        needs.map(|need| need.to_string().replace(&place.display().to_string(), ".")).collect()
    }

    #[test]
    fn what_a_command_says_of_itself_is_asked() {
        let (_folder, place, sandbox) = place();
        for (command, needs) in [
            ("cat .env", "read `./.env`"),
            ("cat<.env", "read `./.env`"),
            ("cat .e*", "read `./.env`"),
            ("cd sub && cat ../.env", "read `./sub/../.env`"),
            ("sudo env A=1 cat .env", "read `./.env`"),
            ("sh -c 'head -3 .env'", "read `./.env`"),
            ("cat harmless", "read `./harmless`"),
            ("cp .env /tmp/x", "read `./.env`"),
            ("echo x > .git/hooks/pre-commit", "write `./.git/hooks/pre-commit`"),
            ("touch /etc/x", "write `/etc/x`"),
            ("git config core.hooksPath /tmp", "write `./.git/config`"),
            ("cd sub; git -C .. config core.pager sh", "write `./.git/config`"),
            ("git remote add x y", "write `./.git/config`"),
            ("git push -u origin main", "write `./.git/config`"),
        ] {
            assert_eq!(asked(command, &place, &sandbox), [needs], "{command}");
        }
    }

    #[test]
    fn ordinary_commands_ask_nothing() {
        let (_folder, place, sandbox) = place();
        for command in [
            "ls -la",
            "cat Cargo.toml src/main.rs 2>/dev/null",
            "grep -rn password .",
            "cargo test > /tmp/log 2>&1",
            "echo .env >> .gitignore",
            "git status && git add -A && git commit -m 'read .env'",
            "git config user.name",
            "git config --get remote.origin.url",
            "git push origin main",
            "git remote -v",
            "rm -rf target",
            "mkdir -p src/a && touch src/a/b.rs",
            "cat /etc/hostname",
            "curl -s https://example.org -o page.html",
            "npm install",
            "",
            "cat <<'EOF' > src/x\n.env\nEOF",
        ] {
            assert!(
                asked(command, &place, &sandbox).is_empty(),
                "{command}: {:?}",
                asked(command, &place, &sandbox)
            );
        }
    }

    #[test]
    fn where_the_network_is_closed_what_uses_it_asks() {
        let (_folder, place, sandbox) = place();
        let sandbox = sandbox.network(Network::Off);
        assert_eq!(asked("curl https://example.org", &place, &sandbox), ["use the network"]);
        assert!(asked("ls", &place, &sandbox).is_empty());
    }

    #[test]
    fn in_a_read_only_profile_writing_asks_and_where_all_is_open_nothing_does() {
        let (_folder, place, sandbox) = place();
        let read_only = Sandbox::new(Profile::ReadOnly, &place);
        assert_eq!(asked("touch src/x", &place, &read_only), ["write `./src/x`"]);
        let full = sandbox.granted(&[Grant::Everything]);
        assert!(asked("cat .env > /etc/x", &place, &full).is_empty());
    }
}
