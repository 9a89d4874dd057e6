//! Lists of hooks: entries that cover each other, names that are not there, and lists that only add.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use hookspec::points::{SESSION_START, STEP_POST};
use hookspec::registry::{Problem, RegistryBuilder};
use hookspec::{Config, Hook, Mode, Options, Registry, hook};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Switched {
    enabled: bool,
}

mod many {
    use super::{SESSION_START, STEP_POST, Switched, hook};

    #[hook(STEP_POST)]
    fn usual() {}

    #[hook(STEP_POST, enabled = false)]
    fn extra() {}

    #[hook(SESSION_START, modes = [server])]
    fn served() {}

    #[hook(STEP_POST, name = "switched.says")]
    fn says(_settings: &Switched) {}
}

fn builder() -> RegistryBuilder {
    Registry::builder().plugins(hookspec::plugins![hookspec_agent])
}

fn config(files: &[&str]) -> Config {
    let mut config = Config::new();
    for (index, text) in files.iter().enumerate() {
        config.add_toml(&format!("{index}.toml"), text, &[]).unwrap();
    }
    config
}

/// The hooks of this file that are on, with what decided.
fn on(registry: &Registry) -> Vec<(String, String)> {
    let ours = |name: &str| ["many.", "switched.", "hand."].iter().any(|group| name.starts_with(group));
    let rows = registry.list().into_iter().filter(|row| row.on && ours(&row.info.name));
    rows.map(|row| (row.info.name.clone(), row.why)).collect()
}

