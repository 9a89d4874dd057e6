//! What generations cost, as far as the host knows.

use std::fmt;

use hookspec::model::{MicroDollars, Usage};

/// Tells what a generation cost, by the name of the model and the tokens it used.
///
/// The engine knows no prices. A host that does lends this as an extension of the session, and
/// `GENERATION_POST` and the log's metadata carry what it says.
pub struct Prices(Box<Price>);

type Price = dyn Fn(&str, &Usage) -> Option<MicroDollars> + Send + Sync;

impl Prices {
    /// Prices by a function of the model, as `provider/name`, and the tokens; `None` is not known.
    pub fn new(price: impl Fn(&str, &Usage) -> Option<MicroDollars> + Send + Sync + 'static) -> Self {
        Self(Box::new(price))
    }

    pub(super) fn of(&self, model: &str, usage: &Usage) -> Option<MicroDollars> {
        (self.0)(model, usage)
    }
}

impl fmt::Debug for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prices")
    }
}
