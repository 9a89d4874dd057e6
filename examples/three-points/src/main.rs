//! An agent's loop of one's own with three points, and two hooks that listen at them.

use hookspec::{Fold, Gate, Hooks, Registry, Session, data, fire_now, hook, hook_point};

/// What the agent is about to do: a type of this program, which hooks may replace.
#[data]
struct Step {
    /// The tool.
    tool: String,
    /// What it is given.
    input: String,
}

hook_point! {
    /// Before a step: hooks may change it.
    STEP_PLAN("agent.plan") -> Fold<Step> { #[fold] step: &Step }

    /// Before it is taken: hooks may refuse.
    STEP_RUN("agent.run") -> Gate { step: &Step, number: u32 }

    /// Afterwards.
    STEP_DONE("agent.done") -> Messages { step: &Step, output: &str }
}

/// Paths are written as the tools want them.
#[hook(STEP_PLAN)]
fn forward_slashes(step: &Step) -> Option<Fold<Step>> {
    let input = step.input.replace('\\', "/");
    (input != step.input).then(|| Fold(Step { input, ..step.clone() }))
}

/// Nothing is removed, and nobody goes on forever.
#[hook(STEP_RUN, priority = 10)]
fn careful(step: &Step, number: u32) -> Option<Gate> {
    (step.tool == "remove" || number > 50).then(|| Gate::deny(format!("`{}` is too much", step.tool)))
}

#[allow(clippy::print_stdout)] // printing is what this program is for
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Session::builder(&Hooks::new(Registry::builder().build()?), "demo").build();
    for (number, (tool, input)) in (0..).zip([("read", r"src\main.rs"), ("remove", "/")]) {
        let planned = Step { tool: tool.to_owned(), input: input.to_owned() };
        let step = fire_now!(session, STEP_PLAN { step: &planned }).take_value().unwrap_or(planned);
        let may = fire_now!(session, STEP_RUN { step: &step, number });
        if let Some((reason, hook)) = may.denied() {
            println!("{tool}: no, says {hook}: {reason}");
            continue;
        }
        println!("{tool}: {}", step.input);
        let _ = fire_now!(session, STEP_DONE { step: &step, output: "done" });
    }
    Ok(())
}
