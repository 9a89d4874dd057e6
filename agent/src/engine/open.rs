//! Opening a session: log, states, system prompt, and calls that a crash left without a result.

use std::path::PathBuf;
use std::sync::Arc;

use hookspec::points::{SESSION_START, StartReason};
use hookspec::session::{Clock, LogFault, SessionBuilder};
use hookspec::timeline::Observer;
use hookspec::{Hooks, Message, Role, Session, fire};

use crate::log::{Chat, Conversation, ConversationConfig, Loaded, LogError, Storage};
use crate::models::{Model, ModelError, ModelOptions};
use crate::tools::Changes;

use super::opened::Opened;
use super::sink::Sink;
use super::{Agent, Frontend, Limits, Queue, TimelineFile};

/// Where a session's conversation comes from.
#[derive(Clone, Debug)]
pub enum Begin {
    /// A new conversation of this id.
    New(String),
    /// The conversation of this id, as it was left.
    Resume(String),
    /// A new conversation of this id that begins with these messages of another.
    Fork(String, Vec<Message>),
    /// A conversation that the host keeps in a place of its own.
    Stored {
        /// The place.
        storage: Arc<dyn Storage>,
        /// What it holds.
        loaded: Box<Loaded>,
        /// Why it is opened.
        reason: StartReason,
    },
}

/// What a session needs to be opened.
#[derive(Debug)]
pub struct Opening {
    /// The hooks and tools.
    pub hooks: Hooks,
    /// The conversation.
    pub begin: Begin,
    /// The folder of all conversations.
    pub logs: PathBuf,
    /// The directory tree that the agent works in.
    pub workspace: PathBuf,
    /// The model, as `provider/name`. A resumed session keeps its own where this is `None`.
    pub model: Option<String>,
    /// Keys and addresses of models.
    pub model_options: ModelOptions,
    /// How to show what happens.
    pub frontend: Arc<dyn Frontend>,
    /// How far the engine goes.
    pub limits: Limits,
    /// The time as hooks see it.
    pub clock: Clock,
    /// Told of every point and hook, in place of the session's own `timeline.jsonl`.
    pub observer: Option<Arc<dyn Observer>>,
}

/// A session that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Its log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Its log cannot be written.
    #[error(transparent)]
    NotStored(#[from] LogFault),
    /// Its model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Its workspace.
    #[error("the workspace {path} cannot be used: {source}; give an existing directory")]
    Workspace {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No model is known.
    #[error("no model was named; give one with --model, or set `model` in `[agent]` of hookspec.toml")]
    NoModel,
}

impl Agent {
    /// Opens a session and fires `SESSION_START`.
    ///
    /// `extend` may add to the session what hooks of this host need (a terminal, for one), and [`Prices`](super::Prices).
    ///
    /// # Errors
    /// If the log cannot be read or is open elsewhere, the model is unknown, or the workspace is unusable.
    pub async fn open(
        opening: Opening,
        extend: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Result<Self, OpenError> {
        let Opening {
            hooks,
            begin,
            logs,
            workspace,
            model,
            model_options,
            frontend,
            limits,
            clock,
            observer,
        } = opening;
        let workspace = workspace
            .canonicalize()
            .and_then(|path| std::fs::read_dir(&path).map(|_| path))
            .map_err(|source| OpenError::Workspace { path: workspace.clone(), source })?;
        let config = ConversationConfig {
            chat: Chat { model: model.clone(), workspace: Some(workspace.clone()), ..Chat::default() },
            ..ConversationConfig::default()
        };
        // A new session is begun only once its model can be had: a misspelt name leaves no empty one behind.
        let is_new = matches!(begin, Begin::New(_) | Begin::Fork(..));
        let opened = match &model {
            Some(model) => Some(crate::models::open(model, &model_options)?),
            None if is_new => return Err(OpenError::NoModel),
            None => None,
        };
        let fresh = |messages| Loaded { messages, config: config.clone(), ..Loaded::default() };
        let (storage, loaded, reason): (Arc<dyn Storage>, _, _) = match begin {
            Begin::New(id) => {
                (Arc::new(Conversation::create(&logs, &id, &config)?), fresh(Vec::new()), StartReason::New)
            }
            Begin::Fork(id, messages) => {
                let conversation = Conversation::create(&logs, &id, &config)?;
                for message in &messages {
                    conversation.append(&mut message.clone())?;
                }
                (Arc::new(conversation), fresh(messages), StartReason::Fork)
            }
            Begin::Resume(id) => {
                let (conversation, loaded) = Conversation::open(&logs, &id)?;
                for warning in &loaded.warnings {
                    frontend.notice(&warning.to_string());
                }
                (Arc::new(conversation), loaded, StartReason::Resume)
            }
            Begin::Stored { storage, loaded, reason } => (storage, *loaded, reason),
        };
        let Loaded { messages: loaded, state: states, config, .. } = loaded;
        let model = model.or_else(|| config.chat.model.clone()).ok_or(OpenError::NoModel)?;
        let opened = match opened {
            Some(opened) => opened,
            None => crate::models::open(&model, &model_options)?,
        };
        let path = storage.timeline_path().filter(|_| observer.is_none());
        let timeline = match path {
            None => None,
            Some(path) => match TimelineFile::open(&path) {
                Ok(file) => Some(Arc::new(file)),
                Err(error) => {
                    frontend.notice(&format!("no timeline is kept: {error}"));
                    None
                }
            },
        };
        let sink = Sink::new(Arc::clone(&storage), Arc::clone(&frontend));
        let notices = Arc::clone(&frontend);
        let mut builder = Session::builder(&hooks, storage.id())
            .notices(move |text| notices.notice(text))
            .workspace(&workspace)
            .model(&model)
            .clock(clock)
            .states(states)
            .extension(Arc::new(Changes::default()))
            .log(loaded.clone(), Some(Box::new(sink)));
        let kept = timeline.clone().map(|file| file as Arc<dyn Observer>);
        if let Some(observer) = observer.or(kept) {
            builder = builder.observer(observer);
        }
        let session = extend(builder).build();
        let mut agent = Self {
            session,
            storage,
            frontend,
            models: Opened::new(&model, Arc::clone(&opened), model_options),
            known_model: model,
            limits,
            queue: Queue::default(),
            posted: Vec::new(),
            unstored: false,
            ending: None,
            ended: false,
            timeline,
        };
        if let Err(fault) = agent.begin(&*opened, reason, &loaded).await {
            agent.ended = true; // it has not begun
            return Err(fault.into());
        }
        Ok(agent)
    }

    async fn begin(
        &mut self,
        model: &dyn Model,
        reason: StartReason,
        loaded: &[Message],
    ) -> Result<(), LogFault> {
        let resumed = reason == StartReason::Resume;
        model.skip_to(loaded.iter().filter(|m| m.role == Role::Assistant).count());
        let registry = self.session.hooks().load();
        // Also where a session was to begin and its prompt could not be stored.
        if loaded.is_empty() {
            let prompt = crate::tools::system_prompt(&registry, model, &self.session);
            self.session.append(prompt.hidden())?;
        }
        for answer in crate::log::close_unanswered(loaded, |name| registry.tools().get(name).is_some()) {
            self.session.append(answer)?;
        }
        self.session.flush().await?;
        let initial = self.session.log().to_messages();
        let fired = fire!(self.session, SESSION_START { resumed, reason, initial: &initial }).await;
        self.after(&fired).await;
        // What hooks said is not what the session stands on: the user is told.
        let _ = self.stored().await;
        Ok(())
    }
}
