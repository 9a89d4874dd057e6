//! Which files hold credentials, and which decide what other programs do.
//!
//! One table ([`data/sensitive.toml`](https://github.com/hookspec/hookspec/blob/main/process/data/sensitive.toml)) for all who
//! ask: the [sandbox](crate::sandbox), which hides the first kind and makes the second read-only; the guards that read commands;
//! tools that open files themselves. A name says only so much: a `*.pem` is mostly a certificate, so that [`holds_secret`]
//! looks into those, and [`secret_file`], which looks at nothing, takes them for keys.
//!
//! ```
//! use std::path::Path;
//! use hookspec_process::sensitive::{protected, secret_file};
//!
//! assert!(secret_file(Path::new("/srv/app/.env.production")));
//! assert!(!secret_file(Path::new("/srv/app/.env.example")));
//! assert_eq!(protected(Path::new("/srv/app/.git/hooks/pre-commit"), Path::new("/srv/app")), Some("is run by git"));
//! assert_eq!(protected(Path::new("/srv/app/src/main.rs"), Path::new("/srv/app")), None);
//! ```

mod pattern;
mod table;

use std::io::Read;
use std::path::Path;

pub(crate) use pattern::{Pattern, fits_name, lowered};
pub(crate) use table::table;

/// How much of a file is looked at by [`holds_secret`].
const LOOKED: u64 = 64 * 1024;

/// Whether a file of this name holds credentials: `.env` and its kinds, keys, `.netrc`, what clouds and registries keep. Only the
/// name is looked at, so that a file that need not exist, or a word of a command, can be asked about.
///
/// ```
/// use hookspec_process::sensitive::secret_file;
/// assert!(secret_file("id_ed25519".as_ref()) && secret_file("home/.aws/credentials".as_ref()));
/// assert!(!secret_file("id_ed25519.pub".as_ref()) && !secret_file("cert.pem".as_ref()));
/// ```
#[must_use]
pub fn secret_file(path: &Path) -> bool {
    let table = table();
    let parts = lowered(path);
    if table.harmless.fit(&parts) {
        return false;
    }
    table.files.fit(&parts) || table.by_content(&parts).is_some()
}

/// Whether a file holds credentials, by its name and, where the name does not decide, by what is in it: a `.pem` by its first
/// 64 KiB. One that cannot be read is judged by its name.
#[must_use]
pub fn holds_secret(path: &Path) -> bool {
    let table = table();
    let parts = lowered(path);
    if table.harmless.fit(&parts) {
        return false;
    }
    table.files.fit(&parts)
        || table.by_content(&parts).is_some_and(|words| speaks_of(path, words).unwrap_or(true))
}

/// Whether one of the words is in the beginning of a file.
fn speaks_of(path: &Path, words: &[String]) -> std::io::Result<bool> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut begin = Vec::new();
    std::fs::File::open(path)?.take(LOOKED).read_to_end(&mut begin)?;
    Ok(words.iter().any(|word| begin.windows(word.len()).any(|part| part == word.as_bytes())))
}

/// Why a file is not written without a yes, as the end of a sentence that begins with its name: `is run by git`. `None` for
/// ordinary files, and for what lies outside the workspace.
///
/// Repositories within the workspace count like the workspace itself; of other things only what lies at its root does.
#[must_use]
pub fn protected(path: &Path, workspace: &Path) -> Option<&'static str> {
    let within = path.strip_prefix(workspace).ok()?;
    let parts = lowered(within);
    table().protects(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_secrets_from_what_only_looks_so() {
        for (path, secret) in [
            (".env", true),
            ("/w/.env", true),
            ("/w/.env.local", true),
            ("/w/prod.env", true),
            ("/w/.ENV", true),
            ("/w/.env.example", false),
            ("/w/.env.production.example", false),
            ("/w/environment.rs", false),
            ("/w/.env/bin/python", false),
            ("/home/u/.ssh/work_key", true),
            ("/home/u/.ssh/keys/deep", true),
            ("/home/u/.ssh", false),
            ("/home/u/.ssh/config", false),
            ("/home/u/.ssh/known_hosts", false),
            ("/home/u/.ssh/id_rsa.pub", false),
            ("id_rsa", true),
            ("/w/.aws/credentials", true),
            ("/w/credentials", false),
            ("/etc/shadow", true),
            ("/w/etc/shadow", false),
            ("/proc/self/environ", true),
            ("/proc/1/task/1/environ", false),
            ("/w/server.key", true),
            ("/w/cert.pem", false),
            ("/w/fullchain.pem", false),
            ("/w/tests/fixtures/server.key", false),
            ("/w/tests/.env", true),
            ("/w/.npmrc", true),
            ("", false),
            ("/", false),
            ("/w/a\n.env", true),
        ] {
            assert_eq!(secret_file(Path::new(path)), secret, "{path}");
        }
    }

    #[test]
    fn what_a_name_leaves_open_is_looked_up() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content, secret) in [
            ("a.pem", "-----BEGIN RSA PRIVATE KEY-----\n", true),
            ("b.pem", "-----BEGIN CERTIFICATE-----\n", false),
            ("en.key", "save = Save\n", false),
            (".npmrc", "engine-strict=true\n", false),
            ("x/.npmrc", "//registry.npmjs.org/:_authToken=npm_x\n", true),
            (".env", "", true),
        ] {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, content).unwrap();
            assert_eq!(holds_secret(&file), secret, "{name}");
        }
        assert!(holds_secret(&folder.path().join("gone.pem")), "nobody looked");
        std::fs::create_dir(folder.path().join("folder.pem")).unwrap();
        assert!(!holds_secret(&folder.path().join("folder.pem")));
    }

    #[test]
    fn what_runs_later_is_protected_wherever_a_repository_lies() {
        let workspace = Path::new("/w");
        for (path, why) in [
            ("/w/.git/hooks/pre-commit", Some("is run by git")),
            ("/w/vendor/lib/.git/hooks/x", Some("is run by git")),
            ("/w/.git/config", Some("says what git runs")),
            ("/w/.git/modules/a/b/config", Some("says what git runs")),
            ("/w/.claude/settings.json", Some("configures an agent")),
            ("/w/.claude", Some("configures an agent")),
            ("/w/hookspec.toml", Some("configures an agent")),
            ("/w/.git/index", None),
            ("/w/.git/refs/heads/config", None),
            ("/w/src/hooks/a.rs", None),
            ("/elsewhere/.git/config", None),
        ] {
            assert_eq!(protected(Path::new(path), workspace), why, "{path}");
        }
    }
}
