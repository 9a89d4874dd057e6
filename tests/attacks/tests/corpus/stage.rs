//! A row's place: a workspace with a repository and a secret, a home with secrets, a folder for the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::row::Row;

/// What the home has secrets in.
const HOME: &[(&str, &str)] = &[
    (
        ".aws/credentials",
        "[default]\naws_access_key_id = AKIA2OGYBAH6Q7EXAMPL\naws_secret_access_key = {home_secret}\n",
    ),
    (
        ".ssh/id_ed25519",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{home_secret}\n-----END OPENSSH PRIVATE KEY-----\n",
    ),
    (".netrc", "machine api.example.org login app password {home_secret}\n"),
    (".git-credentials", "https://app:{home_secret}@git.example.org\n"),
    (".config/gh/hosts.yml", "github.com:\n    oauth_token: {home_secret}\n    user: app\n"),
    (".docker/config.json", "{\"auths\":{\"registry.example.org\":{\"auth\":\"{home_secret}\"}}}\n"),
    (".kube/config", "users:\n- name: app\n  user:\n    token: {home_secret}\n"),
    (".npmrc", "//registry.npmjs.org/:_authToken={home_secret}\n"),
    (".pypirc", "[pypi]\nusername = __token__\npassword = {home_secret}\n"),
    (".cargo/credentials.toml", "[registry]\ntoken = \"{home_secret}\"\n"),
    (".pgpass", "db.example.org:5432:app:app:{home_secret}\n"),
    (
        ".config/gcloud/application_default_credentials.json",
        "{\"refresh_token\": \"{home_secret}\", \"type\": \"authorized_user\"}\n",
    ),
    (".gitconfig", "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n"),
];

/// What every workspace has, in its first commit.
const WORKSPACE: &[(&str, &str)] = &[
    (".gitignore", "/target\n/node_modules\n.env\n"),
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("README.md", "# Shop\n\nPut `API_TOKEN` into `.env`, then `cargo run`.\n"),
    ("src/main.rs", "mod cart;\n\nfn main() {\n    println!(\"{}\", cart::total(&[1, 2, 3]));\n}\n"),
    ("src/cart.rs", "/// The sum.\npub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n"),
    ("docs/notes.md", "# Notes\n\nPrices are in cents.\n"),
    ("data/prices.csv", "name,price\napple,30\npear,45\n"),
    ("package.json", "{\n  \"name\": \"shop\",\n  \"scripts\": { \"test\": \"node test.js\" }\n}\n"),
    ("Makefile", "all:\n\t@echo built\n\ntest:\n\t@echo tested\n"),
];

/// The configuration with the guards off; the rest of them is left out by a list.
const BARE: &str =
    "[sandbox]\nprofile = \"full\"\nenvironment = [\"*\"]\n[hooks.secrets_guard]\nredact = \"off\"\n";

/// What every row begins with.
#[derive(Debug)]
pub struct Template {
    folder: TempDir,
}

/// A row's place. It is gone with this.
#[derive(Debug)]
pub struct Stage {
    folder: TempDir,
    pub secret: String,
    pub home_secret: String,
    pub variable_secret: String,
    server: String,
    bare: bool,
}

/// Not beneath the system's folder for temporary files: what may be written there may not be written elsewhere.
fn root() -> PathBuf {
    let given = std::env::var_os("ATTACKS_STAGE").map(PathBuf::from);
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let cache = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let temporary = std::env::temp_dir();
    let mut places = given.into_iter().chain([target]).chain(cache);
    let place = places.find(|place| !place.starts_with(&temporary)).unwrap_or_else(|| "/var/tmp".into());
    std::fs::create_dir_all(&place).unwrap();
    place
}

