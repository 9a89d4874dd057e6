//! What the user trusts, for hooks that run what a file of the folder names.

use std::path::Path;

use hookspec_agent::paths::Paths;
use hookspec_bridge::command::Line;
use hookspec_bridge::trust::{Standing, Subject};
use hookspec_process::consent::{Asked, Consent};

use crate::settings::store;

/// The files of a workspace about which a built-in asks, as what may be trusted.
pub(crate) fn subjects(workspace: &Path) -> Vec<Subject> {
    let file = hookspec_builtins::precommit::configuration(workspace);
    file.and_then(|file| Asked::about(&file).ok()).map(|asked| subject(&asked)).into_iter().collect()
}

fn subject(asked: &Asked) -> Subject {
    Subject {
        file: asked.file.clone(),
        part: "the programs that it names".to_owned(),
        text: asked.text.clone(),
        // As words: of what is no command one cannot tell what it writes to.
        commands: asked.commands.iter().map(|line| Line::Words(vec![line.clone()])).collect(),
        variables: Vec::new(),
        cwd: asked.folder.clone(),
    }
}

/// Looks up each time what the user trusts, and compares it with what is there.
pub(crate) fn consent() -> Consent {
    Consent::new(|asked| {
        let (subject, file) = (subject(asked), asked.file.display());
        let print = subject.fingerprint().map_err(|error| error.to_string())?;
        let paths = Paths::discover().map_err(|error| error.to_string())?;
        let grants = store(&paths).load().map_err(|error| error.to_string())?;
        match grants.standing(&subject, &print) {
            Standing::Trusted => Ok(()),
            Standing::Changed => Err(format!(
                "{file}, or a file that it names, has changed since you trusted it; look at it with `hookspec trust`"
            )),
            Standing::New => Err(format!(
                "{file} comes with the folder, and you have not trusted it yet; look at it with `hookspec trust`"
            )),
        }
    })
}
