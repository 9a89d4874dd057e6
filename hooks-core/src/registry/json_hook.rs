//! Hooks whose point is known only at run time: they get the event as JSON and answer as JSON.
//!
//! A configuration file names a point; a program somewhere else answers. What comes back is checked against
//! the point's verdict when the hook has run, where the compiler would have checked it for `#[hook]`: a
//! refusal at a point that has no gate, or a value of the wrong shape, is a failure of that hook.
//!
//! Nothing about such a hook need be `'static` but its point: it is described with owned texts, and gone with its registry.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

#[cfg(feature = "config")]
use serde_json::{Map, Value};

use crate::declared::json_call::{JsonAsyncCall, JsonCall, JsonForm};
use crate::declared::untyped::Untyped;
#[cfg(feature = "config")]
use crate::plain::json_settings::JsonSettings;
use crate::plain::options::Options;

use super::any_point::AnyPoint;

/// A hook at a point that is chosen at run time.
///
/// ```
/// use std::sync::Arc;
/// use hookspec::{point::find_point, hooks::{JsonHook, JsonOutcome}, Message, Registry};
///
/// let Some(point) = find_point("file.save.post") else { return Ok(()) };
/// let hook = JsonHook::new(point, "audit.saved", Arc::new(|event, _session| {
///     let text = format!("saved {}", event["path"]);
///     Ok(JsonOutcome { messages: vec![Message::system(text)], ..JsonOutcome::default() })
/// }));
/// let registry = Registry::builder().register_json(hook).build()?;
/// assert!(registry.hook("audit.saved").is_some());
/// # Ok::<(), hookspec::registry::BuildError>(())
/// ```
#[derive(Clone)]
pub struct JsonHook {
    pub(super) point: &'static dyn AnyPoint,
    pub(super) hook: Untyped,
}

impl JsonHook {
    /// A hook of that name at that point.
    ///
    /// Called in place it cannot be cut off: a time limit needs
    /// [`Placement::Blocking`](crate::hooks::Placement), or a hook that is [async](Self::new_async). One that is given all the same is a
    /// warning in the registry's report.
    #[track_caller]
    pub fn new(point: &'static dyn AnyPoint, name: impl Into<String>, call: Arc<JsonCall>) -> Self {
        Self::of(point, name.into(), JsonForm::Now(call))
    }

    /// A hook that gives a future. It is cut off as an `async fn` is: at its time limit, in the chain or beside it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookspec::{point::find_point, hooks::{JsonHook, JsonOutcome}};
    ///
    /// let Some(point) = find_point("file.save.post") else { return };
    /// let hook = JsonHook::new_async(point, "audit.saved", Arc::new(|event, _session| {
    ///     Box::pin(async move {
    ///         println!("saved {}", event["path"]);
    ///         Ok(JsonOutcome::default())
    ///     })
    /// }));
    /// ```
    #[track_caller]
    pub fn new_async(
        point: &'static dyn AnyPoint,
        name: impl Into<String>,
        call: Arc<JsonAsyncCall>,
    ) -> Self {
        Self::of(point, name.into(), JsonForm::Later(call))
    }

    #[track_caller]
    pub(crate) fn of(point: &'static dyn AnyPoint, name: String, form: JsonForm) -> Self {
        Self { point, hook: Untyped::new(name, form) }
    }

    /// Its options. A hook that waits for something outside wants to be [async](Self::new_async), or
    /// [`Placement::Blocking`](crate::hooks::Placement), and a timeout.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.hook.options = options;
        self
    }

    /// The package that it comes from: lists may name it, and with it all its hooks.
    #[must_use]
    pub fn package(mut self, package: impl Into<Cow<'static, str>>) -> Self {
        self.hook.package = package.into();
        self
    }

    /// The module of that package.
    #[must_use]
    pub fn module(mut self, module: impl Into<Cow<'static, str>>) -> Self {
        self.hook.module = module.into();
        self
    }

    /// The settings that it takes, with their defaults: the keys of `[hooks.<group>]`, where the group is its name up to the
    /// first dot. What is in force comes with each [event](crate::hooks::JsonEvent::settings).
    ///
    /// A key of the table that nobody declared, and a value of another kind than the default (any, where the default is
    /// `null`), are errors when the registry is built. Hooks of one group declare together, and may not give one key two
    /// defaults. With a key `enabled` the hook is on or off by its settings.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookspec::hooks::{JsonHook, JsonOutcome};
    /// use hookspec::points::STEP_PRE;
    /// use hookspec::{Config, Hooks, Message, Registry, Session, fire_now};
    /// use serde_json::json;
    ///
    /// let defaults = [("greeting".to_owned(), json!("hello")), ("times".to_owned(), json!(1))].into_iter().collect();
    /// let hook = JsonHook::at(STEP_PRE, "greeter.step", Arc::new(|event, _session| {
    ///     let text = format!("{} {}", event.settings()["greeting"], event.settings()["times"]);
    ///     Ok(JsonOutcome { messages: vec![Message::system(text)], ..JsonOutcome::default() })
    /// }))
    /// .settings(defaults);
    ///
    /// let mut config = Config::new();
    /// config.add_toml("hookspec.toml", "[hooks.greeter]\ntimes = 3", &[])?;
    /// let registry = Registry::builder().linked(false).config(config).register_json(hook).build()?;
    /// let session = Session::builder(&Hooks::new(registry), "s").build();
    /// let fired = fire_now!(session, STEP_PRE { step: 0 });
    /// assert_eq!(fired.messages()[0].content, "\"hello\" 3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "config")]
    #[must_use]
    pub fn settings(mut self, defaults: Map<String, Value>) -> Self {
        self.hook.settings = Some(Arc::new(JsonSettings::new(defaults)));
        self
    }

    /// Keeps it from running, for this reason, whatever any list says: it is listed as off. For hooks that the
    /// user has yet to agree to.
    #[must_use]
    pub fn barred(mut self, why: impl Into<String>) -> Self {
        self.hook.barred = Some(why.into());
        self
    }

    /// Where it was written: a configuration file and a line of it. Lists and complaints show this instead of
    /// the place in the host's source.
    #[must_use]
    pub fn written_at(mut self, file: impl Into<String>, line: u32) -> Self {
        self.hook.place = Some((file.into(), line));
        self
    }

    /// What `list` shows of it.
    #[must_use]
    pub fn docs(mut self, docs: impl Into<Cow<'static, str>>) -> Self {
        self.hook.docs = docs.into();
        self
    }
}

impl fmt::Debug for JsonHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonHook")
            .field("point", &self.point.info().name)
            .field("name", &self.hook.name)
            .field("options", &self.hook.options)
            .finish_non_exhaustive()
    }
}
