//! The macros name core's points in their errors; what they know of them is what is declared.

#[path = "../../hooks-macros/src/core_points.rs"]
mod core_points;

#[test]
fn the_macros_know_the_points_that_core_declares() {
    let mut declared: Vec<_> = hookspec::point::all_points()
        .into_iter()
        .map(hookspec::point::AnyPoint::info)
        .filter(|info| info.package == "hookspec")
        .map(|info| (info.name, info.wire, info.aliases))
        .collect();
    declared.sort_unstable();
    assert_eq!(core_points::CORE_POINTS, declared);
}

#[test]
fn the_neighbours_that_errors_name_can_do_what_is_said_of_them() {
    let verdict = |name: &str| {
        let mut points = hookspec::point::all_points().into_iter().map(hookspec::point::AnyPoint::info);
        points
            .find(|info| info.package == "hookspec" && info.name == name)
            .map_or("none", |info| info.verdict)
    };
    for (point, gate, fold) in core_points::NEIGHBOURS {
        assert_ne!(verdict(point), "none", "{point}");
        for (neighbour, can) in [(gate, "Gate"), (fold, "Fold<")] {
            if let Some(neighbour) = neighbour {
                assert!(verdict(neighbour).contains(can), "{neighbour} for {point}");
                assert!(!verdict(point).contains(can), "{point} can do that itself");
            }
        }
    }
}
