//! What stands in for reading the settings of hooks without the feature `config`: nobody wrote any.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use crate::machinery::config::Config;
use crate::plain::hook_info::Setting;
use crate::plain::json_settings::JsonSettings;
use crate::plain::report::Problem;
use crate::plain::settings::AllSettings;

use super::aliases::Aliases;
use super::listed::Listed;

/// The settings that a hook from outside declares: there are none.
pub(super) type Declared = (String, Arc<JsonSettings>);

#[derive(Default)]
pub(crate) struct Settings {
    pub(super) problems: Vec<Problem>,
    pub(super) foreign: Vec<Problem>,
}

impl Settings {
    pub(super) fn read(_: &[Listed], _: &[Declared], _: &Config, _: &Aliases) -> Self {
        Self::default()
    }

    pub(super) fn switched(&self, _: &str, _: Option<TypeId>) -> Option<Result<String, String>> {
        None
    }

    pub(super) fn into_shown(self) -> (AllSettings, HashMap<String, Vec<Setting>>) {
        (AllSettings, HashMap::new())
    }
}