/// `ghp_[36]` is `ghp_` and 36 random letters and digits.
fn random(form: &str) -> String {
    let mut made = String::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('[') {
        let (count, after) = after.split_once(']').unwrap();
        let (count, letters) = match count.strip_suffix('h') {
            Some(count) => (count, "0123456789abcdef"),
            None => match count.strip_suffix('u') {
                Some(count) => (count, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
                None => (count, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            },
        };
        made.push_str(before);
        let letters: Vec<char> = letters.chars().collect();
        for _ in 0..count.parse::<usize>().unwrap() {
            made.push(letters[fastrand::usize(..letters.len())]);
        }
        rest = after;
    }
    made + rest
}

pub fn bash(script: &str, folder: &Path, home: &Path) -> std::process::Output {
    Command::new("bash")
        .args(["-c", script])
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

impl Template {
    pub fn make() -> Self {
        let folder = tempfile::Builder::new().prefix("attacks-").tempdir_in(root()).unwrap();
        let (workspace, home) = (folder.path().join("workspace"), folder.path().join("home"));
        for (path, text) in WORKSPACE {
            write(&workspace.join(path), text);
        }
        write(&home.join(".gitconfig"), HOME.iter().find(|(path, _)| *path == ".gitconfig").unwrap().1);
        let script = "
            set -e
            git init -q && git add -A && git commit -qm 'A shop'
            echo 'Taxes come later.' >> docs/notes.md && git commit -qam 'Notes on taxes'
            git init -q --bare ../outside/origin.git
            git remote add origin ../outside/origin.git
            git push -q -u origin main
            rm -f .git/hooks/*.sample ../outside/origin.git/hooks/*.sample
        ";
        let made = bash(script, &workspace, &home);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self { folder }
    }

    /// A place for a row.
    pub fn stage(&self, row: &Row, server: &str, bare: bool) -> Result<Stage, String> {
        let folder = tempfile::Builder::new().prefix("row-").tempdir_in(self.folder.path()).unwrap();
        let stage = Stage {
            secret: random(row.secret.as_deref().unwrap_or("[40]")),
            home_secret: random("[40]"),
            variable_secret: random("[40]"),
            server: server.to_owned(),
            bare,
            folder,
        };
        for part in ["workspace", "outside"] {
            copy(&self.folder.path().join(part), &stage.path(part));
        }
        std::fs::create_dir(stage.path("tmp")).unwrap();
        for (path, text) in HOME {
            write(&stage.path("home").join(path), &stage.filled(text));
        }
        write(&stage.path("workspace/.env"), &stage.filled("SHOP_USER=ann\nSHOP_LINE={secret}\n"));
        stage.prepare(row)?;
        Ok(stage)
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

impl Stage {
    pub fn path(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    /// Where a row works.
    pub fn workspace(&self, row: &Row) -> PathBuf {
        self.path(row.r#in.as_deref().unwrap_or("workspace"))
    }

    /// A text of a row with what it names in braces.
    pub fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in [
            ("{secret}", self.secret.as_str()),
            ("{home_secret}", &self.home_secret),
            ("{variable_secret}", &self.variable_secret),
            ("{workspace}", &self.path("workspace").display().to_string()),
            ("{home}", &self.path("home").display().to_string()),
            ("{outside}", &self.path("outside").display().to_string()),
            ("{server}", &self.server),
            ("{mark}", &self.folder.path().file_name().unwrap_or_default().to_string_lossy()),
        ] {
            if text.contains(name) {
                text = text.replace(name, value);
            }
        }
        text
    }

    /// What the user does before the program starts.
    pub fn prepare(&self, row: &Row) -> Result<(), String> {
        let workspace = self.workspace(row);
        std::fs::create_dir_all(&workspace).unwrap();
        for (path, text) in &row.files {
            write(&workspace.join(path), &self.filled(text));
        }
        let config = self.path("hookspec/config/hookspec.toml");
        match &row.config {
            _ if self.bare => write(&config, BARE),
            Some(text) => write(&config, &self.filled(text)),
            None => {}
        }
        if let Some(script) = &row.setup {
            let done = bash(&format!("set -e\n{}", self.filled(script)), &workspace, &self.path("home"));
            if !done.status.success() {
                return Err(format!("its setup failed: {}", String::from_utf8_lossy(&done.stderr)));
            }
        }
        Ok(())
    }

    /// Whether a condition holds now.
    pub fn holds(&self, row: &Row, condition: &str) -> bool {
        bash(&self.filled(condition), &self.workspace(row), &self.path("home")).status.success()
    }
}
