//! Confirmations: whether a tool call may run.

use hookspec::points::{TOOL_CONFIRM, TOOL_PRE_EXECUTE};
use hookspec::{Confirmation, Gate, ToolEntry, ToolUse, Why, fire};

use super::Agent;

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
    /// Asks the gate, and where the tool's policy or the gate wants it, the user.
    pub(super) async fn may_run(&mut self, call: ToolUse, tool: Option<&ToolEntry>) -> Verdict {
        let mut why = tool.is_some_and(|tool| tool.confirm).then_some(Why::Policy);
        match self.gate(&call).await {
            Some((Gate::Deny(reason), hook)) => return denied(&reason, &hook),
            Some((Gate::Ask(reason), _)) => why = Some(Why::Gate(reason)),
            Some((Gate::Allow, _)) | None => {}
        }
        let (Some(why), Some(tool)) = (why, tool) else { return Verdict::Run(call) };
        let preview = tool.preview.and_then(|preview| preview(&call, &self.session));
        let mut fired =
            fire!(self.session, TOOL_CONFIRM { tool_use: &call, preview: preview.as_deref(), why: &why })
                .await;
        self.after(&fired).await;
        match fired.take_answer() {
            Some((Confirmation::Confirm, _)) => Verdict::Run(call),
            Some((Confirmation::Skip { reason }, _)) => Verdict::Declined(reason),
            Some((Confirmation::Edit { content }, _)) => {
                // What will run is not what the gate has seen: it looks again.
                let note = note_of(&content);
                let edited = tool.with_content(&call, content);
                match self.gate(&edited).await {
                    Some((Gate::Deny(reason), hook)) => denied(&reason, &hook),
                    _ => Verdict::Edited(edited, note),
                }
            }
            None => Verdict::Denied(unanswered(&why)),
        }
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
