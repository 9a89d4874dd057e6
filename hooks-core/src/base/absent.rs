//! What stands where something else would, in a program that does not compile.

/// A type without values.
#[derive(Debug)]
pub enum Nobody {}

/// Stands where a value would, in a program that does not compile.
///
/// # Panics
/// Always.
#[must_use]
pub fn absent<T>() -> T {
    unreachable!("the macro reported an error here")
}
