//! What the operator says of hooks: `[hooks.rules."NAME"]`, whatever their authors say.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookspec::ask::Confirmation;
use hookspec::hooks::{HookInfo, Placement, Timeout};
use hookspec::points::{FILE_POST_SAVE, STEP_POST, TOOL_CONFIRM, TOOL_PRE_EXECUTE};
use hookspec::registry::{BuildError, LiveError, Problem, RegistryBuilder};
use hookspec::{Config, Gate, Hook, Hooks, Message, Options, Registry, Session, ToolUse, fire_now};

const PLAIN: Options = Options::DEFAULT;

fn config(text: &str) -> Config {
    let mut config = Config::new();
    config.add_toml("f", text, &[]).unwrap();
    config
}

fn step(name: &str, options: Options) -> Hook<hookspec::points::STEP_POST::Point> {
    Hook::new(STEP_POST, name, |_, _| ()).options(options)
}

fn plain(text: &str) -> RegistryBuilder {
    Registry::builder().linked(false).strict(false).config(config(text))
}

fn order(text: &str, hooks: &[(&str, Options)]) -> Result<String, BuildError> {
    let builder =
        hooks.iter().fold(plain(text), |builder, (name, options)| builder.register(step(name, *options)));
    Ok(builder.build()?.handle(STEP_POST).names().join(" "))
}

fn info(registry: &Registry, name: &str) -> Arc<HookInfo> {
    registry.hook(name).unwrap()
}

fn problems(builder: RegistryBuilder) -> Vec<String> {
    builder.build().unwrap_err().problems.iter().map(ToString::to_string).collect()
}

#[test]
fn the_operator_decides_the_order() {
    let hooks = [("g.a", PLAIN), ("g.b", PLAIN), ("h.c", Options { before: &["g.a"], ..PLAIN })];
    assert_eq!(order("", &hooks).unwrap(), "h.c g.a g.b");
    let decided = |text: &str| order(text, &hooks).unwrap();
    assert_eq!(decided("[hooks.rules.'h.c']\nbefore = []"), "g.a g.b h.c");
    assert_eq!(decided("[hooks.rules.'g.b']\npriority = 5"), "g.b h.c g.a");
    assert_eq!(decided("[hooks.rules.'g.b']\nbefore = 'h'"), "g.b h.c g.a");
    assert_eq!(decided("[hooks.rules.'h.c']\nbefore = []\nafter = ['g']"), "g.a g.b h.c");
    assert_eq!(decided("[hooks.rules.g]\npriority = 5\n[hooks.rules.'h.c']\nbefore = 'g.b'"), "g.a h.c g.b");
}

