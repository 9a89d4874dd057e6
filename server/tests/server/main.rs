//! The server over real sockets, with a scripted model.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on has failed
#![allow(unreachable_pub)]

mod around;
mod asking;
mod attacks;
mod conversations;
mod lifecycle;
mod parity;
mod shadow;
mod soak;
mod stage;
mod streams;
mod unstored;
