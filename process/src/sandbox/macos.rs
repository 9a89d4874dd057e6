//! The sandbox on macOS: a profile for `sandbox-exec`, as text.
//!
//! The last rule that fits decides. What is held is what the profile says of files, the network and signals; programs end with their
//! process group, and daemons may outlive it. Written by the system's documentation and checked by reading; [`support`](super::support)
//! says so.

use std::path::Path;

use super::profile::{Grant, Network};
use super::rules::Rules;
use crate::sensitive;

/// The profile for a set of rules.
pub(super) fn profile(rules: &Rules) -> String {
    let mut lines: Vec<String> =
        vec!["(version 1)".into(), "(allow default)".into(), "(deny file-write*)".into()];
    let folders = rules.writable().into_iter().chain(["/private/tmp".into(), "/private/var/folders".into()]);
    lines.extend(folders.map(|folder| format!("(allow file-write* (subpath {}))", quoted(&folder))));
    let devices =
        "(literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (regex #\"^/dev/fd/\")";
    lines.push(format!("(allow file-write* {devices})"));
    let table = sensitive::table();
    for pattern in table.protected.iter().flat_map(|kind| kind.paths.written()) {
        lines.push(format!("(deny file-write* (regex #\"{}\"))", expression(pattern)));
    }
    for path in &rules.protected {
        lines.push(format!("(deny file-write* (subpath {}))", quoted(&rules.absolute(path))));
    }
    let files = table.files.written().chain(table.by_content.iter().flat_map(|kind| kind.files.written()));
    lines
        .extend(files.map(|pattern| {
            format!("(deny file-read-data file-write* (regex #\"{}\"))", expression(pattern))
        }));
    let harmless = table.harmless.written().map(expression);
    let harmless = harmless.map(|fits| format!("(allow file-read-data (regex #\"{fits}\"))"));
    lines.extend(harmless);
    if let Some(home) = std::env::home_dir() {
        let folders = table.home.folders.iter().map(|folder| home.join(folder));
        lines.extend(
            folders.map(|folder| format!("(deny file-read-data file-write* (subpath {}))", quoted(&folder))),
        );
    }
    for path in &rules.hidden {
        lines.push(format!("(deny file-read-data file-write* (subpath {}))", quoted(&rules.absolute(path))));
    }
    lines.extend(
        rules
            .shown
            .iter()
            .map(|shown| format!("(allow file-read-data (regex #\"{}\"))", expression(shown.written()))),
    );
    for grant in &rules.grants {
        match grant {
            Grant::Read(path) => {
                lines.push(format!("(allow file-read-data (subpath {}))", quoted(&rules.absolute(path))));
            }
            Grant::Write(path) => {
                lines.push(format!(
                    "(allow file-read-data file-write* (subpath {}))",
                    quoted(&rules.absolute(path))
                ));
            }
            Grant::Network | Grant::Variable(_) | Grant::Everything => {}
        }
    }
    match rules.network() {
        Network::On => {}
        Network::Loopback => lines.extend([
            "(deny network*)".into(),
            "(allow network* (local ip \"localhost:*\"))".into(),
            "(allow network-outbound (remote ip \"localhost:*\"))".into(),
        ]),
        Network::Off => lines.push("(deny network*)".into()),
    }
    for door in ["/var/run/docker.sock", "/private/var/run/docker.sock"] {
        lines.push(format!("(deny network-outbound (literal {}))", quoted(Path::new(door))));
    }
    lines.extend(["(deny signal)".into(), "(allow signal (target same-sandbox))".into()]);
    lines.push(String::new());
    lines.join("\n")
}

/// A path as a string of the profile.
fn quoted(path: &Path) -> String {
    let text: String = path
        .to_string_lossy()
        .chars()
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            c => vec![c],
        })
        .collect();
    format!("\"{text}\"")
}

/// A pattern as an expression over the whole path. A quote cannot be written in one, so that any character stands for it.
fn expression(pattern: &str) -> String {
    let mut found = String::from(if pattern.starts_with('/') { "^" } else { "" });
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    for (number, part) in parts.iter().enumerate() {
        if *part == "**" {
            let is_last = number + 1 == parts.len();
            found.push_str(if is_last { "(/.*)?" } else { "(/[^/]+)*" });
            continue;
        }
        found.push('/');
        for c in part.chars() {
            match c {
                '*' => found.push_str("[^/]*"),
                '?' => found.push_str("[^/]"),
                '"' => found.push('.'),
                c if c.is_alphanumeric() || "_-/ ".contains(c) => found.push(c),
                '[' => found.push_str("\\["),
                c => found.extend(['\\', c]),
            }
        }
    }
    found.push('$');
    found
}

