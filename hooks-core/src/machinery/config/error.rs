//! Why a configuration cannot be used.

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not TOML.
    #[error("{file} is not valid TOML: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser said, with line and column.
        why: String,
    },
    /// A key that means nothing, or a value of the wrong type.
    #[error("{file}: {why}")]
    Content {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// A variable with a value that cannot be used.
    #[error("the environment variable {name} holds `{value}`; it takes {wanted}")]
    Environment {
        /// The variable.
        name: String,
        /// Its value.
        value: String,
        /// What it takes.
        wanted: &'static str,
    },
}
