//! `auto_confirm`: answers yes where a tool asks before each of its calls.
//!
//! **Watches** `TOOL_CONFIRM`. **Speaks** where the question is the tool's own: yes. **Keeps** nothing.
//!
//! It is selected by `-y`, or by an allowlist that spells out its name; never by default and never by a
//! glob. Gates are not its business: a call that a gate denies does not run, and where a gate wants a person to look
//! (`cat .env`), nobody is there: the call is refused, and the model told why. A rule of [`confirm_policy`](super::confirm_policy)
//! with `answers_gates = true` can say yes to that. Different from gptme, where "no hook at all" meant yes: here that means no.

use hookspec::ask::{Confirmation, Why};
use hookspec::points::TOOL_CONFIRM;
use hookspec::{First, hook};

/// Says yes to a tool's own question.
#[hook(TOOL_CONFIRM, modes = [no_confirm], confirmation)]
fn confirm(why: &Why) -> Option<First<Confirmation>> {
    (*why == Why::Policy).then_some(First(Confirmation::Confirm))
}

#[cfg(test)]
mod tests {
    use hookspec::registry::RegistryBuilder;
    use hookspec::{Hooks, Mode, Registry, Session, ToolUse, fire_now};

    use super::*;

    fn answer(builder: RegistryBuilder, tool: &str, preview: Option<&str>) -> Option<Confirmation> {
        let session = Session::builder(&Hooks::new(builder.build().unwrap()), "s").workspace("/w").build();
        let call = ToolUse::fenced(tool, [""; 0], "rm -rf /");
        let fired = fire_now!(session, TOOL_CONFIRM { tool_use: &call, preview, why: &Why::Policy });
        fired.answer().cloned()
    }

    fn cli() -> RegistryBuilder {
        Registry::builder().mode(Mode::Cli)
    }

    #[test]
    fn with_y_every_tool_is_confirmed() {
        for tool in ["shell", "python", "save", "patch", "unknown"] {
            for preview in [None, Some("a preview")] {
                let said = answer(cli().no_confirm(true), tool, preview);
                assert_eq!(said, Some(Confirmation::Confirm), "{tool}");
            }
        }
    }

    #[test]
    fn what_a_gate_asks_it_does_not_answer() {
        let session = Session::builder(&Hooks::new(cli().no_confirm(true).build().unwrap()), "s")
            .workspace("/w")
            .build();
        let call = ToolUse::fenced("shell", [""; 0], "cat .env");
        let grant = Why::Grant { reason: "it is secret".into(), opens: vec!["read `.env`".into()] };
        for why in [Why::Gate("it is secret".into()), grant] {
            let fired = fire_now!(session, TOOL_CONFIRM { tool_use: &call, preview: None, why: &why });
            assert!(fired.answer().is_none(), "{why:?}");
        }
    }

    #[test]
    fn an_allowlist_adds_it_by_name_and_not_by_glob() {
        assert_eq!(answer(cli().allow(["auto_confirm"]), "shell", None), Some(Confirmation::Confirm));
        assert_eq!(answer(cli().allow(["*"]), "shell", None), None);
    }

    #[test]
    fn where_a_person_could_be_asked_too_its_answer_comes_first() {
        // Nobody is at a terminal here, which the hook that asks there would take as a refusal.
        let both = cli().interactive(true).allow(["auto_confirm"]);
        assert_eq!(answer(both, "shell", None), Some(Confirmation::Confirm));
    }

    #[test]
    fn a_run_that_can_ask_nobody_has_no_answer() {
        assert_eq!(answer(cli(), "shell", None), None);
    }
}