#[cfg(target_os = "macos")]
mod system {
    use std::process::Command;
    use std::sync::Arc;

    use super::super::{Part, SandboxError, Support};
    use super::Rules;

    const PROGRAM: &str = "/usr/bin/sandbox-exec";

    #[derive(Debug, Default)]
    pub(in crate::sandbox) struct Shared;

    #[derive(Debug)]
    pub(in crate::sandbox) struct Held;

    impl Held {
        pub(in crate::sandbox) fn is_over(&self) -> bool {
            true
        }

        pub(in crate::sandbox) fn failure(&self) -> Option<String> {
            None
        }

        pub(in crate::sandbox) fn findings(&mut self) -> Vec<String> {
            Vec::new()
        }
    }

    /// Puts `sandbox-exec` before the program. Streams are to be set afterwards: a command does not tell those that it has.
    pub(in crate::sandbox) fn confine(
        rules: &Arc<Rules>,
        _: &Arc<Shared>,
        command: &mut Command,
    ) -> Result<Held, SandboxError> {
        if rules.is_open() || !std::path::Path::new(PROGRAM).exists() {
            return Ok(Held);
        }
        let mut wrapped = Command::new(PROGRAM);
        wrapped
            .arg("-p")
            .arg(super::profile(rules))
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear();
        wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(folder) = command.get_current_dir() {
            wrapped.current_dir(folder);
        }
        *command = wrapped;
        Ok(Held)
    }

    pub(in crate::sandbox) fn try_support() -> Support {
        let mut support = Support::default();
        if std::path::Path::new(PROGRAM).exists() {
            support.holds(Part::Profile, "Secrets are not read and nothing is written outside the workspace, by a profile of `sandbox-exec`.");
        } else {
            support.lacks("Secrets can be read and everything can be written by commands: `/usr/bin/sandbox-exec` is not there.".to_owned());
        }
        support.lacks("Daemons that a command starts may outlive its session, and the profile has been checked by reading only.".to_owned());
        support
    }
}

#[cfg(target_os = "macos")]
pub(super) use system::{Held, Shared, confine, try_support};

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::*;

    #[test]
    fn patterns_become_expressions() {
        for (pattern, expected) in [
            (".env", r"/\.env$"),
            ("*.env", r"/[^/]*\.env$"),
            (".git/hooks/**", r"/\.git/hooks(/.*)?$"),
            (".ssh/**/*", r"/\.ssh(/[^/]+)*/[^/]*$"),
            ("/etc/shadow", "^/etc/shadow$"),
            (".env[*]", r"/\.env\[[^/]*\]$"),
            ("a\"b", "/a.b$"),
        ] {
            assert_eq!(expression(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn the_last_rule_that_fits_is_the_right_one() {
        let mut rules = Rules::new(Profile::Workspace, Path::new("/srv/a \"b\""));
        rules.network = Network::Loopback;
        rules.grants = vec![Grant::Read(".env".into())];
        let text = profile(&rules);
        let at = |line: &str| {
            text.lines().position(|other| other == line).unwrap_or_else(|| panic!("{line}\n{text}"))
        };
        assert!(at("(deny file-write*)") < at(r#"(allow file-write* (subpath "/srv/a \"b\""))"#));
        assert!(
            at(r#"(allow file-write* (subpath "/srv/a \"b\""))"#)
                < at(r#"(deny file-write* (regex #"/\.git/hooks(/.*)?$"))"#)
        );
        let hidden = at(r#"(deny file-read-data file-write* (regex #"/\.env$"))"#);
        assert!(hidden < at(r#"(allow file-read-data (regex #"/\.env\.example$"))"#));
        assert!(hidden < at(r#"(allow file-read-data (subpath "/srv/a \"b\"/.env"))"#));
        assert!(at("(deny network*)") < at("(allow network-outbound (remote ip \"localhost:*\"))"));
        rules.network = Network::On;
        assert!(!profile(&rules).contains("(deny network*)"));
        let read_only = profile(&Rules::new(Profile::ReadOnly, Path::new("/srv/w")));
        assert!(!read_only.contains("(allow file-write* (subpath \"/srv/w\"))"));
    }
}
