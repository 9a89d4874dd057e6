//! `hookspec chat`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use hookspec::points::{EndReason, TurnOutcome};
use hookspec::registry::Plugin;
use hookspec::session::{Clock, InterruptReason};
use hookspec::{Hooks, Message};
use hookspec_agent::Agent;
use hookspec_agent::engine::{Begin, Limits, Opening, TurnEnd};
use hookspec_agent::log::new_id;
use hookspec_agent::models::ModelOptions;
use hookspec_agent::spawn::TokioSpawn;
use hookspec_builtins::cost_awareness;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::foreign;
use crate::hooks::{Asking, builder, lend};
use crate::others;
use crate::output::{self, BOLD, DIM, paint};
use crate::settings::{Common, Settings};
use crate::show::Show;

use super::CommandResult;
use super::list::in_shadow;

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// What to say first; several are said one after the other. Without any, you are asked.
    prompt: Vec<String>,
    /// The model, as provider/name: openai/…, anthropic/…, ollama/…, or replay:SCRIPT.jsonl.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The provider's address, for any endpoint that is compatible.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Go on with this session; the latest one where no name is given.
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    resume: Option<String>,
    /// The new session's name.
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    name: Option<String>,
    /// Ask nobody: what needs an answer is refused. End after the prompts.
    #[arg(long, short = 'n')]
    non_interactive: bool,
    /// Confirm everything beforehand.
    #[arg(short = 'y', long)]
    yes: bool,
    /// Refuse to begin while anything of the configuration is not in force: files and scripts that are not
    /// trusted, entries that cannot be used, hooks that can never run.
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, thiserror::Error)]
enum ChatError {
    #[error("the session was not begun, since not everything of the configuration is in force: {0}")]
    NotInForce(String),
    #[error("there is no prompt, and with --non-interactive nobody is asked for one; give one")]
    NoPrompt,
    #[error("there is no session to resume in {0}")]
    NothingToResume(PathBuf),
    #[error("there is no session `{session}` in {logs}{hint}")]
    NoSession { session: String, logs: PathBuf, hint: String },
}

