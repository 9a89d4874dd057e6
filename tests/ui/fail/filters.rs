use hookspec::points::{FILE_POST_SAVE, STEP_POST, TOOL_PRE_EXECUTE};
use hookspec::hook;

#[hook(STEP_POST, tools = ["shell"])]
fn no_tool_here() {}

#[hook(TOOL_PRE_EXECUTE, paths = ["*.py"])]
fn no_file_here() {}

#[hook(FILE_POST_SAVE, paths = [])]
fn nothing() {}

#[hook(FILE_POST_SAVE, paths = ["*.{py,pyi}", "../x"])]
fn fits_nothing() {}

#[hook(TOOL_PRE_EXECUTE, tools = [shell])]
fn words() {}

#[hook(STEP_POST, name = "own.name", before = "own.name", after = ["a b"])]
fn itself() {}

fn main() {}
