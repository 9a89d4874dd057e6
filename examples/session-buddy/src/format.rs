//! Formats a file after a tool has changed it: that file, with its own formatter, and nothing else.
//!
//! **Watches** saved and patched files. **Runs** the formatter of the file's extension, if it is installed outside the
//! workspace: the text goes in, the formatted text comes out, so no formatter can wander into other files (`rustfmt` given
//! a path would follow its modules). It gets no key or token of ours. **Writes** the result only where the file still is what the tool wrote. **Speaks**
//! when it changed the file, since the model should know, and once a session for each formatter that is missing.
//!
//! A hook must not run what a repository brings. So prettier is left alone where its configuration is a program or names one
//! (`prettier.config.js`, plugins, a shared package), and rustfmt runs outside the project, where no `rust-toolchain.toml` can
//! put another program in its place. Name the command in `[hooks.buddy] formatters` where that is wanted.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookspec::points::{FILE_POST_PATCH, FILE_POST_SAVE};
use hookspec::{Message, Session, hook};
use hookspec_process::{Program, find};
use serde::{Deserialize, Serialize};

use crate::ordering::rank;
use crate::settings::Settings;

/// Formatters by extension; each reads the file from its input.
const FORMATTERS: [(&str, &[&str]); 20] = [
    ("rs", &["rustfmt", "--emit", "stdout", "--quiet", "--edition", "{edition}"]),
    ("py", RUFF),
    ("pyi", RUFF),
    ("go", &["gofmt"]),
    ("js", PRETTIER),
    ("jsx", PRETTIER),
    ("mjs", PRETTIER),
    ("cjs", PRETTIER),
    ("ts", PRETTIER),
    ("tsx", PRETTIER),
    ("css", PRETTIER),
    ("scss", PRETTIER),
    ("less", PRETTIER),
    ("json", PRETTIER),
    ("html", PRETTIER),
    ("vue", PRETTIER),
    ("yaml", PRETTIER),
    ("yml", PRETTIER),
    ("graphql", PRETTIER),
    ("hbs", PRETTIER),
];
const RUFF: &[&str] = &["ruff", "format", "--quiet", "--no-cache", "--stdin-filename", "{path}", "-"];
const PRETTIER: &[&str] = &["prettier", "--log-level", "error", "--stdin-filepath", "{path}"];

/// Bytes of a file that is formatted at most.
const MOST: usize = 4 * 1024 * 1024;

/// What this session has been told already.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Told {
    missing: BTreeSet<String>,
}

/// Formats a file that was written.
#[hook(
    FILE_POST_SAVE,
    name = "buddy.format_saved",
    priority = rank(100, 0),
    blocking,
    timeout = "60s",
    budget = "40s"
)]
fn format_saved(
    path: &Path,
    content: &str,
    session: &Session,
    settings: &Settings,
    state: &mut Told,
) -> Result<Option<Message>, FormatError> {
    format(path, content, session, settings, state)
}

/// Formats a file that was changed.
#[hook(
    FILE_POST_PATCH,
    name = "buddy.format_patched",
    priority = rank(100, 0),
    blocking,
    timeout = "60s",
    budget = "40s"
)]
fn format_patched(
    path: &Path,
    after: &str,
    session: &Session,
    settings: &Settings,
    state: &mut Told,
) -> Result<Option<Message>, FormatError> {
    format(path, after, session, settings, state)
}

/// A formatted text that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path} could not be written after it was formatted: {source}")]
pub struct FormatError {
    path: PathBuf,
    source: std::io::Error,
}

