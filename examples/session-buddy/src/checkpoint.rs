//! Checkpoints: measured, asked for at a gate, committed if wanted, kept, told.
//!
//! The tool and the command call one function, [`take`]: the workspace is measured, `PRE_CHECKPOINT` decides with the score
//! in hand, and only then is anything committed or stored. A refusal is kept too, with its reason, and is all that
//! happens. `POST_CHECKPOINT` has the session's timeline since the last checkpoint, so that there is something to learn
//! from; what fails there never fails the checkpoint.

use hookspec::ask::{Answer, ElicitKind, Elicitation};
use hookspec::points::ELICIT;
use hookspec::spawn::BlockingError;
use hookspec::tool::ToolError;
use hookspec::{Gate, Session, fire, hook, tool};
use jiff::Timestamp;
use rusqlite::params;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::git::{Git, GitError};
use crate::ordering::rank;
use crate::points::{POST_CHECKPOINT, PRE_CHECKPOINT, QUALITY_MEASURE};
use crate::quality::Quality;
use crate::settings::{Commits, Settings};
use crate::store::{self, Store, StoreError, millis};
use crate::timeline::Moment;

/// A checkpoint as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoint {
    /// Its number.
    #[serde(default)]
    pub id: i64,
    /// The session.
    pub session: String,
    /// The workspace.
    pub project: String,
    /// When.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// What it is called.
    pub label: Option<String>,
    /// 0 to 100.
    pub score: u8,
    /// How that came about.
    pub quality: Quality,
    /// The commit that was made for it.
    pub commit: Option<String>,
    /// The tag.
    pub tag: Option<String>,
    /// Why it was refused, if it was.
    pub refused: Option<String>,
}

/// What a checkpoint is to be.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// What to call it, in a few words.
    #[serde(default)]
    pub label: Option<String>,
    /// Commit what changed, with this message; only if the user asked for a commit.
    #[serde(default)]
    pub commit: Option<String>,
    /// Tag the commit with this name; only if the user asked for a tag.
    #[serde(default)]
    pub tag: Option<String>,
}

