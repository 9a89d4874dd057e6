//! `hookspec tour`: a scripted session with hooks at work, told in five scenes.
//!
//! The model is a script; everything else is real: the engine, the tools, the hooks, the workspace (a
//! temporary git repository), the linter (an example plugin, pointed at a small script), and another
//! agent's process (a stand-in that only sleeps, under a name that `workspace_agents` knows).
//!
//! The session runs at once, in a fraction of a second, and is then told from its log and its timeline. At a terminal the
//! telling waits for a key between the scenes; whoever reads through a pipe gets all of it.

mod hooks;
mod pause;
mod scenes;
mod stage;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use hookspec::points::EndReason;
use hookspec::registry::Plugin;
use hookspec::session::Clock;
use hookspec::timeline::TimelineEntry;
use hookspec::{Config, Hooks, Message, Mode, Registry};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Limits, Opening, Silent};
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;

use crate::output::{self, BOLD, DIM, paint};
use crate::screen::behind;
use crate::settings::{Common, Settings};

use super::CommandResult;
use pause::Pause;
use stage::Stage;

#[derive(Debug, Args)]
pub(crate) struct Tour {
    /// Do not wait for a key between the scenes.
    #[arg(long)]
    no_pause: bool,
}

const HOOKS: [&str; 5] = ["tour", "linter", "time_awareness", "workspace_agents", "cwd_tracking"];
const PROMPT: &str = "Write greet.py, tidy up the settings, and look around.";

/// A session that has ended.
struct Played {
    log: Vec<Arc<Message>>,
    entries: Vec<TimelineEntry>,
}

impl Tour {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        let stage = Stage::build()?;
        let mut config = Config::new();
        config.add_toml("the tour's settings", &stage.config(), &[])?;
        let registry = hooks::register(Registry::builder())
            .plugins(plugins.iter().copied())
            .config(config)
            .allow(HOOKS)
            .mode(Mode::Cli)
            .no_confirm(true)
            .fires(hookspec_agent::FIRES.iter().copied())
            .build()?;
        // Where there is no home to write to, the session is gone with the stage; the tour goes on.
        let logs = Settings::load(common).ok().map(|settings| settings.paths.logs_dir);
        let logs =
            logs.filter(|logs| std::fs::create_dir_all(logs).is_ok() && tempfile::tempfile_in(logs).is_ok());
        let kept = logs.is_some();
        let logs = logs.unwrap_or_else(|| stage.folder("logs"));
        let mut id = format!("tour-{}", jiff::Timestamp::now().strftime("%Y-%m-%d-%H%M%S"));
        // Another tour of this second.
        while logs.join(&id).exists() {
            id.push('b');
        }

        // A panic is part of the show, which tells it.
        std::panic::set_hook(Box::new(|_| {}));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let played = runtime.block_on(play(registry, &stage, logs, id.clone()))?;
        let _ = std::panic::take_hook();
        let scenes = scenes::of(&played.log, &played.entries, &stage.workspace());
        // What follows may be cut off (`| head`), which ends the program at once.
        drop(stage);

        let pause = Pause::new(!self.no_pause);
        output::line(paint(BOLD, "A scripted session, with hooks at work"));
        output::line(behind(
            "The model is a script. The engine, the tools, the hooks and the workspace, a temporary folder, are real.",
            0,
        ));
        for (at, scene) in scenes.iter().enumerate() {
            title(at + 1, scene.title);
            output::line(paint(DIM, behind(scene.staged, 0)));
            output::line("");
            scene.lines.iter().for_each(output::line);
            if !pause.wait() {
                scenes::next(kept);
                return Ok(ExitCode::SUCCESS);
            }
        }
        title(scenes.len() + 1, "Which hook ran when");
        output::line(paint(
            DIM,
            behind("The timeline of this session, without the hooks that had nothing to say.", 0),
        ));
        output::line("");
        super::trace::print_speaking(&id, &played.entries);
        pause.wait();
        scenes::next(kept);
        Ok(ExitCode::SUCCESS)
    }
}

fn title(number: usize, text: &str) {
    output::line(format!("\n{}", paint(BOLD, format!("{number} of 5 · {text}"))));
}

async fn play(
    registry: Registry,
    stage: &Stage,
    logs: std::path::PathBuf,
    id: String,
) -> Result<Played, Box<dyn std::error::Error>> {
    let hooks = match TokioSpawn::current() {
        Some(spawn) => Hooks::with_spawn(registry, Arc::new(spawn)),
        None => Hooks::new(registry),
    };
    let mut agent = Agent::open(
        Opening {
            hooks,
            begin: Begin::New(id.clone()),
            logs: logs.clone(),
            workspace: stage.workspace(),
            model: Some(format!("replay:{}", stage.script().display())),
            model_options: ModelOptions::default(),
            frontend: Arc::new(Silent),
            limits: Limits::default(),
            clock: Clock::shifted(),
            observer: None,
        },
        |builder| builder,
    )
    .await?;
    agent.prompt(Message::user(PROMPT)).await;
    let log = agent.session().log().iter().cloned().collect();
    agent.end(EndReason::Complete).await;
    let text = std::fs::read_to_string(logs.join(&id).join("timeline.jsonl"))?;
    let entries = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ok(Played { log, entries })
}
