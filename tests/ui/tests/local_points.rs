//! A `local` point carries what the host has, and what leaves the process is refused in words.
#![deny(warnings, missing_docs)]
#![allow(missing_debug_implementations)] // which is the point

use std::sync::Arc;

use hookspec::hooks::{JsonHook, JsonOutcome, Placement};
use hookspec::point::{Point, find_point};
use hookspec::registry::{LiveError, Problem};
use hookspec::{
    Around, Gate, Hook, Hooks, Options, Registry, Session, around_now, fire, fire_now, hook, hook_point,
};

/// Of the host's own: neither `Debug` nor `Clone`, and it holds what cannot be written down.
pub struct Editor {
    open: Vec<String>,
    ask: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

/// Behind a trait as well.
pub trait Shown: Sync {
    /// A title.
    fn title(&self) -> &str;
}

impl Shown for Editor {
    fn title(&self) -> &str {
        &self.open[0]
    }
}

/// A host's view, with a lifetime.
#[derive(Clone, Copy)]
pub struct View<'v>(&'v str);

hook_point! {
    /// Before a file is closed.
    pub CLOSE("editor.close", local, aliases = ["shut"]) -> Gate {
        /// The editor.
        editor: &Editor,
        /// Which file.
        index: usize,
    }

    /// A fold whose other fields are the host's own.
    pub TITLE("editor.title", local, transient) -> Fold<String> {
        /// The title.
        #[fold]
        title: &String,
        /// What it is of.
        of: &dyn Shown,
        /// Where it is shown.
        view: View<'_>,
        /// And where else.
        others: Option<&[Editor]>,
    }

    /// Around work on the host's own.
    pub RUN("editor.run", local) -> Around<String> {
        /// Which command, which hooks may change.
        #[fold]
        command: &String,
        /// Where.
        editor: &Editor,
    }

    /// Without any field.
    pub IDLE("editor.idle", local, sync) -> Messages {}
}

#[hook(CLOSE)]
fn unsaved(editor: &Editor, index: usize) -> Option<Gate> {
    (!(editor.ask)(&editor.open[index])).then(|| Gate::deny("unsaved"))
}

#[hook(CLOSE, priority = -1, once)]
async fn later(event: &Close<'_>, session: &Session) {
    assert_eq!(session.id(), "s");
    assert_eq!(event.editor.open.len(), 1);
}

#[hook(TITLE)]
fn longer(
    title: &String,
    of: &dyn Shown,
    view: View<'_>,
    others: Option<&[Editor]>,
) -> hookspec::Fold<String> {
    hookspec::Fold(format!("{title} – {} {}{}", of.title(), view.0, others.map_or(0, <[Editor]>::len)))
}

#[hook(RUN)]
fn quietly(next: RUN::Next<'_>, command: &String, editor: &Editor) -> Option<Around<String>> {
    assert_eq!(editor.open.len(), 1);
    let given = next.with(format!("{command} --quiet")).run_now().ok()?;
    Some(Around(format!("<{given}>")))
}

fn editor(answer: bool) -> Editor {
    Editor { open: vec!["a.rs".into()], ask: Box::new(move |_| answer) }
}

fn session(registry: Registry) -> Session {
    Session::builder(&Hooks::new(registry), "s").build()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(ready) = future.as_mut().poll(&mut cx) {
            return ready;
        }
        std::thread::yield_now();
    }
}

#[test]
fn hooks_get_the_hosts_own_type() {
    let session = session(Registry::builder().build().unwrap());
    let open = editor(false);
    let fired = block_on(async { fire!(session, CLOSE { editor: &open, index: 0 }).await });
    assert_eq!(fired.denied(), Some(("unsaved", "local_points.unsaved")));
    let open = editor(true);
    assert!(fire_now!(session, CLOSE { editor: &open, index: 0 }).denied().is_none());
    let more = [editor(true)];
    let (title, others) = ("t".to_owned(), Some(&more[..]));
    let mut fired = fire_now!(session, TITLE { title: &title, of: &open, view: View("left"), others });
    assert_eq!(fired.take_value().as_deref(), Some("t – a.rs left1"));
    assert!(fire_now!(session, IDLE {}).messages().is_empty());
    let command = "fmt".to_owned();
    let ran = around_now!(session, RUN { command: &command, editor: &open }, |event| event.command.clone());
    assert_eq!(ran.into_result().ok().as_deref(), Some("<fmt --quiet>"));
}

#[test]
fn it_is_listed_as_local_and_has_no_wire_form() {
    let session = session(Registry::builder().build().unwrap());
    for (name, json) in [("editor.close", r#"{"index":0}"#), ("editor.idle", "{}"), ("shut", "null")] {
        let point = find_point(name).unwrap();
        assert!(point.info().local);
        assert_eq!(point.schema(), None);
        let event: serde_json::Value = serde_json::from_str(json).unwrap();
        let why = "is a `local` point: its events hold what has no form outside of this process";
        let error = point.check_json(&event).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        let error = point.fire_json(&session, event).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert!(!find_point("file.save.post").unwrap().info().local);
    let event = Close { editor: &editor(true), index: 0 };
    assert_eq!(format!("{event:?}"), "Close { .. }");
    assert!(serde_json::to_value(event).unwrap_err().to_string().contains("`CLOSE` is a `local` point"));
    assert!(CLOSE::Point::own(&event).is_none());
}

#[test]
fn json_hooks_are_refused_in_words() {
    let point = find_point("editor.close").unwrap();
    let hook = || JsonHook::new(point, "x.far", Arc::new(|_, _| Ok(JsonOutcome::default())));
    let error = Registry::builder().register_json(hook().written_at("hooks.toml", 7)).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the hook `x.far` (hooks.toml:7) takes events as JSON, and those of `editor.close` have none: the point is `local`, for hooks in this program only"
    );
    let error = Registry::builder().register_json(hook()).register_json(hook()).build().unwrap_err();
    assert!(error.problems.iter().all(|problem| matches!(problem, Problem::JsonAtLocalPoint { .. })));
    assert_eq!(error.problems.len(), 2);
}

#[test]
fn hooks_that_need_a_copy_are_refused_when_they_are_registered() {
    for placement in [Placement::Blocking, Placement::Background] {
        let hook = || {
            let options = Options { placement, ..Options::DEFAULT };
            Hook::new(CLOSE, "x.copy", |_, _| ()).options(options)
        };
        let error = Registry::builder().register(hook()).build().unwrap_err().to_string();
        assert!(error.contains("`x.copy`") && error.contains("the point is `local`"), "{error}");
        // Off, it harms nobody.
        Registry::builder().register(hook()).disable(["x"]).build().unwrap();
        let hooks = Hooks::new(Registry::builder().build().unwrap());
        let error = hooks.register(hook());
        assert!(matches!(error, Err(LiveError::Refused(Problem::CopyAtLocalPoint { .. }))), "{error:?}");
    }
}
