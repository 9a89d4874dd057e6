//! Hooks, points and tools that `macro_rules!` writes: what was matched means what stands in it, and words from two macros
//! meet.
#![deny(warnings)]

use std::path::Path;

use hookspec::points::{FILE_POST_SAVE, TOOL_PRE_EXECUTE};
use hookspec::{Gate, Message, Session, ToolUse, fire_now, hook, hook_point, tool};

const FIRST: i32 = 10;

macro_rules! with_path {
    ($point:path, $name:ident) => {
        #[hook($point, name = "around.path")]
        fn $name(path: &Path) {
            let _ = path;
        }
    };
}
with_path!(hookspec::points::FILE_POST_SAVE, by_path);

macro_rules! with_values {
    ($priority:expr, $low:literal, $after:expr, $name:literal, $budget:literal, $on:literal, $failed:path) => {
        #[hook(FILE_POST_SAVE, priority = $priority, name = $name, budget = $budget, enabled = $on, on_error = $failed)]
        fn by_values() {}

        #[hook(FILE_POST_SAVE, priority = $low, quarantine = $low)]
        fn by_literal() {}

        #[hook(FILE_POST_SAVE, priority = -$low)]
        fn by_negative_literal() {}

        #[hook(FILE_POST_SAVE, priority = $after * 2)]
        fn by_product() {}
    };
}
with_values!(5, 3, FIRST + 1, "around.values", "1h", false, failed);

fn failed(_: &hookspec::hooks::Failure, _: &Session) {}

macro_rules! with_types {
    ($content:ty, $state:ty, $held:ty, $settings:ty, $returned:ty) => {
        #[hook(FILE_POST_SAVE)]
        fn by_types(content: $content, state: $state, session: &$held, settings: $settings) -> $returned {
            *state += content.len();
            let _ = (session.id(), settings);
            None
        }
    };
}
with_types!(&str, &mut usize, Session, &u32, Option<Message>);

macro_rules! with_modes {
    ($mode:ident, $($flag:ident),*) => {
        #[hook(FILE_POST_SAVE, modes = [$mode, server], $($flag),*)]
        fn by_words() {}
    };
}
with_modes!(cli, once, background);

/// The attribute from one macro, the function from another, a parameter from a third.
macro_rules! attribute {
    ($($function:tt)*) => {
        #[hook(FILE_POST_SAVE, priority = 1)]
        $($function)*
    };
}
macro_rules! function {
    ($param:ident) => {
        attribute! {
            fn from_two_macros($param: &str, created: bool, session: &Session, state: &mut u32) -> Vec<Message> {
                *state += 1;
                let _ = (created, session);
                vec![Message::system($param)]
            }
        }
        attribute! {
            async fn waits_in_two_macros($param: &str, event: &hookspec::points::FilePostSave<'_>) -> Option<Message> {
                let _ = ($param, event.created);
                None
            }
        }
    };
}
function!(content);

macro_rules! gate {
    ($name:ident, $($attr:meta),*) => {
        $(#[$attr])*
        fn $name(tool_use: &ToolUse) -> Result<Gate, Box<dyn std::error::Error + Send + Sync>> {
            let _ = tool_use;
            Ok(Gate::Allow)
        }
    };
}
gate!(by_meta, hook(TOOL_PRE_EXECUTE, fail_open), allow(clippy::unnecessary_wraps));

macro_rules! point {
    ($(#[$doc:meta])* $vis:vis $name:ident, $wire:literal, $alias:literal, $verdict:ty, $($field:ident : $ty:ty),*) => {
        hook_point! {
            $(#[$doc])*
            $vis $name($wire, aliases = [$alias]) -> $verdict {
                $(
                    /// A field.
                    $field: $ty
                ),*
            }
        }
    };
}
point! {
    /// Before the bread goes in.
    pub BAKE, "around.bake", "around.oven", Gate, recipe: &str, baker: Option<&str>, degrees: u32
}

macro_rules! part {
    ($inner:ty, $name:ident) => {
        hook_point! {
            /// Parts of types from a macro.
            pub $name("around.part") -> First<$inner> {
                /// A field.
                text: &$inner,
                /// Another.
                maybe: Option<&$inner>,
            }
        }
    };
}
part!(str_like::Text, PART);

mod str_like {
    pub(crate) type Text = String;
}

#[hook(BAKE)]
fn hot(recipe: &str, baker: Option<&str>, degrees: u32) -> Option<Gate> {
    (degrees > 250 && baker.is_none()).then(|| Gate::deny(recipe))
}

#[hook(PART)]
fn whole(text: &String, maybe: Option<&String>) -> Option<hookspec::First<String>> {
    maybe.map(|more| hookspec::First(format!("{text}{more}")))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Args {
    path: String,
    text: String,
}

macro_rules! a_tool {
    ($name:literal, $word:ident, $args:ty, $held:ty, $returned:ty, $preview:path, $on:literal) => {
        /// Writes a text.
        #[tool(name = $name, args = [$word], content = text, preview = $preview, enabled = $on)]
        fn written(args: $args, session: &$held) -> $returned {
            let _ = session;
            format!("{}{}", args.path, args.text)
        }
    };
}
a_tool!("around_write", path, Args, Session, String, preview, true);

fn preview(_: &ToolUse, _: &Session) -> Option<String> {
    None
}

#[test]
fn what_macros_wrote_runs() {
    let registry = hookspec::Registry::builder().build().expect("the hooks fit together");
    let names: Vec<String> = registry.list().into_iter().map(|row| row.info.name.clone()).collect();
    for name in ["around.path", "around.values", "macros_around.from_two_macros", "macros_around.by_types"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    let product = registry.hook("macros_around.by_product").expect("it is there");
    assert_eq!(product.priority, 22, "a sum from a macro is a sum before it is doubled");
    assert_eq!(registry.tools().names().collect::<Vec<_>>(), ["around_write"]);
    let session = Session::builder(&hookspec::Hooks::new(registry), "s").build();
    let fired = fire_now!(session, BAKE { recipe: "rye", baker: None, degrees: 300 });
    assert_eq!(fired.denied().map(|(reason, _)| reason), Some("rye"));
    let (text, more) = ("a".to_owned(), "b".to_owned());
    let fired = fire_now!(session, PART { text: &text, maybe: Some(&more) });
    assert_eq!(fired.answer().map(String::as_str), Some("ab"));
    let fired = fire_now!(session, FILE_POST_SAVE { path: Path::new("/x"), content: "said", created: true });
    assert_eq!(fired.messages().len(), 1);
}
