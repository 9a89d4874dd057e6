//! `auto_confirm`: confirms every tool call.
//!
//! **Watches** `TOOL_CONFIRM`. **Speaks** always: yes. **Keeps** nothing.
//!
//! It is selected by `-y`, or by an allowlist that spells out its name; never by default and never by a
//! glob. Gates are not its business: a call that a gate denies does not run. Different from gptme, where
//! "no hook at all" meant yes: here that means no.

use hookspec::ask::Confirmation;
use hookspec::points::TOOL_CONFIRM;
use hookspec::{First, hook};

/// Says yes.
#[hook(TOOL_CONFIRM, modes = [no_confirm], confirmation)]
fn confirm() -> First<Confirmation> {
    First(Confirmation::Confirm)
}

#[cfg(test)]
mod tests {
    use hookspec::ask::Why;
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
