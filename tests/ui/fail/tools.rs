use hookspec::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Args {
    path: String,
}

/// A field that is not there.
#[tool(args = [pth])]
fn misspelt(args: Args) -> String {
    args.path
}

#[tool]
fn undocumented() -> String {
    String::new()
}

/// A parameter that no tool has.
#[tool(confrm)]
fn stranger(path: String) -> String {
    path
}

/// A return that is none.
#[tool]
fn number() -> u32 {
    7
}

/// Named by a string alone.
#[tool("count")]
fn count() -> String {
    String::new()
}

fn main() {}
