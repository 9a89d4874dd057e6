//! The models of a session that are open.

use std::sync::Arc;

use crate::models::{Model, ModelError, ModelOptions};

use super::Agent;

/// So many are kept open: those that hooks switch between.
const MOST: usize = 8;

/// Models that are open, the one that was asked last in front.
#[derive(Debug)]
pub(super) struct Opened {
    all: Vec<One>,
    options: ModelOptions,
}

#[derive(Debug)]
struct One {
    /// What it was opened as: a model's own name may be written another way.
    spec: String,
    /// Where it was opened, if a hook said so.
    address: Option<String>,
    model: Arc<dyn Model>,
}

impl Opened {
    pub(super) fn new(spec: &str, model: Arc<dyn Model>, options: ModelOptions) -> Self {
        Self { all: vec![One { spec: spec.to_owned(), address: None, model }], options }
    }

    /// The model of that name, which is opened if it is not open.
    ///
    /// # Errors
    /// If there is no such model.
    pub(super) fn get(&mut self, spec: &str, address: Option<String>) -> Result<Arc<dyn Model>, ModelError> {
        let open = self.all.iter().position(|one| one.spec == spec && one.address == address);
        let one = match (open, &address) {
            (Some(open), _) => self.all.remove(open),
            (None, None) => {
                let model = crate::models::open(spec, &self.options)?;
                One { spec: spec.to_owned(), address, model }
            }
            (None, Some(at)) => {
                let model = crate::models::open_at(spec, at, &self.options)?;
                One { spec: spec.to_owned(), address, model }
            }
        };
        let model = Arc::clone(&one.model);
        self.all.insert(0, one);
        self.all.truncate(MOST);
        Ok(model)
    }

    /// Opens a model anew, also where it is open.
    ///
    /// # Errors
    /// If there is no such model.
    pub(super) fn reopen(&mut self, spec: &str) -> Result<(), ModelError> {
        let model = crate::models::open(spec, &self.options)?;
        self.all.retain(|one| one.spec != spec);
        self.all.insert(0, One { spec: spec.to_owned(), address: None, model });
        Ok(())
    }
}

impl Agent {
    /// The model that is wanted; opened when a hook, a tool or the user named another one for the first time.
    pub(super) fn current_model(&mut self, wanted: &str) -> Result<Arc<dyn Model>, ModelError> {
        let address = self.session.model_address(wanted);
        self.models.get(wanted, address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_stays_open_while_another_is_asked_and_is_opened_anew_on_demand() {
        let folder = tempfile::tempdir().unwrap();
        let spec = |name: usize| format!("replay:{}", folder.path().join(name.to_string()).display());
        for name in 0..=MOST {
            std::fs::write(folder.path().join(name.to_string()), "{\"text\":\"x\"}").unwrap();
        }
        let first = crate::models::open(&spec(0), &ModelOptions::default()).unwrap();
        let mut opened = Opened::new(&spec(0), Arc::clone(&first), ModelOptions::default());
        let second = opened.get(&spec(1), None).unwrap();
        assert!(Arc::ptr_eq(&first, &opened.get(&spec(0), None).unwrap()));
        assert!(Arc::ptr_eq(&second, &opened.get(&spec(1), None).unwrap()));
        assert!(opened.get("replay:/nowhere", None).is_err());
        assert!(Arc::ptr_eq(&first, &opened.get(&spec(0), None).unwrap()), "an error closes nothing");
        opened.reopen(&spec(0)).unwrap();
        assert!(!Arc::ptr_eq(&first, &opened.get(&spec(0), None).unwrap()));
        assert!(opened.reopen("replay:/nowhere").is_err());
        for name in 1..=MOST {
            opened.get(&spec(name), None).unwrap();
        }
        assert_eq!(opened.all.len(), MOST);
    }

    #[test]
    fn a_model_at_another_address_is_another_one() {
        let options = ModelOptions::default();
        let spec = "ollama/x";
        let Ok(here) = crate::models::open(spec, &options) else { return }; // built without providers
        let mut opened = Opened::new(spec, Arc::clone(&here), options);
        let there = opened.get(spec, Some("http://127.0.0.1:9".into())).unwrap();
        assert!(!Arc::ptr_eq(&here, &there));
        assert!(Arc::ptr_eq(&here, &opened.get(spec, None).unwrap()));
        opened.reopen(spec).unwrap();
        assert_eq!(opened.all.len(), 1, "anew wherever it was");
    }
}
