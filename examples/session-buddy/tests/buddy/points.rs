//! All twelve of the original's hook types are alive.

use std::collections::BTreeSet;

use hookspec::Message;
use hookspec::point::{find_point, fire_sites};
use hookspec::points::EndReason;
use hookspec_session_buddy::ordering::{DEFAULTS, rank};
use hookspec_session_buddy::points::{FIRES, SEED};
use serde_json::json;

use crate::stage::{Stage, builder, call, say, scored, shell};

#[test]
fn each_of_the_twelve_names_has_a_point_and_each_point_a_fire_site() {
    let ours = ["hookspec-agent", "hookspec-session-buddy"];
    for (name, points) in SEED {
        for wire in points {
            let point = find_point(wire).unwrap_or_else(|| panic!("{name}: there is no point {wire}"));
            let fired = fire_sites().iter().filter(|site| ours.contains(&site.package));
            let sites = fired.filter(|site| site.point.wire == point.info().wire).count();
            assert!(sites > 0, "{name}: nothing fires {wire}");
        }
        let by_name = find_point(name).map(|point| point.info().wire);
        if let Some(wire) = by_name {
            assert!(points.contains(&wire), "{name} is an alias of {wire}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_twelve_fire_in_one_scripted_session() {
    let stage = Stage::new();
    stage.write("a.txt", "one\n");
    let patch = "<<<<<<< ORIGINAL\none\n=======\ntwo\n>>>>>>> UPDATED";
    let script = [
        call("save", json!({ "path": "b.txt", "content": "x\n" })),
        call("patch", json!({ "path": "a.txt", "patch": patch })),
        shell("exit 3"),
        call("checkpoint", json!({})),
        call("store_reflection", json!({ "text": "ports are chosen by the system" })),
        call("search_reflections", json!({ "query": "ports" })),
        say("Done."),
    ];
    let (mut agent, timeline) = stage.agent(builder().register(scored(90)), "all", &script).await;
    agent.prompt(Message::user("go")).await;
    agent.end(EndReason::Exit).await;
    let fired: BTreeSet<String> = timeline.points().into_iter().collect();
    for (name, points) in SEED {
        for wire in points {
            assert!(fired.contains(*wire), "{name}: {wire} did not fire; what did: {fired:?}");
        }
    }
    let failed: Vec<_> = timeline.runs().into_iter().filter(|run| run.error.is_some()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let order = timeline.points();
    let ends: Vec<&String> = order.iter().filter(|point| point.starts_with("session.end")).collect();
    assert_eq!(ends, ["session.end", "session.end.pre"], "announced within the end, once");
    let at = |hook: &str| timeline.runs().iter().position(|run| run.hook == hook).unwrap();
    assert!(at("buddy.announce_end") < at("buddy.end_session"));
}

#[test]
fn the_five_defaults_are_registered_with_their_priorities() {
    let rows = builder().build().unwrap().list();
    for (name, wire, theirs) in DEFAULTS {
        let row =
            rows.iter().find(|row| row.info.name == name).unwrap_or_else(|| panic!("{name} is not there"));
        assert!(row.on, "{name}: {}", row.why);
        assert_eq!((row.info.point.wire, row.info.priority), (wire, rank(theirs, 0)), "{name}");
    }
}

#[test]
fn the_page_names_every_hook_tool_and_command() {
    let page = include_str!("../../README.md");
    let registry = builder().build().unwrap();
    let hooks = registry.hooks_of_package("hookspec-session-buddy");
    assert!(hooks.len() > 10);
    for row in hooks.iter().filter(|row| !row.info.name.starts_with("buddy.note_")) {
        assert!(page.contains(&format!("`{}`", row.info.name)), "{} is not on the page", row.info.name);
    }
    for tool in ["checkpoint", "store_reflection", "search_reflections"] {
        assert!(registry.tools().get(tool).is_some() && page.contains(&format!("`{tool}`")), "{tool}");
    }
}

#[test]
fn a_strict_host_that_fires_what_the_agent_and_this_crate_fire_misses_nothing() {
    let all = hookspec_agent::FIRES.iter().copied().chain(FIRES);
    builder().fires(all).strict(true).build().unwrap();
    let error = builder().fires(hookspec_agent::FIRES.iter().copied()).strict(true).build().unwrap_err();
    assert!(error.to_string().contains("checkpoint.p"), "{error}");
    for point in FIRES {
        let own = fire_sites().iter().filter(|site| site.package == "hookspec-session-buddy");
        assert!(own.filter(|site| site.point.wire == point.wire).count() > 0, "nothing fires {}", point.wire);
    }
}
