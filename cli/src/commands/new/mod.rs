//! `hookspec new`: a plugin crate with hooks and their test, and a program of its own.
//!
//! A workspace of two: the library, whose tests need core only and are built in less than a minute, is what `cargo test` means
//! there; the program, which has the whole of hookspec in it, is built when it is named.
//!
//! Both must build at once. So they depend on hookspec where hookspec is: a checkout that was named, else the
//! checkout around the current folder, else the one that this program was built from, as long as it is still there. The
//! checkout's `Cargo.lock` comes along: the versions that are known to work, and what is built already needs no network.

mod name;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use hookspec_bridge::install::quoted;

use crate::output::{self, BOLD, GOOD, paint};

use super::CommandResult;

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The crate's name: small letters, digits, `-` and `_`.
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// The folder to make it in; the current one unless given.
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
    /// Use hookspec from this checkout; by default the one around the folder, else the one this program was built from.
    #[arg(long, value_name = "DIR", env = "HOOKSPEC_PATH")]
    hookspec: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum NewError {
    #[error("{} exists already; choose another name, or remove it", .0.display())]
    Exists(PathBuf),
    #[error("{} is no checkout of hookspec: there is no hooks-core/Cargo.toml and cli/Cargo.toml in it", .0.display())]
    NoCheckout(PathBuf),
    #[error(
        "there is no hookspec that `{name}` could depend on: no release of it is published, {} is in no checkout of it, and the one that this program was built from ({}) is gone; clone {} and say where it is, with `hookspec new {name} --hookspec DIR`", .into.display(), .built_from.display(), env!("CARGO_PKG_REPOSITORY")
    )]
    Nowhere { name: String, into: PathBuf, built_from: PathBuf },
    #[error("{} cannot stand in a Cargo.toml, since it is not UTF-8; move the checkout of hookspec", .0.display())]
    NotUtf8(PathBuf),
    // The kind alone: the error itself names a folder that nobody asked for.
    #[error("cannot make a folder in {}: {}; choose another with --into, or make it writable", .into.display(), .source.kind())]
    NoFolder { into: PathBuf, source: io::Error },
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

fn io(path: &Path) -> impl FnOnce(io::Error) -> NewError {
    move |source| NewError::Io { path: path.to_owned(), source }
}

/// The files, each with its template and what is said of it. A manifest is called `.txt` here: cargo leaves a folder that has one of its own
/// out of the package around it.
const FILES: [(&str, &str, &str); 6] = [
    ("src/lib.rs", include_str!("template/lib.rs"), "its hooks and their test: begin here"),
    ("Cargo.toml", include_str!("template/Cargo.toml.txt"), ""),
    (
        "program/src/main.rs",
        include_str!("template/program/main.rs"),
        "a program with the built-in hooks and these",
    ),
    ("program/Cargo.toml", include_str!("template/program/Cargo.toml.txt"), ""),
    ("README.md", include_str!("template/README.md"), ""),
    (".gitignore", "/target\n", ""),
];

