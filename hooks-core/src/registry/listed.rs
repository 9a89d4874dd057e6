//! Linked hooks as data, before any selection.

use crate::declared::entry::Entry;
use crate::declared::point::Point;
use crate::plain::options::Options;
use crate::plain::point_info::PointInfo;
use crate::plain::settings::SettingsSpec;
use crate::plain::state_key::StateSpec;

/// A linked hook as data, before any selection: what `doctor` and the macros' tests look at.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed {
    /// Full name.
    pub name: String,
    /// The point.
    pub point: &'static PointInfo,
    /// The package.
    pub package: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Source line.
    pub line: u32,
    /// Its options.
    pub options: Options,
    pub(crate) settings: Option<SettingsSpec>,
    pub(crate) state: Option<StateSpec>,
}

impl Listed {
    pub(crate) fn of<P: Point>(entry: &Entry<P>) -> Self {
        Self {
            name: entry.origin().full_name(),
            point: P::INFO,
            package: entry.package,
            file: entry.file,
            line: entry.line,
            options: entry.options(),
            settings: entry.more().settings,
            state: entry.more().state,
        }
    }
}
