//! A hook whose point is known at run time, as it is before its point gives it its types.

use std::borrow::Cow;
use std::sync::Arc;

use crate::declared::entry::{Call, Hook};
use crate::declared::json_call::{JsonForm, JsonWork};
use crate::declared::point::Point;
use crate::plain::json_settings::JsonSettings;
use crate::plain::options::Options;
use crate::plain::point_info::PointInfo;
use crate::plain::report::Problem;

/// A hook without its point.
#[derive(Clone)]
#[allow(missing_debug_implementations)] // shown by who holds it, with its point
pub struct Untyped {
    pub(crate) name: String,
    pub(crate) package: Cow<'static, str>,
    pub(crate) module: Cow<'static, str>,
    pub(crate) docs: Cow<'static, str>,
    pub(crate) options: Options,
    pub(crate) barred: Option<String>,
    pub(crate) form: JsonForm,
    pub(crate) settings: Option<Arc<JsonSettings>>,
    pub(crate) at: &'static std::panic::Location<'static>,
    pub(crate) place: Option<(String, u32)>,
}

impl Untyped {
    #[track_caller]
    pub(crate) fn new(name: String, form: JsonForm) -> Self {
        Self {
            name,
            package: Cow::Borrowed(""),
            module: Cow::Borrowed(""),
            docs: Cow::Borrowed(""),
            options: Options::DEFAULT,
            barred: None,
            form,
            settings: None,
            at: std::panic::Location::caller(),
            place: None,
        }
    }

    /// Why it cannot listen at its point, whose events have no JSON.
    pub(crate) fn at_local_point(&self, point: &PointInfo) -> Problem {
        let place = match &self.place {
            Some((file, line)) => format!("{file}:{line}"),
            None => format!("{}:{}", self.at.file(), self.at.line()),
        };
        Problem::JsonAtLocalPoint { hook: self.name.clone(), point: point.wire, place }
    }

    /// The same hook with the point's types. Called by the point, which knows them.
    pub(crate) fn typed<P: Point>(self) -> Hook<P> {
        let work = JsonWork {
            form: self.form,
            point: P::INFO,
            #[cfg(feature = "config")]
            group: self.name.split('.').next().unwrap_or(&self.name).to_owned(),
            #[cfg(feature = "config")]
            settings: self.settings.clone(),
        };
        Hook {
            name: self.name,
            package: self.package,
            module: self.module,
            docs: self.docs,
            options: self.options,
            settings: self.settings,
            barred: self.barred,
            call: Call::Json(Arc::new(work)),
            on_error: None,
            at: self.at,
            place: self.place,
        }
    }
}
