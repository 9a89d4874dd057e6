//! What several built-ins need: settings of the same kind, files and texts of a call, where things are kept. None of these is a hook.

pub mod beforehand;
pub mod desk;
pub mod dollars;
pub mod faults;
pub mod globs;
pub mod models;
pub mod places;

pub(crate) mod call_paths;
pub(crate) mod command_line;
pub(crate) mod commands;
pub(crate) mod instructions;
pub(crate) mod late;
pub(crate) mod local_models;
pub(crate) mod text;
pub(crate) mod tokens;