#[test]
fn the_more_exact_name_counts_and_of_two_alike_the_later_source() {
    let priority = |files: &[&str], variables: &[(&str, &str)]| {
        let mut config = Config::new();
        for file in files {
            config.add_toml("f", file, &[]).unwrap();
        }
        config
            .add_env(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
            .unwrap();
        let hook = step("g.a", PLAIN);
        info(&Registry::builder().linked(false).config(config).register(hook).build().unwrap(), "g.a")
            .priority
    };
    let (own, group) = ("[hooks.rules.'g.a']\npriority = 1", "[hooks.rules.g]\npriority = 2");
    let (glob, list) = ("[hooks.rules.'*']\npriority = 3", "[hooks]\npriority = { 'g.a' = 4 }");
    assert_eq!(priority(&[own, group, glob], &[]), 1);
    assert_eq!(priority(&[group, glob], &[]), 2);
    assert_eq!(priority(&[glob], &[]), 3);
    assert_eq!(priority(&[own, list], &[]), 4);
    assert_eq!(priority(&[list, own], &[]), 1);
    assert_eq!(priority(&[own], &[("HOOKSPEC_PRIORITY_G", "5")]), 1);
    assert_eq!(priority(&[own], &[("HOOKSPEC_PRIORITY_G_A", "6")]), 6);
    assert_eq!(priority(&[glob], &[("HOOKSPEC_PRIORITY_G", "5")]), 5);
    assert_eq!(priority(&[own], &[("HOOKSPEC_PRIORITY_G_A", "")]), 1);
}

#[test]
fn each_key_has_its_own_rule_and_says_where() {
    let options = Options { placement: Placement::Blocking, quarantine: Some(9), ..PLAIN };
    let hook = Hook::new(TOOL_PRE_EXECUTE, "g.gate", |_, _| Gate::Allow).options(options);
    let text = "[hooks.rules.g]\ntimeout = '5s'\nbudget = '1s'\nquarantine = 3\non_failure = 'pass'\ntools = ['shell']\n\
        [hooks.rules.'g.gate']\nbudget = '2s'\n";
    let registry = plain(text).register(hook).build().unwrap();
    let info = info(&registry, "g.gate");
    assert_eq!((info.timeout, info.budget), (Some(Duration::from_secs(5)), Some(Duration::from_secs(2))));
    assert_eq!((info.quarantine, info.fail_open, &*info.tools), (Some(3), true, &["shell".to_owned()][..]));
    let ruled: Vec<_> = info.ruled.iter().map(|said| (said.key, &*said.source)).collect();
    assert_eq!(
        ruled,
        [
            ("budget", "f:8"),
            ("on_failure", "f:5"),
            ("quarantine", "f:4"),
            ("timeout", "f:2"),
            ("tools", "f:6")
        ]
    );
    let json = serde_json::to_value(&registry.list()[0]).unwrap();
    assert_eq!(json["ruled"][0], serde_json::json!({ "key": "budget", "value": "\"2s\"", "source": "f:8" }));
}

#[test]
fn never_takes_a_limit_away() {
    let timeout = Timeout::After(Duration::from_secs(1));
    let options = Options { placement: Placement::Background, timeout, quarantine: Some(2), ..PLAIN };
    let text = "[hooks.rules.'*']\ntimeout = 'never'\nquarantine = 'never'";
    let registry = plain(text).register(step("g.a", options)).build().unwrap();
    assert_eq!((info(&registry, "g.a").timeout, info(&registry, "g.a").quarantine), (None, None));
}

#[test]
fn what_a_failure_means_is_the_operators() {
    let hook = |name: &str, fail_open| {
        let options = Options { fail_open, ..PLAIN };
        Hook::new(TOOL_PRE_EXECUTE, name, |_, _| Err::<Gate, _>("broken")).options(options)
    };
    let denied = |text: &str, fail_open| {
        let hooks = Hooks::new(plain(text).register(hook("g.gate", fail_open)).build().unwrap());
        let session = Session::builder(&hooks, "s").build();
        let fired = fire_now!(session, TOOL_PRE_EXECUTE { tool_use: &ToolUse::default() });
        assert_eq!(fired.failures().len(), 1);
        fired.denied().is_some()
    };
    assert!(denied("", false) && !denied("", true));
    assert!(!denied("[hooks.rules.g]\non_failure = 'pass'", false));
    assert!(denied("[hooks.rules.g]\non_failure = 'deny'", true));
}

#[test]
fn the_operators_filter_stands_in_place_of_the_hooks() {
    let options = Options { paths: &["*.py"], ..PLAIN };
    let called = |text: &str, path: &str| {
        let hook = Hook::new(FILE_POST_SAVE, "g.a", |_, _| Message::system("x")).options(options);
        let hooks = Hooks::new(plain(text).register(hook).register(step("g.other", PLAIN)).build().unwrap());
        let session = Session::builder(&hooks, "s").workspace("/w").build();
        fire_now!(session, FILE_POST_SAVE { path: Path::new(path), content: "", created: true })
            .messages()
            .len()
    };
    assert_eq!([called("", "/w/a.py"), called("", "/w/a.rs")], [1, 0]);
    // The group's other hook is at no file's point, and needs no filter.
    let rule = "[hooks.rules.g]\npaths = ['src/**']";
    assert_eq!([called(rule, "/w/a.py"), called(rule, "/w/src/a.rs")], [0, 1]);
    let all = "[hooks.rules.'g.a']\npaths = '*'";
    assert_eq!([called(all, "/w/a.py"), called(all, "/w/a.rs")], [1, 1]);
}

#[test]
fn a_filter_that_a_glob_is_given_leaves_the_user_to_be_asked() {
    let asks = || {
        let hook = Hook::new(TOOL_CONFIRM, "desk.ask", |_, _| hookspec::First(Confirmation::Confirm));
        hook.options(Options { confirmation: true, ..Options::DEFAULT })
    };
    let tools = |rule: &str| {
        let text = format!("[hooks.rules.'{rule}']\ntools = ['read']");
        let other = Hook::new(TOOL_PRE_EXECUTE, "gates.other", |_, _| ());
        let registry = plain(&text).register(asks()).register(other).build().unwrap();
        info(&registry, "desk.ask").tools.clone()
    };
    assert_eq!(tools("desk.ask"), ["read"], "its name means it");
    assert!(tools("*").is_empty(), "a glob does not");
}

#[test]
fn a_rule_that_holds_for_nothing_is_told() {
    let build = |text: &str| plain(text).register(step("g.a", PLAIN));
    let wrong = problems(build("[hooks.rules.'g.a']\ntools = ['shell']\npaths = ['*.py']"));
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(
        wrong[1].contains("`g.a` in f:2: `tools` holds for no hook: no hook of that name is at a point"),
        "{wrong:?}"
    );
    let unknown = problems(build("[hooks.rules.'g.b']\npriority = 3"));
    assert!(
        unknown[0].starts_with("`g.b` in f:2 matches no hook") && unknown[0].contains("`g.a`"),
        "{unknown:?}"
    );
    let bad =
        plain("[hooks.rules.g]\npaths = ['../x']").register(Hook::new(FILE_POST_SAVE, "g.f", |_, _| ()));
    let bad = problems(bad);
    assert!(bad[0].contains("`g.f` (f:2) says `paths`: `../x` leads out"), "{bad:?}");
    let registry = build("[hooks.rules.g]\ntimeout = '1s'\non_failure = 'pass'").build().unwrap();
    let odd: Vec<_> = registry.report().warnings.iter().map(ToString::to_string).collect();
    assert!(odd.len() == 2 && odd.iter().any(|text| text.contains("can be cut off")), "{odd:?}");
    // A hook that may come later may be meant.
    assert!(plain("[hooks.rules.'late.x']\npriority = 1").elsewhere(["late"]).build().is_ok());
}

#[test]
fn a_circle_that_the_configuration_makes_names_file_and_line() {
    let text = "[hooks.rules.'g.a']\nbefore = 'g.b'\n\n[hooks.rules.'g.b']\npriority = 1\nbefore = ['g.a']";
    let why = order(text, &[("g.a", PLAIN), ("g.b", PLAIN)]).unwrap_err().to_string();
    assert!(
        why.contains(
            "g.a → g.b → g.a: `g.a` has `before = [\"g.b\"]` (f:2), `g.b` has `before = [\"g.a\"]` (f:6)"
        ),
        "{why}"
    );
    let text = "[hooks.rules.'guards.a']\nafter = 'guards.secret'";
    let near = plain(text).register(step("guards.a", PLAIN)).register(step("guards.secrets", PLAIN));
    let near = near.build().unwrap().report().warnings[0].to_string();
    assert!(near.contains("`guards.a` (f:2) says `after = \"guards.secret\"`"), "{near}");
}

#[test]
fn what_comes_later_stands_under_the_same_rules() {
    let text = "[hooks.rules.late]\npriority = 7\nbefore = 'g.a'\n[hooks.rules.'g.a']\nbefore = 'late.round'";
    let build = plain(text).elsewhere(["late"]).register(step("g.a", Options { priority: 9, ..PLAIN }));
    let hooks = Hooks::new(build.build().unwrap());
    hooks.register(step("late.first", PLAIN)).unwrap();
    assert_eq!(hooks.load().handle(STEP_POST).names(), ["late.first", "g.a"]);
    assert_eq!(info(&hooks.load(), "late.first").priority, 7);
    let refused = hooks.register(step("late.round", PLAIN)).unwrap_err();
    assert!(matches!(refused, LiveError::Refused(Problem::Circle { .. })), "{refused}");
    assert!(refused.to_string().contains("(f:3)") && refused.to_string().contains("(f:5)"), "{refused}");
    assert_eq!(hooks.load().handle(STEP_POST).names(), ["late.first", "g.a"]);
}
