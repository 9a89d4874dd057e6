//! The points: one for each verdict, and one that is transient. Every event is a text, which stands in it as a path.

use std::path::{Path, PathBuf};

use hookspec::hooks::{Call, Outcome};
use hookspec::point::{Fired, Messages, Point};
use hookspec::registry::Handle;
use hookspec::{Each, First, Fold, Gate, Hook, Registry, Session};
use hookspec::{fire, fire_now};

use crate::case::At;
use crate::hooks::{self, Item, Returned};
use crate::seen::{self, Out};
use crate::world;

mod declared {
    use std::path::{Path, PathBuf};

    use hookspec::hook_point;

    hook_point! {
        /// Messages.
        pub TALK("model.say") -> Messages {
            /// The text, as a path.
            path: &Path,
        }
        /// A gate.
        pub ASKED("model.gate") -> Gate {
            /// The text, as a path.
            path: &Path,
        }
        /// The first answer.
        pub SOUGHT("model.first") -> First<String> {
            /// The text, as a path.
            path: &Path,
        }
        /// A fold.
        pub SHAPED("model.fold") -> Fold<PathBuf> {
            /// The text, as a path.
            #[fold]
            path: &Path,
        }
        /// Gate and fold.
        pub GUARDED("model.both") -> Gate + Fold<PathBuf> {
            /// The text, as a path.
            #[fold]
            path: &Path,
        }
        /// Messages that go to the caller only.
        pub BRIEF("model.brief", transient) -> Messages {
            /// The text, as a path.
            path: &Path,
        }
    }
}

pub use declared::*;

/// What an event says: a path, so that hooks may be filtered by it.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

/// A point of this program as its hooks are made.
pub trait Face: Point {
    const POINT: Self;
    fn text<'e>(event: &Self::Event<'e>) -> &'e str;
    fn tell(item: Item, out: &mut Outcome<Self::Verdict>);
    fn closure(name: String, uid: usize) -> Hook<Self>;
    fn linked_call(function: &str) -> Option<Call<Self>>;
    fn out(fired: Fired<Self::Verdict>) -> Out;
}

fn common<V: hookspec::point::Verdict>(at: At, fired: &Fired<V>) -> Out {
    let texts =
        |message: &hookspec::Message| (message.hook.clone().unwrap_or_default(), message.content.clone());
    Out {
        at: at.wire(),
        messages: fired.messages().iter().map(|message| texts(message)).collect(),
        flow: match fired.flow() {
            hookspec::Flow::Continue => None,
            hookspec::Flow::Stop => Some("stop".into()),
            hookspec::Flow::EndSession(why) => Some(why.clone()),
        },
        failures: fired
            .failures()
            .iter()
            .map(|failure| (failure.hook.clone(), failure.point, seen::cause(&failure.cause)))
            .collect(),
        ..Out::default()
    }
}

fn gated<V: hookspec::point::Gated>(mut out: Out, fired: &Fired<V>) -> Out {
    out.gate = fired.gate().map(|gate| (seen::gate(gate), fired.gate_hook().unwrap_or_default().to_owned()));
    out
}

fn folded<V: hookspec::point::Folded<Fold = PathBuf>>(mut out: Out, fired: &Fired<V>) -> Out {
    out.fold = fired.value().map(|path| text(path).to_owned());
    out
}

fn first(mut out: Out, mut fired: Fired<First<String>>) -> Out {
    out.first = fired.take_answer();
    out
}

/// What a hook says one thing at a time, at each verdict.
macro_rules! verdicts {
    ($($verdict:ty: |$item:ident, $out:ident| $rest:expr;)*) => {$(
        impl hookspec::hooks::IntoOutcome<$verdict> for Item {
            fn into_outcome(self, out: &mut Outcome<$verdict>) {
                if let Some($item) = hooks::plain::<$verdict>(self, out) {
                    let $out = out;
                    $rest
                }
            }
        }
        impl hookspec::hooks::IntoOutcome<$verdict> for Returned {
            fn into_outcome(self, out: &mut Outcome<$verdict>) {
                Each(self).into_outcome(out);
            }
        }
    )*};
}

