//! The switches of this process: the one thing here that belongs to no session.
//!
//! A port of the machine and a child of the process are the same for all sessions, and hooks are plain functions that get
//! nothing but the session. So the process has one switch for each file of local models, made when it is first asked for. A host, or a
//! test, that lends its sessions a [`Switch`] of its own never comes here.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hookspec::Session;

use crate::keeper::Times;
use crate::llm_switch::Settings;
use crate::source;
use crate::switch::Switch;

static SWITCHES: Mutex<BTreeMap<std::path::PathBuf, Arc<Switch>>> = Mutex::new(BTreeMap::new());

/// The session's switch; `None` where there is no file of local models.
pub(crate) fn switch_of(session: &Session, settings: &Settings) -> Option<Arc<Switch>> {
    session.extension::<Switch>().or_else(|| shared(&source::file(settings.file.as_deref())?))
}

fn shared(file: &Path) -> Option<Arc<Switch>> {
    let mut switches = SWITCHES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(switch) = switches.get(file) {
        return Some(Arc::clone(switch));
    }
    // Without a file there is nothing to keep, and no thread for it.
    if !file.exists() {
        return None;
    }
    match Switch::new(file, source::place(), Times::default()) {
        Ok(switch) => {
            let switch = Arc::new(switch);
            switches.insert(file.to_owned(), Arc::clone(&switch));
            Some(switch)
        }
        Err(error) => {
            tracing::error!(%error, "no thread can be started for the local models");
            None
        }
    }
}