impl New {
    pub(crate) fn run(&self) -> CommandResult {
        let krate = name::check(&self.name)?;
        let folder = self.into.join(&self.name);
        // A link that leads nowhere is there too.
        if folder.symlink_metadata().is_ok() {
            return Err(NewError::Exists(folder).into());
        }
        let checkout = self.checkout(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")))?;
        self.make(&folder, &krate, &checkout)?;
        self.tell(&folder, &checkout);
        Ok(ExitCode::SUCCESS)
    }

    /// All of it or nothing: what is half made would be in the way of a second try.
    fn make(&self, folder: &Path, krate: &str, checkout: &Path) -> Result<(), NewError> {
        let dependency = |package: &str, dir: &str, features: &str| {
            let path = checkout.join(dir);
            let path = path.to_str().ok_or_else(|| NewError::NotUtf8(checkout.to_owned()))?;
            Ok(format!("{package} = {{ path = {}{features} }}", toml::Value::String(path.to_owned())))
        };
        let hookspec = dependency("hookspec", "hooks-core", "")?;
        let cli = dependency("hookspec-cli", "cli", ", features = [\"full\"]")?;
        std::fs::create_dir_all(&self.into).map_err(io(&self.into))?;
        let stage = tempfile::Builder::new().prefix(".hookspec-new-").tempdir_in(&self.into);
        let stage = stage.map_err(|source| NewError::NoFolder { into: self.into.clone(), source })?;
        let whole = stage.path().join(&self.name);
        for (file, template, _) in FILES {
            let text = template
                .replace("{name}", &self.name)
                .replace("{krate}", krate)
                .replace("{rust}", env!("CARGO_PKG_RUST_VERSION"))
                .replace("{hookspec}", &hookspec)
                .replace("{hookspec-cli}", &cli);
            write(&whole.join(file), &text)?;
        }
        let lock = checkout.join("Cargo.lock");
        if lock.is_file() {
            std::fs::copy(&lock, whole.join("Cargo.lock")).map_err(io(&lock))?;
        }
        std::fs::rename(&whole, folder).map_err(io(folder))
    }

    fn tell(&self, folder: &Path, checkout: &Path) {
        let place = folder.strip_prefix(".").unwrap_or(folder);
        let from = format!("with hookspec from {}", checkout.display());
        output::line(format!("{} {}", paint(GOOD, "made"), place.display()));
        for (file, _, what) in FILES {
            output::hint(file, 20, if file == "Cargo.toml" { &from } else { what });
        }
        output::line(format!("\n{}", paint(BOLD, "What to type next")));
        let program = format!("cargo run -p {}-program --", self.name);
        let next = [
            (format!("cd {}", quoted(&place.to_string_lossy())), ""),
            ("cargo test".to_owned(), "its hooks, tested"),
            (format!("{program} list"), "built-in hooks and yours; slow at first"),
            (format!("{program} chat"), "an agent with all of them"),
        ];
        let width = 1 + next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or_default();
        for (command, what) in &next {
            output::hint(command, width, what);
        }
        if let Some(around) = around(folder) {
            output::warning(format!(
                "{} is a cargo workspace whose `members` may take in this folder, which is a workspace of its own: if cargo complains there, write `exclude = [\"{}\"]` under its `[workspace]`",
                around.display(),
                place.display()
            ));
        }
    }

    /// Where hookspec is, absolute.
    fn checkout(&self, built_from: &Path) -> Result<PathBuf, NewError> {
        let is_checkout = |folder: &Path| {
            ["hooks-core", "cli"].iter().all(|part| folder.join(part).join("Cargo.toml").is_file())
        };
        let whole = |folder: &Path| folder.canonicalize().map_err(io(folder));
        if let Some(named) = &self.hookspec {
            return if is_checkout(named) { whole(named) } else { Err(NewError::NoCheckout(named.clone())) };
        }
        // The folder to make it in may have to be made itself.
        let into = std::path::absolute(&self.into).map_err(io(&self.into))?;
        let here = into.ancestors().find_map(|folder| folder.canonicalize().ok());
        let around = here.iter().flat_map(|folder| folder.ancestors());
        match around.chain([built_from]).find(|folder| is_checkout(folder)) {
            Some(found) => whole(found),
            None => Err(NewError::Nowhere {
                name: self.name.clone(),
                into,
                built_from: built_from.parent().unwrap_or(built_from).to_owned(),
            }),
        }
    }
}

/// The manifest of a workspace around the folder, where patterns say which its members are.
fn around(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let manifests = folder.ancestors().skip(1).map(|above| above.join("Cargo.toml"));
    manifests.filter(|manifest| manifest.is_file()).find(|manifest| {
        let table = std::fs::read_to_string(manifest).ok().and_then(|text| text.parse::<toml::Table>().ok());
        let members = table.as_ref().and_then(|table| table.get("workspace")?.get("members")?.as_array());
        members.into_iter().flatten().filter_map(toml::Value::as_str).any(|member| member.contains('*'))
    })
}

fn write(path: &Path, text: &str) -> Result<(), NewError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io(folder))?;
    }
    std::fs::write(path, text).map_err(io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")] // a folder that not even root can write
    fn a_folder_that_cannot_be_written_is_named_and_no_other() {
        let new = New { name: "my-hooks".to_owned(), into: "/proc".into(), hookspec: None };
        let error =
            new.make(Path::new("/proc/my-hooks"), "my_hooks", Path::new("/")).unwrap_err().to_string();
        assert!(error.starts_with("cannot make a folder in /proc: "), "{error}");
        assert!(!error.contains(".hookspec-new-"), "{error}");
    }

    #[test]
    fn where_there_is_nothing_to_depend_on_it_says_how_to_get_it() {
        let folder = tempfile::tempdir().unwrap();
        let new = New { name: "my-hooks".to_owned(), into: folder.path().join("new"), hookspec: None };
        let error = new.checkout(&folder.path().join("gone/..")).unwrap_err().to_string();
        for part in [
            "no release of it is published",
            "/gone) is gone; clone https://",
            "`hookspec new my-hooks --hookspec DIR`",
        ] {
            assert!(error.contains(part), "{error}");
        }
        for part in ["hooks-core", "cli"] {
            std::fs::create_dir(folder.path().join(part)).unwrap();
            std::fs::write(folder.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        // Around a folder that is not there yet.
        assert_eq!(new.checkout(Path::new("gone")).unwrap(), folder.path().canonicalize().unwrap());
    }
}