verdicts! {
    Messages: |_item, _out| {};
    Gate: |item, out| if let Item::Gate(gate) = item { gate.into_outcome(out) };
    First<String>: |item, out| if let Item::Value(value) = item { First(value).into_outcome(out) };
    Fold<PathBuf>: |item, out| if let Item::Value(value) = item { Fold(PathBuf::from(value)).into_outcome(out) };
    (Gate, Fold<PathBuf>): |item, out| match item {
        Item::Gate(gate) => gate.into_outcome(out),
        Item::Value(value) => Fold(PathBuf::from(value)).into_outcome(out),
        _ => {}
    };
}

use hookspec::hooks::IntoOutcome as _;

macro_rules! faces {
    ($($point:ident, $at:ident, $module:ident, |$out:ident, $fired:ident| $rest:expr;)*) => {
        $(impl Face for $point::Point {
            const POINT: Self = $point;
            fn text<'e>(event: &Self::Event<'e>) -> &'e str {
                crate::points::text(event.path)
            }
            fn tell(item: Item, out: &mut Outcome<Self::Verdict>) {
                item.into_outcome(out);
            }
            fn closure(name: String, uid: usize) -> Hook<Self> {
                Hook::new($point, name, move |event, session| Each(hooks::lazily(session, uid, crate::points::text(event.path))))
            }
            fn linked_call(function: &str) -> Option<Call<Self>> {
                let entry = |entry: &&hookspec::hooks::Entry<Self>| {
                    entry.origin().function == function && entry.origin().module.ends_with("linked")
                };
                hookspec::__private::hooks::<Self>().find(entry).map(|entry| entry.call().clone())
            }
            fn out($fired: Fired<Self::Verdict>) -> Out {
                let $out = common(At::$at, &$fired);
                $rest
            }
        })*

        /// Fires a point and notes what came of it.
        pub async fn fire_at(session: &Session, at: At, text: &str) {
            let out = match at {
                $(At::$at => $point::Point::out(fire!(session, $point { path: text.as_ref() }).await),)*
            };
            world::note(session, out);
        }

        pub fn fire_now_at(session: &Session, at: At, text: &str) {
            let out = match at {
                $(At::$at => $point::Point::out(fire_now!(session, $point { path: text.as_ref() })),)*
            };
            world::note(session, out);
        }

        /// A handle for every point.
        #[derive(Clone, Debug)]
        pub struct Handles { $($module: Handle<$point::Point>,)* }

        impl Handles {
            pub fn of(registry: &Registry) -> Self {
                Self { $($module: registry.handle($point),)* }
            }

            pub async fn fire(&self, session: &Session, at: At, text: &str) {
                let out = match at {
                    $(At::$at => $point::Point::out(
                        self.$module.fire(session, $point::Event { path: text.as_ref() }).await
                    ),)*
                };
                world::note(session, out);
            }

            pub fn fire_now(&self, session: &Session, at: At, text: &str) {
                let out = match at {
                    $(At::$at => $point::Point::out(self.$module.fire_now(session, $point::Event { path: text.as_ref() })),)*
                };
                world::note(session, out);
            }
        }

        /// Calls `$with` with the point's type.
        macro_rules! at_point {
            ($where:expr, $P:ident => $with:expr) => {
                match $where {
                    $($crate::case::At::$at => { type $P = $crate::points::$point::Point; $with })*
                }
            };
        }
        pub(crate) use at_point;
    };
}

faces! {
    TALK, Say, talk, |out, _fired| out;
    ASKED, Gate, asked, |out, fired| gated(out, &fired);
    SOUGHT, First, sought, |out, fired| first(out, fired);
    SHAPED, Fold, shaped, |out, fired| folded(out, &fired);
    GUARDED, Both, guarded, |out, fired| folded(gated(out, &fired), &fired);
    BRIEF, Brief, brief, |out, _fired| out;
}
