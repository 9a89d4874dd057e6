use std::error::Error;
use std::rc::Rc;

use hookspec::{Gate, hook, points::FILE_POST_SAVE, points::TOOL_PRE_EXECUTE, tool};

#[hook(FILE_POST_SAVE)]
fn boxed() -> Result<(), Box<dyn Error>> {
    Ok(())
}

#[hook(TOOL_PRE_EXECUTE)]
async fn half() -> Result<Option<Gate>, Box<dyn std::error::Error + Send>> {
    Ok(None)
}

#[hook(FILE_POST_SAVE)]
fn strange() -> Result<(), Rc<str>> {
    Ok(())
}

/// Reads.
#[tool]
fn read() -> Result<String, Box<dyn Error>> {
    Ok(String::new())
}

fn main() {}
