//! The macros name core's points in their errors; what they know of them is what is declared.

#[path = "../../hooks-macros/src/core_points.rs"]
mod core_points;

#[test]
fn the_macros_know_the_points_that_core_declares() {
    let mut declared: Vec<_> = hookspec::all_points()
        .into_iter()
        .map(hookspec::AnyPoint::info)
        .filter(|info| info.package == "hookspec")
        .map(|info| (info.name, info.wire, info.aliases))
        .collect();
    declared.sort_unstable();
    assert_eq!(core_points::CORE_POINTS, declared);
}
