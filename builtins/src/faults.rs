//! Kinds of failures of a call to the model, in settings: checked when the settings are read.

use hookspec::model::FaultClass;
use serde::{Deserialize, Serialize};

/// A list of kinds of failures, as in `["rate_limit", "server"]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<FaultClass>", into = "Vec<FaultClass>")]
pub struct Faults(Vec<FaultClass>);

/// A kind of failure after which nobody asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFault {
    /// Somebody wanted it to stop.
    #[error("nobody asks again after `interrupted`: somebody wanted it to stop")]
    Interrupted,
    /// The host itself failed.
    #[error("nobody asks again after `host`: what would be sent is not stored, or a hook cancelled it")]
    Host,
}

impl Faults {
    /// Those after which the same request may well succeed a little later.
    pub(crate) fn passing() -> Self {
        use FaultClass::{Connect, Cut, Malformed, RateLimit, Server, Timeout};
        Self(vec![RateLimit, Server, Cut, Timeout, Connect, Malformed])
    }

    /// Those after which another model may answer: the same, and what is wrong with this model's name or key.
    pub(crate) fn of_one_model() -> Self {
        let mut faults = Self::passing();
        faults.0.extend([FaultClass::Auth, FaultClass::Model]);
        faults
    }

    /// Whether a failure of this kind is among them.
    #[must_use]
    pub fn have(&self, class: FaultClass) -> bool {
        self.0.contains(&class)
    }
}

impl TryFrom<Vec<FaultClass>> for Faults {
    type Error = NoFault;

    fn try_from(classes: Vec<FaultClass>) -> Result<Self, NoFault> {
        for class in &classes {
            match class {
                FaultClass::Interrupted => return Err(NoFault::Interrupted),
                FaultClass::Host => return Err(NoFault::Host),
                _ => {}
            }
        }
        Ok(Self(classes))
    }
}

impl From<Faults> for Vec<FaultClass> {
    fn from(faults: Faults) -> Self {
        faults.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wanted_is_no_kind_of_failure() {
        let read = |json: &str| serde_json::from_str::<Faults>(json).map_err(|error| error.to_string());
        let faults = read(r#"["rate_limit", "request"]"#).unwrap();
        assert!(faults.have(FaultClass::RateLimit) && faults.have(FaultClass::Request));
        assert!(!faults.have(FaultClass::Server));
        assert!(read(r#"["interrupted"]"#).unwrap_err().contains("somebody wanted it to stop"));
        assert!(read(r#"["server", "host"]"#).unwrap_err().contains("is not stored"));
        assert!(read(r#"["rate limit"]"#).unwrap_err().contains("expected one of"));
    }

    #[test]
    fn the_kinds_that_pass_are_those_that_core_says_pass() {
        use FaultClass::{
            Auth, Connect, Cut, Host, Interrupted, Malformed, Model, RateLimit, Request, Server, Timeout,
        };
        let all =
            [RateLimit, Server, Cut, Timeout, Connect, Malformed, Auth, Request, Model, Interrupted, Host];
        for class in all {
            assert_eq!(Faults::passing().have(class), class.passes(), "{class:?}");
            let other = class.passes() || matches!(class, Auth | Model);
            assert_eq!(Faults::of_one_model().have(class), other, "{class:?}");
        }
        assert!(Faults::try_from(Vec::from(Faults::of_one_model())).is_ok());
    }
}
