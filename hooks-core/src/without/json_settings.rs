//! What stands in for declared settings without the feature `config`: nobody declares any.

/// There are none.
#[derive(Debug)]
pub(crate) enum JsonSettings {}