impl Chat {
    pub(crate) fn run(&self, common: &Common, plugins: &[&'static Plugin]) -> CommandResult {
        if self.non_interactive && self.prompt.is_empty() {
            return Err(ChatError::NoPrompt.into());
        }
        let settings = Settings::load(common)?;
        let asking = Asking::choose(self.non_interactive, self.yes);
        let mut builder = builder(&settings, common, plugins, asking);
        if self.strict {
            let mut warnings = settings.warnings.clone();
            warnings.extend(others::warnings(&settings, &others::read(&settings)?));
            if !warnings.is_empty() {
                return Err(ChatError::NotInForce(warnings.join("; ")).into());
            }
            builder = builder.strict(true);
        }
        let registry = builder.build()?;
        for warning in &registry.report().warnings {
            output::warning(warning);
        }
        if let Some(tried) = in_shadow(&registry.list()) {
            output::warning(format!("in shadow: {tried}"));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let code = runtime.block_on(self.talk(registry, &settings))?;
        // A thread that still reads standard input must not hold up the end.
        runtime.shutdown_background();
        Ok(code)
    }

    fn begin(&self, settings: &Settings) -> Result<Begin, Box<dyn std::error::Error>> {
        match self.resume.as_deref() {
            None => Ok(Begin::New(self.name.clone().unwrap_or_else(|| new_id(jiff::Timestamp::now())))),
            Some("") => {
                let sessions = hookspec_agent::log::list(&settings.paths.logs_dir)?;
                let latest = sessions.into_iter().next();
                latest
                    .map(|session| Begin::Resume(session.id))
                    .ok_or_else(|| ChatError::NothingToResume(settings.paths.logs_dir.clone()).into())
            }
            Some(id) => {
                let logs = settings.paths.logs_dir.clone();
                if !logs.join(id).is_dir() {
                    let mut hint = super::trace::nearest(id, &logs);
                    if self.prompt.is_empty() {
                        hint.push_str("; if it was meant as a prompt, put it before --resume");
                    }
                    return Err(ChatError::NoSession { session: id.to_owned(), logs, hint }.into());
                }
                Ok(Begin::Resume(id.to_owned()))
            }
        }
    }

    async fn talk(&self, registry: hookspec::Registry, settings: &Settings) -> CommandResult {
        let hooks = match TokioSpawn::current() {
            Some(spawn) => Hooks::with_spawn(registry, Arc::new(spawn)),
            None => Hooks::new(registry),
        };
        let defaults = Limits::default();
        let opening = Opening {
            hooks,
            begin: self.begin(settings)?,
            logs: settings.paths.logs_dir.clone(),
            workspace: settings.workspace.clone(),
            model: self.model.clone().or_else(|| settings.agent.model.clone()),
            model_options: ModelOptions {
                base_url: self.base_url.clone().or_else(|| settings.agent.base_url.clone()),
                ..ModelOptions::default()
            },
            frontend: Arc::new(Show::default()),
            limits: Limits {
                steps: settings.agent.steps.unwrap_or(defaults.steps),
                retries: settings.agent.retries.unwrap_or(defaults.retries),
                ..defaults
            },
            clock: Clock::system(),
            observer: None,
        };
        let agent = Agent::open(opening, |session| lend(session, settings)).await?;
        output::note(paint(
            DIM,
            format!("session {} · model {}", agent.session().id(), agent.session().model()),
        ));
        let person = self.prompt.is_empty() && !self.non_interactive;
        let mut talk = Talk { agent, signals: Signals::new()?, ending: None, failed: false };
        for prompt in &self.prompt {
            talk.turn(prompt).await;
        }
        if person {
            talk.converse().await;
        }
        let Talk { agent, ending, failed, .. } = talk;
        let summary = cost_awareness::summary(agent.session());
        agent.end(ending.unwrap_or(EndReason::Exit)).await;
        if let Some(summary) = summary {
            output::note(paint(DIM, summary));
        }
        Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }
}

/// An open session and what the user's signals do to it.
struct Talk {
    agent: Agent,
    signals: Signals,
    /// Set once the session is to end.
    ending: Option<EndReason>,
    failed: bool,
}

impl Talk {
    /// One turn. Ctrl-C ends the turn, a second one or SIGTERM the session.
    async fn turn(&mut self, prompt: &str) {
        if self.ending.is_some() {
            return;
        }
        let session = self.agent.session().clone();
        let end = {
            let mut turn = std::pin::pin!(self.agent.prompt(Message::user(prompt)));
            loop {
                tokio::select! {
                    end = &mut turn => break end,
                    _ = self.signals.interrupt.recv() => {
                        if session.interrupted().is_some() {
                            self.ending = Some(EndReason::Exit);
                        }
                        session.interrupt(InterruptReason::User);
                    }
                    _ = self.signals.terminate.recv() => {
                        self.ending = Some(EndReason::Shutdown);
                        session.interrupt(InterruptReason::Shutdown);
                    }
                }
            }
        };
        match end {
            TurnEnd::Refused { .. }
            | TurnEnd::NotStored { .. }
            | TurnEnd::Rested(TurnOutcome::Error | TurnOutcome::StepLimit) => {
                self.failed = true;
            }
            TurnEnd::Rested(TurnOutcome::Interrupted) => self.failed = true,
            TurnEnd::Rested(_) => {}
        }
        if let Some(reason) = self.agent.ending() {
            output::note(format!("the session was ended by a hook: {}", foreign::line(reason)));
            self.ending.get_or_insert(EndReason::Complete);
        }
    }

    /// Asks for prompts until the input, the user or a signal ends it.
    async fn converse(&mut self) {
        output::note(paint(DIM, "/help shows the commands; Ctrl-D ends"));
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while self.ending.is_none() {
            output::raw(&paint(BOLD, "\n> "));
            let line = tokio::select! {
                line = lines.next_line() => line,
                _ = self.signals.interrupt.recv() => { self.broken_off(EndReason::Exit); break }
                _ = self.signals.terminate.recv() => { self.broken_off(EndReason::Shutdown); break }
            };
            match line {
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) if line.starts_with('/') => self.command(line.trim()).await,
                Ok(Some(line)) => self.turn(&line).await,
                Ok(None) => {
                    output::raw("\n");
                    break;
                }
                Err(error) => {
                    output::note(format!("the input cannot be read: {error}"));
                    break;
                }
            }
        }
        // What a person saw fail is not the program's failure.
        self.failed = false;
    }

    /// The session ends while the cursor stands behind `> `: what is said next begins a line.
    fn broken_off(&mut self, reason: EndReason) {
        output::raw("\n");
        self.ending = Some(reason);
    }

    async fn command(&mut self, line: &str) {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            "/exit" | "/quit" => self.ending = Some(EndReason::Exit),
            "/undo" => match self.agent.undo().await {
                Ok(gone) => output::note(format!("{gone} messages were taken back")),
                Err(error) => output::error(&error),
            },
            "/model" if rest.is_empty() => output::note(self.agent.session().model()),
            "/model" => match self.agent.set_model(rest.trim()).await {
                Ok(()) => output::note(format!("the model is {} now", rest.trim())),
                Err(error) => output::error(&error),
            },
            "/hooks" => {
                for row in self.agent.session().hooks().list().iter().filter(|row| row.on) {
                    output::line(format!("  {} at {}", row.info.name, row.info.point.wire));
                }
            }
            _ => {
                if name != "/help" {
                    output::note(format!("there is no command {}", foreign::line(name)));
                }
                output::note(
                    "/undo takes back the last turn · /model NAME changes the model · /hooks lists the hooks · /exit ends",
                );
            }
        }
    }
}
