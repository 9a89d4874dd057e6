//! Confirmations: whether a tool call may run.

use std::sync::Arc;

use hookspec::ask::{Confirmation, Why};
use hookspec::hooks::HookInfo;
use hookspec::points::{TOOL_CONFIRM, TOOL_PRE_EXECUTE};
use hookspec::tool::ToolEntry;
use hookspec::{Gate, Mode, ToolUse, fire};

use super::Agent;

/// So often a call may be changed before it runs: a hook that answers for the user must not change it for ever.
const EDITS: usize = 8;

/// What gate and user made of a call.
pub(super) enum Verdict {
    /// It may run, perhaps changed.
    Run(ToolUse),
    /// It may run as the user edited it; the model reads the note.
    Edited(ToolUse, String),
    /// A gate refused, or nobody could be asked; the model reads the reason and the turn goes on.
    Denied(String),
    /// The user refused; the turn ends after this step.
    Declined(String),
}

impl Agent {
    /// Asks the gate, and where the tool's policy or the gate wants it, the user. What the user changed is what
    /// runs, so the gate looks at it again; what it asks then, the user is asked, unless it is what was just asked.
    /// Says too whether the call was shown to a person at the terminal.
    pub(super) async fn may_run(&mut self, call: ToolUse, tool: Option<&ToolEntry>) -> (Verdict, bool) {
        let mut seen = false;
        let verdict = self.decide(call, tool, &mut seen).await;
        (verdict, seen)
    }

    async fn decide(&mut self, call: ToolUse, tool: Option<&ToolEntry>, seen: &mut bool) -> Verdict {
        let mut why = tool.is_some_and(|tool| tool.confirm).then_some(Why::Policy);
        match self.gate(&call).await {
            Some((Gate::Deny(reason), hook)) => return denied(&reason, &hook),
            Some((Gate::Ask(reason), _)) => why = Some(Why::Gate(reason)),
            Some((Gate::Allow, _)) | None => {}
        }
        let (Some(mut why), Some(tool)) = (why, tool) else { return Verdict::Run(call) };
        let (mut call, mut note) = (call, None);
        let run = |call, note: Option<String>| match note {
            Some(note) => Verdict::Edited(call, note),
            None => Verdict::Run(call),
        };
        for _ in 0..EDITS {
            let content = match self.ask(&call, tool, &why, seen).await {
                Some(Confirmation::Confirm) => return run(call, note),
                Some(Confirmation::Skip { reason }) => return Verdict::Declined(reason),
                Some(Confirmation::Edit { content }) => content,
                None => return Verdict::Denied(unanswered(&why)),
            };
            note = Some(note_of(&content));
            call = tool.with_content(&call, content);
            match self.gate(&call).await {
                Some((Gate::Deny(reason), hook)) => return denied(&reason, &hook),
                Some((Gate::Ask(reason), _)) if why != Why::Gate(reason.clone()) => why = Why::Gate(reason),
                _ => return run(call, note),
            }
        }
        Verdict::Denied(format!(
            "Denied: the call was changed {EDITS} times and each change raised another question. Propose a call that raises none."
        ))
    }

    async fn ask(
        &mut self,
        call: &ToolUse,
        tool: &ToolEntry,
        why: &Why,
        seen: &mut bool,
    ) -> Option<Confirmation> {
        let preview = tool.preview.and_then(|preview| preview(call, &self.session));
        let mut fired =
            fire!(self.session, TOOL_CONFIRM { tool_use: call, preview: preview.as_deref(), why }).await;
        self.after(&fired).await;
        let (answer, hook) = fired.take_answer()?;
        // A hook for hosts with a terminal shows what it asks about.
        let at_terminal = |hook: Arc<HookInfo>| hook.modes.contains(&Mode::Interactive);
        *seen |= self.session.hooks().load().hook(&hook).is_some_and(at_terminal);
        Some(answer)
    }

    async fn gate(&mut self, call: &ToolUse) -> Option<(Gate, String)> {
        let fired = fire!(self.session, TOOL_PRE_EXECUTE { tool_use: call }).await;
        self.after(&fired).await;
        let hook = fired.gate_hook()?.to_owned();
        fired.gate().map(|gate| (gate.clone(), hook))
    }
}

/// Tells the model that something else ran than it wrote; all of it, unless that is long.
fn note_of(content: &str) -> String {
    const LONG: usize = 2000;
    if content.len() > LONG {
        return "The user edited this call before it ran.".to_owned();
    }
    format!("The user edited this call, and it ran with:\n{content}")
}

fn denied(reason: &str, hook: &str) -> Verdict {
    Verdict::Denied(format!("Denied by the hook `{hook}`: {reason}"))
}

fn unanswered(why: &Why) -> String {
    let wanted = match why {
        Why::Policy => "this tool asks before each call".to_owned(),
        Why::Gate(reason) => format!("a hook wants it confirmed ({reason})"),
    };
    format!(
        "Denied: {wanted}, and nobody is there to ask. Run interactively, or with -y to confirm everything beforehand."
    )
}