fn format(
    path: &Path,
    text: &str,
    session: &Session,
    settings: &Settings,
    state: &mut Told,
) -> Result<Option<Message>, FormatError> {
    let Some(command) = command(path, settings) else { return Ok(None) };
    let Some((name, args)) = command.split_first() else { return Ok(None) };
    let note = |state: &mut Told, text: String| {
        Ok(state.missing.insert(name.clone()).then(|| Message::system(text).hidden()))
    };
    if text.len() > MOST {
        return Ok(None);
    }
    let workspace = session.workspace();
    let own = settings.formatters.contains_key(extension(path));
    let program = if own && name.contains('/') { Some(name.into()) } else { find(name, workspace) };
    let Some(program) = program else {
        return note(
            state,
            format!("`{name}` is not installed, so files that it would format stay as they are."),
        );
    };
    if !own && name == "prettier" && runs_config(path, workspace) {
        return note(state, "prettier's configuration here is a program of the project's, so it is not run by itself; name the command in [hooks.buddy] formatters if you want it.".to_owned());
    }
    let mut args: Vec<String> = args
        .iter()
        .map(|arg| arg.replace("{path}", &path.to_string_lossy()).replace("{edition}", &edition(path)))
        .collect();
    let mut folder = path.parent().unwrap_or(Path::new("/"));
    if !own && name == "rustfmt" {
        folder = Path::new("/");
        if let Some(config) = rustfmt_config(path) {
            args.extend(["--config-path".to_owned(), config.to_string_lossy().into_owned()]);
        }
    }
    let mut formatter = Program::new(program)
        .args(args)
        .cwd(folder)
        .input(text)
        .deadline(Duration::from_secs(settings.format_s.clamp(1, 50)))
        .keep(2 * MOST);
    // Where rustup keeps its toolchains, if that is not in the home folder.
    for name in ["RUSTUP_HOME", "CARGO_HOME"] {
        if let Some(value) = std::env::var_os(name) {
            formatter = formatter.env(name, value);
        }
    }
    let ran = formatter.run();
    let shown = path.display();
    let formatted = match ran {
        Ok(ended) if ended.status.success() && ended.stdout.dropped() == 0 => ended.stdout.bytes(),
        Ok(ended) => {
            let said = crate::store::short(ended.stderr.text().trim(), 1000);
            return Ok(Some(Message::system(format!(
                "`{name}` could not format {shown} ({}): {said}",
                ended.words()
            ))));
        }
        Err(error) => return Ok(Some(Message::system(format!("{shown} was not formatted: {error}")))),
    };
    if formatted == text.as_bytes() || formatted.is_empty() {
        return Ok(None);
    }
    let failed = |source| FormatError { path: path.to_owned(), source };
    if !replace(path, text.as_bytes(), &formatted).map_err(failed)? {
        return Ok(None);
    }
    Ok(Some(Message::system(format!(
        "{shown} was formatted with `{name}`; read it again before you patch it."
    ))))
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// The command for a file: the settings', else the table's.
fn command(path: &Path, settings: &Settings) -> Option<Vec<String>> {
    let extension = extension(path);
    if let Some(command) = settings.formatters.get(extension) {
        return (!command.is_empty()).then(|| command.clone());
    }
    let (_, command) = FORMATTERS.iter().find(|(held, _)| *held == extension)?;
    Some(command.iter().map(ToString::to_string).collect())
}

/// The edition that the nearest Cargo.toml names, or else its workspace's; the oldest that anybody writes where none does.
fn edition(path: &Path) -> String {
    let tables = path.ancestors().skip(1).filter_map(|folder| {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        text.parse::<toml::Table>().ok()
    });
    for table in tables.take(8) {
        for at in [&["package", "edition"][..], &["workspace", "package", "edition"]] {
            let mut value = Some(&toml::Value::Table(table.clone())).cloned();
            for key in at {
                value = value.and_then(|value| value.get(key).cloned());
            }
            if let Some(edition) = value.as_ref().and_then(toml::Value::as_str) {
                return edition.to_owned();
            }
        }
    }
    "2021".to_owned()
}

/// The configuration that rustfmt would find if it ran beside the file.
fn rustfmt_config(path: &Path) -> Option<PathBuf> {
    let names = ["rustfmt.toml", ".rustfmt.toml"];
    let files = path.ancestors().skip(1).flat_map(|folder| names.map(|name| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// Whether prettier would run code of the project's to learn its configuration.
fn runs_config(path: &Path, workspace: Option<&Path>) -> bool {
    const PROGRAMS: [&str; 10] = [
        "prettier.config.js",
        "prettier.config.cjs",
        "prettier.config.mjs",
        "prettier.config.ts",
        "prettier.config.mts",
        ".prettierrc.js",
        ".prettierrc.cjs",
        ".prettierrc.mjs",
        ".prettierrc.ts",
        ".prettierrc.mts",
    ];
    const DATA: [&str; 6] = [
        ".prettierrc",
        ".prettierrc.json",
        ".prettierrc.json5",
        ".prettierrc.yaml",
        ".prettierrc.yml",
        ".prettierrc.toml",
    ];
    let top = workspace.and_then(Path::parent);
    path.ancestors().skip(1).take_while(|folder| Some(*folder) != top).any(|folder| {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        PROGRAMS.iter().any(|name| folder.join(name).exists())
            || DATA.iter().filter_map(|name| read(name)).any(|text| names_programs(&text))
            || read("package.json").is_some_and(|text| package_names_programs(&text))
            || read("package.yaml").is_some_and(|text| text.contains("prettier"))
    })
}

/// Whether a configuration that is data names something to load: plugins, a parser by its path, or, as one word, a package.
fn names_programs(text: &str) -> bool {
    let one_word = !text.trim().is_empty() && !text.contains([':', '=']);
    let parser = text.split("parser").skip(1).any(|rest| {
        let value = rest.trim_start_matches(['"', '\'', ' ', ':', '=']);
        value.starts_with(['.', '/'])
    });
    one_word || parser || text.contains("plugins")
}

fn package_names_programs(text: &str) -> bool {
    let package: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    match package.get("prettier") {
        None => false,
        Some(serde_json::Value::Object(config)) => {
            names_programs(&serde_json::Value::from(config.clone()).to_string())
        }
        Some(_) => true,
    }
}

/// Puts the new text in the old one's place, whole; not where the file is something else by now.
fn replace(path: &Path, old: &[u8], new: &[u8]) -> std::io::Result<bool> {
    if std::fs::read(path)? != old {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new().prefix(".hookspec-").tempfile_in(folder)?;
    file.write_all(new)?;
    file.as_file().set_permissions(std::fs::metadata(path)?.permissions())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_names_programs_is_known() {
        for text in [
            r#"{"plugins": ["./x.js"]}"#,
            "\"@corp/prettier-config\"",
            "@corp/config",
            "parser: ./p.js",
            "parser = '/p'",
        ] {
            assert!(names_programs(text), "{text}");
        }
        for text in [
            "",
            "semi: false\n",
            "tabWidth = 4",
            r#"{"semi": true, "overrides": [{"files": "*.js", "options": {"parser": "babel"}}]}"#,
        ] {
            assert!(!names_programs(text), "{text}");
        }
        assert!(package_names_programs(r#"{"prettier": "@corp/config"}"#));
        assert!(!package_names_programs(
            r#"{"name": "x", "eslintConfig": {"plugins": []}, "prettier": {"semi": false}}"#
        ));
    }

    #[test]
    fn the_table_is_asked_where_the_settings_are_silent() {
        let mut settings = Settings::default();
        let first = |path: &str, settings: &Settings| {
            command(Path::new(path), settings).map(|command| command[0].clone())
        };
        assert_eq!(first("a.py", &settings).as_deref(), Some("ruff"));
        assert_eq!(first("a.rs", &settings).as_deref(), Some("rustfmt"));
        assert_eq!(first("a.md", &settings), None);
        settings.formatters.insert("py".into(), Vec::new());
        settings.formatters.insert("md".into(), vec!["mdfmt".into()]);
        assert_eq!((first("a.py", &settings), first("a.md", &settings)), (None, Some("mdfmt".into())));
    }
}
