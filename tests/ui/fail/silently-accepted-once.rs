use hookspec::{hook, hook_point, points::FILE_POST_SAVE, points::TOOL_PRE_EXECUTE, tool, Gate};

hook_point! {
    /// Fired by a program without an async runtime.
    pub BAKE_PRE("bake.pre", sync) -> Gate { degrees: u32 }
    /// A name with a space.
    pub BAKE_POST("bake post") -> Messages {}
}

#[hook(FILE_POST_SAVE, fail_open)]
fn no_gate() {}

#[hook(TOOL_PRE_EXECUTE, background, fail_open)]
fn decides_nothing() {}

#[hook(BAKE_PRE, blocking)]
fn blocks_without_a_pool() -> Gate {
    Gate::Allow
}

#[hook(FILE_POST_SAVE)]
extern "C" fn foreign() {}

#[hook(FILE_POST_SAVE, timeout = "never")]
fn nobody_can_cut_it_off() {}

#[hook(FILE_POST_SAVE, name = "linter.lint")]
fn one() {}

#[hook(FILE_POST_SAVE, name = "linter.lint")]
fn again() {}

#[hook(FILE_POST_SAVE, tool = "read file")]
fn of_no_tool() {}

#[hook(FILE_POST_SAVE, priority = 3000000000)]
fn too_high() {}

#[hook(FILE_POST_SAVE, timeout = 30)]
async fn a_number_of_what() {}

#[hook(FILE_POST_SAVE, timeout = "1 day")]
async fn no_such_unit() {}

/// Reads a file.
#[tool(name = "read file")]
fn read() -> String {
    String::new()
}

/// Reads.
#[tool]
extern "C" fn foreign_tool() -> String {
    String::new()
}

fn main() {}
