//! A hundred hooks of each kind, written as anybody writes them.

use std::path::Path;

use hookspec::points::{FILE_POST_SAVE, FILE_PRE_SAVE};
use hookspec::{Message, hook};
use serde::{Deserialize, Serialize};

use crate::work::work;

/// Hands a hundred names to the macro of that name.
macro_rules! hundred {
    ($each:ident) => {
        $each! {
            h00 h01 h02 h03 h04 h05 h06 h07 h08 h09 h10 h11 h12 h13 h14 h15 h16 h17 h18 h19 h20 h21 h22 h23 h24 h25
            h26 h27 h28 h29 h30 h31 h32 h33 h34 h35 h36 h37 h38 h39 h40 h41 h42 h43 h44 h45 h46 h47 h48 h49 h50 h51
            h52 h53 h54 h55 h56 h57 h58 h59 h60 h61 h62 h63 h64 h65 h66 h67 h68 h69 h70 h71 h72 h73 h74 h75 h76 h77
            h78 h79 h80 h81 h82 h83 h84 h85 h86 h87 h88 h89 h90 h91 h92 h93 h94 h95 h96 h97 h98 h99
        }
    };
}

/// A hook at another point, to be switched off.
#[hook(FILE_PRE_SAVE)]
pub fn elsewhere(path: &Path) {
    work(path, false);
}

/// Beside the chain.
#[hook(FILE_POST_SAVE, background)]
pub fn beside(path: &Path, created: bool) -> Option<Message> {
    work(path, created)
}

/// Plain functions that say nothing.
pub mod silent {
    use super::*;

    macro_rules! each {
        ($($name:ident)*) => {
            $(
                #[hook(FILE_POST_SAVE)]
                fn $name(path: &Path, created: bool) -> Option<Message> {
                    work(path, created)
                }
            )*
            pub const NAMES: [&str; 100] = [$(concat!("silent.", stringify!($name))),*];
        };
    }
    hundred!(each);
}

/// Async hooks that are ready at once.
pub mod ready {
    use super::*;

    macro_rules! each {
        ($($name:ident)*) => {
            $(
                #[hook(FILE_POST_SAVE, timeout = "never")]
                async fn $name(path: &Path, created: bool) -> Option<Message> {
                    work(path, created)
                }
            )*
            pub const NAMES: [&str; 100] = [$(concat!("ready.", stringify!($name))),*];
        };
    }
    hundred!(each);
}

/// Async hooks with a time limit, ready at once.
pub mod limited {
    use super::*;

    macro_rules! each {
        ($($name:ident)*) => {
            $(
                #[hook(FILE_POST_SAVE, timeout = "5s")]
                async fn $name(path: &Path, created: bool) -> Option<Message> {
                    work(path, created)
                }
            )*
            pub const NAMES: [&str; 100] = [$(concat!("limited.", stringify!($name))),*];
        };
    }
    hundred!(each);
}

/// Plain functions that each say something.
pub mod speaking {
    use super::*;

    macro_rules! each {
        ($($name:ident)*) => {
            $(
                #[hook(FILE_POST_SAVE)]
                fn $name(path: &Path, created: bool) -> Message {
                    work(path, created).unwrap_or_else(|| Message::system("noted"))
                }
            )*
            pub const NAMES: [&str; 100] = [$(concat!("speaking.", stringify!($name))),*];
        };
    }
    hundred!(each);
}

/// Plain functions that read their settings.
pub mod settled {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(default)]
    pub struct Settings {
        on: bool,
    }

    impl Default for Settings {
        fn default() -> Self {
            Self { on: true }
        }
    }

    macro_rules! each {
        ($($name:ident)*) => {
            $(
                #[hook(FILE_POST_SAVE)]
                fn $name(path: &Path, created: bool, settings: &Settings) -> Option<Message> {
                    work(path, created & settings.on)
                }
            )*
            pub const NAMES: [&str; 100] = [$(concat!("settled.", stringify!($name))),*];
        };
    }
    hundred!(each);
}

/// Plain functions that each have a state of their own.
pub mod stateful {
    use super::*;

    macro_rules! each {
        ($($name:ident)*) => {
            $(
                pub mod $name {
                    use super::*;

                    #[derive(Default, Serialize, Deserialize)]
                    pub struct Seen(u64);

                    #[hook(FILE_POST_SAVE)]
                    fn count(path: &Path, created: bool, state: &mut Seen) -> Option<Message> {
                        state.0 += 1;
                        work(path, created)
                    }
                }
            )*
            pub const NAMES: [&str; 100] = [$(concat!(stringify!($name), ".count")),*];
        };
    }
    hundred!(each);
}
