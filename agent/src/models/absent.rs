//! In place of `providers` in a program that was built without them: their specs are known, and refused by name.

use std::sync::Arc;

use super::{Model, ModelError, ModelOptions};

/// Nothing to share: no model of this program has connections.
#[derive(Clone, Debug, Default)]
pub struct Connections(());

pub(super) fn open(
    spec: &str,
    _provider: &str,
    _name: &str,
    _options: &ModelOptions,
    _env: &dyn Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Model>, ModelError> {
    Err(ModelError::NotBuilt { spec: spec.into() })
}

#[cfg(test)]
mod tests {
    use crate::models::{ModelError, ModelOptions, open};

    #[test]
    fn a_provider_that_is_not_built_in_is_told_from_one_that_is_not_known() {
        let error = open("ollama/llama3.2", &ModelOptions::default()).unwrap_err();
        assert!(matches!(error, ModelError::NotBuilt { .. }), "{error}");
        let error = open("olama/llama3.2", &ModelOptions::default()).unwrap_err();
        assert!(matches!(error, ModelError::UnknownModel { .. }), "{error}");
    }
}
