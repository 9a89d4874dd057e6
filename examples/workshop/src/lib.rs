//! A house rule at one of Hermes's hook points: a plugin that builds on another plugin.

use hookspec::{First, hook};
use hookspec_hermes::TRANSFORM_TERMINAL_OUTPUT;

hookspec::plugin!();

/// Lines of a command's output that the model gets at most.
const LINES: usize = 40;

/// Leaves out the middle of a long output: what a command was asked and how it ended is at its ends.
#[hook(TRANSFORM_TERMINAL_OUTPUT, name = "workshop.ends_only")]
fn ends_only(output: &str) -> Option<First<String>> {
    let lines: Vec<&str> = output.lines().collect();
    let left_out = lines.len().checked_sub(LINES).filter(|left_out| *left_out > 0)?;
    let (head, tail) = (&lines[..LINES / 2], &lines[LINES / 2 + left_out..]);
    Some(First(format!("{}\n… {left_out} lines …\n{}", head.join("\n"), tail.join("\n"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_long_is_cut_and_never_at_its_ends() {
        let of = |lines: usize| (1..=lines).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
        assert!(ends_only(&of(40)).is_none());
        let First(cut) = ends_only(&of(50)).unwrap();
        assert!(
            cut.starts_with("1\n") && cut.contains("\n20\n… 10 lines …\n31\n") && cut.ends_with("\n50"),
            "{cut}"
        );
    }
}
