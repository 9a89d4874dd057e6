/// Fired by programs without a runtime.
pub(crate) BAKE("bake.pre", sync) -> Gate {
    /// Temperature.
    degrees: u32,
}