fn names(registry: &Registry) -> String {
    on(registry).into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

fn tool(registry: &Registry, name: &str) -> (bool, String) {
    let tools = registry.tools();
    let on = tools.on().map(|(tool, why)| (true, tool, why));
    let mut all = on.chain(tools.off().map(|(tool, why)| (false, tool, why)));
    let found = all.find(|(_, tool, _)| tool.name == name);
    found.map(|(on, _, why)| (on, why.to_owned())).unwrap()
}

#[test]
fn entries_that_cover_each_other_are_no_mistake_in_any_list_or_pair_of_lists() {
    const SAME: [&str; 6] = ["many.usual", "many", "many.*", "*", "*.usual", "hookspec-tests"];
    const TOOLS: [&str; 5] = ["tool.read", "tool", "tool.*", "tool.r*", "hookspec-agent"];
    for entries in [&SAME[..], &TOOLS[..]] {
        for first in entries {
            for second in entries {
                for (allow, disable) in [
                    (vec![*first, *second], vec![]),
                    (vec![], vec![*first, *second]),
                    (vec![*first], vec![*second]),
                    (vec![*first, *second], vec![*first, *second]),
                ] {
                    // In one file, in two, and said by the program as well.
                    let list = |key: &str, names: &[&str]| match names {
                        [] => String::new(),
                        names => format!("{key} = {names:?}\n"),
                    };
                    let text = format!("[hooks]\n{}{}", list("allow", &allow), list("disable", &disable));
                    let twice = config(&[&text, &text]);
                    let registry = builder().config(twice).disable(disable.clone()).build();
                    let registry = registry.unwrap_or_else(|error| panic!("{text}: {error}"));
                    assert!(registry.report().warnings.is_empty(), "{text}: {:?}", registry.report());
                }
            }
        }
    }
    let priorities = config(&[
        "[hooks]\npriority = { many = 1, \"many.usual\" = 2 }",
        "[hooks]\npriority = { many = 3 }\ndisable = ['many']",
    ]);
    let registry = builder().config(priorities).build().unwrap();
    let row = registry.list().into_iter().find(|row| row.info.name == "many.usual").unwrap();
    assert_eq!((row.on, row.info.priority), (false, 2), "a hook's own counts before its group's");
}

#[test]
fn what_is_off_by_default_is_not_selected_by_a_glob_for_all() {
    for all in ["*", "+*", "*.extra", "hookspec*"] {
        let Ok(registry) = builder().allow([all, "many.usual"]).build() else { continue };
        assert!(!names(&registry).contains("many.extra"), "{all}");
        assert!(!names(&registry).contains("switched"), "its settings say so: {all}");
    }
    // Its own settings are what turns it on, whoever names it.
    let asked = config(&["[hooks]\nallow = ['*']\n[hooks.switched]\nenabled = true"]);
    assert!(names(&builder().config(asked).build().unwrap()).contains("switched.says"));
    for (list, elicits) in [
        (&["tool.*"][..], false),
        (&["tool"], false),
        (&["tool.el*"], false),
        (&["tool.elicit"], true),
        (&["+tool.elicit"], true),
    ] {
        let registry = builder().allow(list.iter().copied()).build().unwrap();
        assert_eq!(tool(&registry, "elicit").0, elicits, "{list:?}");
        assert!(tool(&registry, "read").0 != (list == ["tool.elicit"] || list == ["tool.el*"]), "{list:?}");
    }
}

#[test]
fn a_list_that_only_adds_leaves_the_defaults() {
    let why = |registry: &Registry, name: &str| {
        on(registry).into_iter().find(|(held, _)| held == name).map(|(_, why)| why)
    };
    let file = config(&["[hooks]\nallow = [\n  '+many.extra',\n]"]);
    let mut variable = Config::new();
    variable.add_env([("HOOKSPEC_ALLOW".to_owned(), " + many.extra, ".to_owned())]).unwrap();
    for (registry, decided) in [
        (builder().config(file).build(), "added by allow in 0.toml:3"),
        (builder().config(variable).build(), "added by HOOKSPEC_ALLOW"),
        (builder().allow_from("--allow", ["+many.extra"]).build(), "added by --allow"),
        (builder().allow(["+many", "+many.extra"]).build(), "added by the allowlist of this call"),
    ] {
        let registry = registry.unwrap();
        assert_eq!(names(&registry), "many.extra many.usual");
        assert_eq!(why(&registry, "many.extra").unwrap(), decided);
        assert_eq!(why(&registry, "many.usual").unwrap(), "default");
        assert_eq!(tool(&registry, "read"), (true, "default".to_owned()));
    }
    // With a plain name among them, the plain ones select.
    let mixed = builder().allow(["+many.extra", "hand"]).register(by_hand("hand.one")).build().unwrap();
    assert_eq!(names(&mixed), "hand.one many.extra");
    // It adds no hook of another mode, and nothing that is left out.
    let registry = builder().allow(["+many.served", "+many.extra"]).disable(["many.extra"]).build().unwrap();
    assert_eq!(names(&registry), "many.usual");
    let served = builder().mode(Mode::Server).allow(["+many.served"]).build().unwrap();
    assert_eq!(names(&served), "many.served many.usual");
    // A later list stands in place of an earlier one, and is not added to it.
    let two = config(&["[hooks]\nallow = ['hookspec-agent']", "[hooks]\nallow = ['+many.extra']"]);
    assert_eq!(names(&builder().config(two).build().unwrap()), "many.extra many.usual");
    // Tools are listed apart.
    let tools = builder().allow(["many.usual", "+tool.elicit"]).build().unwrap();
    assert_eq!(tool(&tools, "elicit"), (true, "added by the allowlist of this call".to_owned()));
    assert_eq!((tool(&tools, "read").0, names(&tools).as_str()), (true, "many.usual"));
}

fn by_hand(name: &str) -> Hook<STEP_POST::Point> {
    Hook::new(STEP_POST, name, |_, _| ())
}

#[test]
fn a_name_that_is_not_there_is_a_warning_where_it_is_left_out_and_an_error_where_it_is_wanted() {
    let registry = builder().config(config(&["[hooks]\ndisable = ['many.usul', 'many']"])).build().unwrap();
    let [warning @ Problem::NothingToDisable { .. }] = &*registry.report().warnings else {
        panic!("{:?}", registry.report())
    };
    assert_eq!(
        warning.to_string(),
        "`many.usul` in 0.toml:2 matches no hook or tool of this program (did you mean `many.usual` or `many` or `many.served`?); it leaves nothing out"
    );
    assert!(!warning.is_foreign());
    let strict = builder().strict(true).disable(["nobody", ""]).build().unwrap();
    assert_eq!(strict.report().warnings.len(), 2, "that is no hook that cannot run");
    for name in ["many.usul", "+many.usul"] {
        let error = builder().allow([name, "many"]).build().unwrap_err();
        let [Problem::UnknownName { .. }] = &*error.problems else { panic!("{error}") };
        let text = error.to_string();
        assert!(text.starts_with(&format!("`{name}` in the allowlist")), "{text}");
        assert!(text.contains("did you mean `many.usual`") && text.contains("`plugins![…]`"), "{text}");
    }
    assert!(builder().allow(["+"]).build().is_err());
    assert!(builder().config(config(&["[hooks]\npriority = { nobody = 1 }"])).build().is_err());
}

#[test]
fn a_group_that_another_host_has_may_stand_in_every_list() {
    let text = "[hooks]\nallow = ['many', 'script', '+script.001.turn.post', 'scr*']\ndisable = ['script.002']\npriority = { script = 3, \"script.x\" = 1 }";
    let mut config = config(&[text]);
    config.add_env([("HOOKSPEC_PRIORITY_SCRIPT".to_owned(), "4".to_owned())]).unwrap();
    assert!(builder().config(config.clone()).build().is_err());
    let registry = builder().config(config).elsewhere(["script"]).build().unwrap();
    assert!(registry.report().warnings.is_empty(), "{:?}", registry.report());
    assert!(builder().elsewhere(["script"]).allow(["scripts"]).build().is_err(), "another name");
}

#[test]
fn a_hook_that_is_left_out_stops_nobody_by_the_tool_it_names() {
    let hook = || by_hand("hand.of_tool").options(Options { tool: Some("raed"), ..Options::DEFAULT });
    let error = builder().register(hook()).build().unwrap_err().to_string();
    assert!(error.contains("did you mean `read`"), "{error}");
    builder().register(hook()).disable(["hand"]).build().unwrap();
}

#[test]
fn the_limit_of_hooks_that_set_none_is_the_hosts() {
    use std::time::Duration;
    let limit = |text: &str, said: Option<Option<Duration>>| {
        let builder = builder().config(config(&[text]));
        let builder = said.into_iter().fold(builder, RegistryBuilder::default_timeout);
        builder.build().unwrap().default_timeout()
    };
    let after = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(limit("", None), after(30));
    assert_eq!(limit("[hooks]\ntimeout = '7s'", None), after(7));
    assert_eq!(limit("[hooks]\ntimeout = 'never'", None), None);
    assert_eq!(limit("[hooks]\ntimeout = 'never'", Some(after(9))), after(9), "as with the other lists");
    assert_eq!(limit("", Some(None)), None);
}

#[test]
fn a_hook_is_one_row_at_its_point() {
    let of = |mode| by_hand("hand.twin").options(Options { modes: mode, ..Options::DEFAULT });
    let both = || builder().register(of(&[Mode::Cli])).register(of(&[Mode::Server]));
    for (mode, on) in [(Mode::Cli, true), (Mode::Server, true), (Mode::Bridge, false)] {
        let registry = both().mode(mode).build().unwrap();
        let rows: Vec<_> = registry.list().into_iter().filter(|row| row.info.name == "hand.twin").collect();
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!(rows[0].on, on, "{rows:?}");
    }
}
