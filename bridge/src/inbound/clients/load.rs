//! From files to hooks.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hookspec::Session;
use hookspec::hooks::{JsonEvent, JsonHook, JsonOutcome};

use super::action::{Action, Post};
use super::config::{self, File, Handler};
use super::run::{Ready, Set};
use super::{Dialect, points};
use crate::inbound::script::Place;
use crate::inbound::{Inbound, plain};
use crate::trust::{Grants, Standing, Subject};

/// The hooks of these files, of which those run that the user trusts. All of an agent's handlers for one event are one
/// hook, `claude.PreToolUse`, since they run at once; one that does not run is listed by itself.
/// `post` makes the requests of those that are addresses; without it they fail.
#[must_use]
pub fn load(files: &[File], place: &Place, grants: &Grants, post: Option<&Arc<Post>>) -> Inbound {
    let mut loaded = Inbound::default();
    let place = Arc::new(place.clone());
    let mut sets: BTreeMap<_, Vec<Ready>> = BTreeMap::new();
    let mut seen: Vec<(Dialect, String)> = Vec::new();
    let mut off = 0;
    for file in files {
        let read = config::read(file);
        loaded.complaints.extend(read.complaints);
        loaded.idle.extend(read.idle);
        for handler in read.handlers {
            // Claude Code runs what stands in several of its settings files once; a plugin's is its own.
            let same = (file.dialect, handler.text.clone());
            if file.dialect == Dialect::Claude && file.plugin.is_none() {
                if seen.contains(&same) {
                    continue;
                }
                seen.push(same);
            }
            let subject = subject(&handler, &place.workspace);
            let why = match subject.fingerprint() {
                Ok(print) => match grants.standing(&subject, &print) {
                    Standing::Trusted => {
                        loaded.subjects.push(subject.clone());
                        let key = (file.dialect, handler.event, handler.background);
                        sets.entry(key).or_default().push(Ready { handler, subject, print });
                        continue;
                    }
                    Standing::Changed => {
                        "it, or a file that it names, has changed since you trusted it".to_owned()
                    }
                    Standing::New => {
                        "it was written for another agent, and you have not trusted it yet".to_owned()
                    }
                },
                Err(error) => error.to_string(),
            };
            loaded.subjects.push(subject);
            off += 1;
            let why = format!("{why}; look at it with `hookspec trust`");
            let name = format!("{}.{}.{off:03}", file.dialect.group(), file.dialect.name_of(handler.event));
            loaded.hooks.extend(barred(file.dialect, &handler, &name, &why));
            loaded.waiting.entry(handler.file).or_default().push(name);
        }
    }
    for ((dialect, event, background), handlers) in sets {
        let set =
            Set { dialect, event, handlers, background, post: post.cloned(), place: Arc::clone(&place) };
        loaded.hooks.extend(points::hooks(set));
    }
    loaded
}

fn barred(dialect: Dialect, handler: &Handler, name: &str, why: &str) -> Option<JsonHook> {
    let point = hookspec::point::find_point(dialect.point_of(handler.event)?)?;
    let silent = Arc::new(|_: &JsonEvent, _: &Session| Ok(JsonOutcome::default()));
    let file = handler.file.display().to_string();
    Some({
        let docs = format!("Would run `{}`.", plain(&handler.action.to_string()));
        JsonHook::new(point, name, silent).barred(plain(why)).docs(docs).written_at(file, handler.line)
    })
}

/// The place in the file is no part of it: a handler that others are put before stays the same.
fn subject(handler: &Handler, workspace: &Path) -> Subject {
    let text = |path: &Path| path.display().to_string();
    let project = [("CLAUDE_PROJECT_DIR".to_owned(), text(workspace)), ("PWD".to_owned(), text(workspace))];
    let home = std::env::var("HOME").ok().map(|home| ("HOME".to_owned(), home));
    let plugin = handler
        .plugin
        .iter()
        .flat_map(|plugin| ["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"].map(|name| (name.to_owned(), text(plugin))));
    Subject {
        file: handler.file.canonicalize().unwrap_or_else(|_| handler.file.clone()),
        part: handler.text.lines().next().unwrap_or_default().trim().to_owned(),
        text: handler.text.clone(),
        commands: match &handler.action {
            Action::Run(command) => vec![command.line.clone()],
            Action::Post(_) => Vec::new(),
        },
        variables: project.into_iter().chain(home).chain(plugin).collect(),
        cwd: workspace.to_owned(),
    }
}
