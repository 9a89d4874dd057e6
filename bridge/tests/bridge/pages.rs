//! The tables in `docs/clients`: made from what the code does, so that they cannot say anything else.
//!
//! `UPDATE_PAGES=1 cargo test -p hookspec-bridge --test bridge pages` writes them.

use std::path::Path;

use hookspec_bridge::client::Client;
use hookspec_bridge::lower::{Can, Rewrite, can};
use hookspec_bridge::moment::{Incoming, Kind, points_of};
use serde_json::Map;

const BEGIN: &str = "<!-- generated: events -->\n";
const END: &str = "<!-- end -->\n";

fn says(can: &Can) -> String {
    let all = [
        (can.deny, "refuse"),
        (can.ask, "ask the user"),
        (can.allow, "spare the user the question"),
        (can.rewrite == Rewrite::Whole, "change the arguments"),
        (can.rewrite == Rewrite::Merge, "change or add arguments"),
        (can.replace, "replace the text"),
        (can.answer, "answer"),
        (can.context, "tell the model"),
        (can.go_on, "keep going"),
        (can.halt, "end the turn"),
    ];
    let words: Vec<&str> = all.into_iter().filter(|(can, _)| *can).map(|(_, word)| word).collect();
    if words.is_empty() { "–".to_owned() } else { words.join(", ") }
}

fn table(client: Client) -> String {
    let mut text =
        String::from("| event | hook points, in this order | what hooks can say there |\n|---|---|---|\n");
    for (name, kind) in Kind::table(client) {
        let points: Vec<String> = kind.points().iter().map(|point| format!("`{}`", point.name)).collect();
        let can = can(&Incoming::read(client, Map::new(), Some(name)));
        let double =
            if client.doubled().contains(name) { " (not installed: another event tells it)" } else { "" };
        text.push_str(&format!("| `{name}`{double} | {} | {} |\n", points.join(" "), says(&can)));
    }
    let fires = points_of(client);
    let all = hookspec::point::all_points();
    let ours = all.iter().map(|point| point.info()).filter(|point| point.package == "hookspec");
    let never: Vec<String> = ours
        .filter(|point| !fires.iter().any(|fired| fired.wire == point.wire))
        .map(|point| format!("`{}`", point.name))
        .collect();
    if !never.is_empty() {
        text.push_str(&format!("\nNever fires here: {}.\n", never.join(", ")));
    }
    text
}

#[test]
fn the_pages_show_what_the_code_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/clients");
    for client in Client::ALL {
        let path = folder.join(format!("{client}.md"));
        let page =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (before, rest) =
            page.split_once(BEGIN).unwrap_or_else(|| panic!("{client}: no place for the table"));
        let (held, after) = rest.split_once(END).unwrap_or_else(|| panic!("{client}: the table has no end"));
        let table = table(client);
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        } else {
            assert_eq!(held, table, "{client}: run this test with UPDATE_PAGES=1");
        }
    }
}
