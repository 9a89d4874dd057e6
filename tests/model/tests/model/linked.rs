//! Hooks as plugin authors write them: the linker gathers them, a case takes their calls.

use hookspec::{Session, hook};
use serde::{Deserialize, Deserializer, Serialize};

use crate::case::{At, Kind, State};
use crate::hooks::{Returned, at_the_end, at_the_end_async};

#[derive(Default, Serialize, Deserialize)]
pub struct TallyA(u64);
#[derive(Default, Serialize, Deserialize)]
pub struct TallyB(u64);
#[derive(Default, Serialize, Deserialize)]
pub struct Misfit(u64);

#[derive(Serialize, Deserialize)]
pub struct BadDefault(u64);
impl Default for BadDefault {
    fn default() -> Self {
        panic!("model: default")
    }
}

#[derive(Default, Serialize)]
pub struct BadRead(u64);
impl<'de> Deserialize<'de> for BadRead {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("model: read")
    }
}

#[derive(Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    pub greeting: String,
}
impl Default for Words {
    fn default() -> Self {
        Self { greeting: "hello".into() }
    }
}

macro_rules! with_states {
    ($at:ident, $POINT:ident, $Event:ident: $($sync:ident $async:ident $state:ident $Type:ty;)*) => {
        $(
            #[hook($POINT)]
            fn $sync(event: &$Event<'_>, session: &Session, state: &mut $Type) -> Returned {
                at_the_end(session, At::$at, Kind::Macro(State::$state), crate::points::text(event.path), Some(&mut state.0))
            }

            #[hook($POINT)]
            async fn $async(event: &$Event<'_>, session: &Session, state: &mut $Type) -> Returned {
                let kind = Kind::MacroAsync(State::$state);
                at_the_end_async(session, At::$at, kind, crate::points::text(event.path), Some(&mut state.0)).await
            }
        )*
    };
}

macro_rules! linked {
    ($($module:ident $at:ident $POINT:ident $Event:ident;)*) => {$(
        mod $module {
            pub(super) mod linked {
                use super::super::*;
                use crate::points::{$POINT, $Event};

                with_states! { $at, $POINT, $Event:
                    a a_async A TallyA;
                    b b_async B TallyB;
                    misfit misfit_async Misfit Misfit;
                    baddefault baddefault_async BadDefault BadDefault;
                    badread badread_async BadRead BadRead;
                }

                #[hook($POINT)]
                fn none(event: &$Event<'_>, session: &Session) -> Returned {
                    at_the_end(session, At::$at, Kind::Macro(State::None), crate::points::text(event.path), None)
                }

                #[hook($POINT)]
                async fn none_async(event: &$Event<'_>, session: &Session) -> Returned {
                    at_the_end_async(session, At::$at, Kind::MacroAsync(State::None), crate::points::text(event.path), None).await
                }

                #[hook($POINT)]
                fn settings(event: &$Event<'_>, session: &Session, settings: &Words) -> Returned {
                    let _ = settings;
                    at_the_end(session, At::$at, Kind::Macro(State::Settings), crate::points::text(event.path), None)
                }

                #[hook($POINT)]
                async fn settings_async(event: &$Event<'_>, session: &Session, settings: &Words) -> Returned {
                    let _ = settings;
                    at_the_end_async(session, At::$at, Kind::MacroAsync(State::Settings), crate::points::text(event.path), None).await
                }
            }
        }
    )*};
}

linked! {
    talk Say TALK Talk;
    asked Gate ASKED Asked;
    sought First SOUGHT Sought;
    shaped Fold SHAPED Shaped;
    guarded Both GUARDED Guarded;
    brief Brief BRIEF Brief;
}
