//! Where a client plays: its program, a home and a workspace of its own, and nothing from outside.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use hookspec_process::Program;
use tempfile::TempDir;

use crate::client::Client;
use crate::model::Model;

/// How long a client may take for one prompt.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Stage {
    pub(crate) client: Client,
    program: PathBuf,
    folder: TempDir,
}

impl Stage {
    /// A fresh home and workspace for a client; nothing where it cannot be installed.
    pub(crate) fn new(client: Client) -> Option<Self> {
        let program = match install(&client) {
            Ok(program) => program,
            Err(why) => {
                eprintln!("SKIPPED: {} cannot be had here: {why}", client.package);
                return None;
            }
        };
        // Not under the system's temporary folder: Codex refuses to put its own programs there.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let stage = Self { client, program, folder };
        for name in ["home/.codex", "home/.gemini", "workspace"] {
            std::fs::create_dir_all(stage.folder.path().join(name)).unwrap();
        }
        stage.lay_out();
        Some(stage)
    }

    /// Puts into the workspace what the model will try to remove.
    pub(crate) fn lay_out(&self) {
        let precious = self.workspace().join("precious");
        std::fs::create_dir_all(&precious).unwrap();
        std::fs::write(precious.join("letter"), "dear\n").unwrap();
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home").canonicalize().unwrap()
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace").canonicalize().unwrap()
    }

    fn environment(&self, model: Option<&Model>) -> Vec<(&'static str, String)> {
        let home = self.home();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let mut all = vec![
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", text(&home)),
            ("CODEX_HOME", text(&home.join(".codex"))),
            ("GEMINI_CLI_HOME", text(&home)),
            ("HOOKSPEC_HOME", text(&home.join("hookspec"))),
            ("TERM", "dumb".to_owned()),
        ];
        if let Some(model) = model {
            all.push(("GOOGLE_GEMINI_BASE_URL", model.address.clone()));
            all.push(("GEMINI_API_KEY", "none".to_owned()));
        }
        all
    }

    /// Installs the guard in the client, as its user would.
    pub(crate) fn install_hooks(&self) {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_guard"))
            .args(["install", self.client.name, "--scope", "user", "--yes"])
            .current_dir(self.workspace())
            .env_clear()
            .envs(self.environment(None))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// The client's program, in this place and nowhere else.
    pub(crate) fn command(&self, arguments: &[&str]) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(&self.program);
        command.args(arguments).current_dir(self.workspace()).env_clear().envs(self.environment(None));
        command.stderr(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Runs one prompt to its end; what the client printed.
    pub(crate) async fn run(&self, model: &Model, more: &[&str]) -> String {
        (self.client.configure)(&self.home(), &model.address);
        let (first, rest) = self.client.arguments.split_at(1);
        let mut program = Program::new(&self.program);
        program = program.args(first).args(more).args(rest).cwd(self.workspace()).deadline(PATIENCE);
        for (name, value) in self.environment(Some(model)) {
            program = program.env(name, value);
        }
        let ended = tokio::task::spawn_blocking(move || program.run()).await.unwrap().unwrap();
        let output = format!("{}\n{}", ended.stdout.text(), ended.stderr.text());
        assert!(ended.status.success(), "{output}");
        output
    }
}

/// The client's program, from a folder that later runs find again.
fn install(client: &Client) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(client.package.replace(['/', '@'], "_"));
    let program = folder.join("node_modules/.bin").join(client.name);
    if program.exists() {
        return Ok(program);
    }
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    // Built beside its place, so that a run that was cut off leaves nothing half done.
    let fresh = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
    let ended = Program::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .args([fresh.path().as_os_str(), client.package.as_ref()])
        .deadline(Duration::from_secs(300))
        .run()
        .map_err(|error| error.to_string())?;
    if !ended.status.success() {
        return Err(ended.stderr.text().lines().last().unwrap_or("npm failed").to_owned());
    }
    let _ = std::fs::remove_dir_all(&folder);
    match std::fs::rename(fresh.keep(), &folder) {
        // Another test was faster.
        Err(_) if program.exists() => Ok(program),
        Err(error) => Err(error.to_string()),
        Ok(()) => Ok(program),
    }
}