/// A checkpoint that was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A hook refused.
    #[error("The checkpoint was refused by `{hook}`: {reason}")]
    Refused {
        /// The hook.
        hook: String,
        /// Why.
        reason: String,
    },
    /// There is nothing to measure.
    #[error("The session has no workspace that could be measured.")]
    NoWorkspace,
    /// Nobody measured it.
    #[error(
        "The quality was not measured: the hook `buddy.measure` is off or failed ({0}). Switch it on, or raise `measure_s` in [hooks.buddy]."
    )]
    NotMeasured(String),
    /// Nobody agreed to the commit.
    #[error(
        "Nobody agreed to the commit or the tag, so there is no checkpoint. Ask for one without them, or set `commits = \"yes\"` in [hooks.buddy]."
    )]
    NotAgreed,
    /// Git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// No thread for it.
    #[error(transparent)]
    Blocking(#[from] BlockingError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes a checkpoint of the work: measures the workspace's quality (0 to 100) and keeps it; refused below the minimum.
#[tool]
async fn checkpoint(args: Wanted, session: &Session) -> Result<String, ToolError> {
    if args.commit.is_some() || args.tag.is_some() {
        let allowed = match session.settings::<Settings>().commits {
            Commits::Yes => true,
            Commits::No => false,
            Commits::Ask => agreed(session, "Make a git commit or tag for this checkpoint?".to_owned()).await,
        };
        if !allowed {
            return Err(ToolError::Denied(CheckpointError::NotAgreed.to_string()));
        }
    }
    match take(session, args).await {
        Ok(made) => Ok(told(&made)),
        Err(error @ CheckpointError::Refused { .. }) => Err(ToolError::Denied(error.to_string())),
        Err(error) => Err(ToolError::Failed(error.to_string())),
    }
}

/// A checkpoint in words.
#[must_use]
pub fn told(made: &Checkpoint) -> String {
    let mut text = format!("Checkpoint {}", made.id);
    if let Some(label) = &made.label {
        text.push_str(&format!(" ({label})"));
    }
    text.push_str(&format!(". {}", made.quality.sentence()));
    if let Some(commit) = &made.commit {
        text.push_str(&format!(" Commit {commit}."));
    }
    if let Some(tag) = &made.tag {
        text.push_str(&format!(" Tag {tag}."));
    }
    text
}

/// Makes a checkpoint.
///
/// # Errors
/// If it is refused, or something that it needs fails; then nothing is committed and none is kept.
pub async fn take(session: &Session, wanted: Wanted) -> Result<Checkpoint, CheckpointError> {
    let workspace = session.workspace().ok_or(CheckpointError::NoWorkspace)?;
    let mut fired = fire!(session, QUALITY_MEASURE { workspace }).await;
    let failed = fired.failures().first().map_or_else(|| "nobody answered".to_owned(), ToString::to_string);
    let (quality, _) = fired.take_answer().ok_or(CheckpointError::NotMeasured(failed))?;
    let label = wanted.label.as_deref();
    let score = quality.score;
    let fired = fire!(session, PRE_CHECKPOINT { label, score, quality: &quality }).await;
    let hook = fired.gate_hook().unwrap_or_default().to_owned();
    let refused = match fired.gate() {
        Some(Gate::Deny(reason)) => Some(reason.clone()),
        Some(Gate::Ask(reason)) if !agreed(session, format!("Make the checkpoint? {reason}")).await => {
            Some(format!("{reason} (nobody agreed)"))
        }
        _ => None,
    };
    let mut made = Checkpoint {
        id: 0,
        session: session.id().to_owned(),
        project: store::project(session),
        at: session.clock().now(),
        label: wanted.label.clone(),
        score,
        quality,
        commit: None,
        tag: None,
        refused,
    };
    let moment = Moment::Checkpoint { score, accepted: made.refused.is_none() };
    if let Some(reason) = made.refused.clone() {
        store::with(session, |store| store.keep_checkpoint(&made, &moment))?;
        return Err(CheckpointError::Refused { hook, reason });
    }
    commit(session, &wanted, &mut made).await?;
    let (id, history) = store::with(session, |store| {
        let mut history = store.history(session.id())?;
        history.push(moment.clone());
        Ok((store.keep_checkpoint(&made, &moment)?, history))
    })?;
    made.id = id;
    // What its hooks said is in the log; their failures are theirs.
    let _ = fire!(session, POST_CHECKPOINT { checkpoint: &made, history: &history }).await;
    Ok(made)
}

async fn commit(session: &Session, wanted: &Wanted, made: &mut Checkpoint) -> Result<(), CheckpointError> {
    if wanted.commit.is_none() && wanted.tag.is_none() {
        return Ok(());
    }
    let workspace = session.workspace().ok_or(GitError::None)?.to_owned();
    let files = store::with(session, |store| store.edited_files(session.id()))?;
    let Wanted { label, commit, tag } = wanted.clone();
    let work = move || -> Result<_, GitError> {
        let git = Git::at(&workspace).ok_or(GitError::None)?;
        let commit = commit.map(|message| git.commit(&files, &message)).transpose()?.flatten();
        if let Some(tag) = &tag {
            git.tag(tag, label.as_deref().unwrap_or(tag))?;
        }
        Ok((commit, tag))
    };
    (made.commit, made.tag) = session.blocking(work).await??;
    Ok(())
}

/// Whether somebody who is asked says yes.
async fn agreed(session: &Session, prompt: String) -> bool {
    let default = Some("no".to_owned());
    let request = Elicitation { kind: ElicitKind::Confirmation, prompt, default, ..Elicitation::default() };
    let fired = fire!(session, ELICIT { request: &request }).await;
    matches!(fired.answer(), Some(Answer::Text(text)) if text == "yes")
}

/// Refuses a checkpoint whose score is too low, and says what would raise it most.
#[hook(PRE_CHECKPOINT, name = "buddy.validate_quality", priority = rank(50, 0))]
fn validate_quality(score: u8, quality: &Quality, settings: &Settings) -> Option<Gate> {
    (score < settings.min_quality).then(|| {
        let remedies = quality.remedies(3);
        let remedies = if remedies.is_empty() {
            String::new()
        } else {
            format!(" What would raise it: {}.", remedies.join("; "))
        };
        Gate::deny(format!(
            "the quality score is {score}, and at least {} is asked for. {}{remedies}",
            settings.min_quality,
            quality.sentence()
        ))
    })
}

impl Store {
    /// Keeps a checkpoint, made or refused, and its moment. Gives its number.
    pub(crate) fn keep_checkpoint(&mut self, made: &Checkpoint, moment: &Moment) -> Result<i64, StoreError> {
        let (body, moment) = (serde_json::to_string(made)?, serde_json::to_string(moment)?);
        let at = millis(made.at);
        let change = self.change()?;
        change.execute(
            "INSERT INTO checkpoints (session, project, at, score, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![made.session, made.project, at, made.score, body],
        )?;
        let id = change.last_insert_rowid();
        change.execute(
            "INSERT INTO moments (session, at, body) VALUES (?1, ?2, ?3)",
            params![made.session, at, moment],
        )?;
        change.commit()?;
        Ok(id)
    }

    /// The last checkpoints, the newest first, refused ones too.
    ///
    /// # Errors
    /// As the database's.
    pub fn checkpoints(&self, project: Option<&str>, most: u32) -> Result<Vec<Checkpoint>, StoreError> {
        let mut query = self.connection.prepare(
            "SELECT id, body FROM checkpoints WHERE (?1 IS NULL OR project = ?1) ORDER BY id DESC LIMIT ?2",
        )?;
        let mut rows = query.query(params![project, most])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let kept: Checkpoint = serde_json::from_str(row.get_ref(1)?.as_str().unwrap_or_default())?;
            all.push(Checkpoint { id: row.get(0)?, ..kept });
        }
        Ok(all)
    }

    /// Files that a session changed, relative to its workspace.
    fn edited_files(&self, session: &str) -> Result<Vec<String>, StoreError> {
        let mut query = self
            .connection
            .prepare_cached("SELECT path FROM session_files WHERE session = ?1 ORDER BY path")?;
        let rows = query.query_map([session], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
