//! What stands in for the settings of hooks without the feature `config`: no hook takes any.

/// There is none.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum SettingsSpec {}

impl SettingsSpec {
    pub(crate) fn id(&self) -> std::any::TypeId {
        match *self {}
    }
}

/// Of no hook.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllSettings;
