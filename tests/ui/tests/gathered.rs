//! What the linker gathers in programs of other kinds: on wasm, beside a list of the same name, beside a second core.
//!
//! Each builds a small program of its own, so they are among the slow tests.

#![allow(clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a folder around this one").to_owned()
}

/// An empty folder for a test.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gathered-crates").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of the run before");
    }
    folder
}

/// A crate in a folder of its own.
fn krate(folder: &Path, manifest: &str, file: &str, source: &str) {
    std::fs::create_dir_all(folder.join("src")).expect("a folder");
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::write(folder.join("src").join(file), source).expect("a source");
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
}

/// Builds for this machine or for another target, in a target folder that all of these share.
fn build(folder: &Path, target: Option<&str>) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gathered");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--offline", "--quiet"]).current_dir(folder).env("CARGO_TARGET_DIR", &place);
    if let Some(target) = target {
        cargo.args(["--target", target]);
    }
    let done = cargo.output().expect("cargo");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    target.map_or(place.clone(), |target| place.join(target)).join("debug")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Whether a target's standard library is here; if not, says so.
fn has_target(target: &str) -> bool {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc");
    let there = Path::new(&text(&sysroot)).join("lib/rustlib").join(target).is_dir();
    if !there {
        eprintln!("skipped: no standard library of {target} here");
    }
    there
}

/// Hooks of every kind that needs no thread, a point and a tool of one's own, and what became of them.
const PROGRAM: &str = r#"
#![forbid(unsafe_code)]
use hookspec::session::Clock;
use hookspec::{Gate, Hooks, Message, Registry, Session, fire_now, hook, hook_point, tool};

hook_point! {
    /// Before the dough goes into the oven.
    pub BAKE("gathered.bake") -> Gate { degrees: u32, recipe: &str }
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Count(u32);

#[hook(BAKE, priority = 5)]
fn too_hot(degrees: u32) -> Gate {
    if degrees > 250 { Gate::deny("too hot") } else { Gate::Allow }
}

#[hook(BAKE)]
fn counts(state: &mut Count, recipe: &str) -> Message {
    state.0 += 1;
    Message::system(format!("{recipe} {}", state.0))
}

#[hook(BAKE)]
async fn waits(recipe: &str) -> Message {
    Message::system(format!("waited for {recipe}"))
}

/// Weighs.
#[tool]
fn weigh() -> String { String::new() }

pub fn said() -> String {
    let registry = Registry::builder().build().expect("a registry");
    let tools = registry.tools().names().collect::<Vec<_>>().join(" ");
    let hooks = Hooks::new(registry);
    let clock = Clock::manual("2026-01-01T00:00:00Z".parse().expect("a time"));
    let session = Session::builder(&hooks, "s").clock(clock).build();
    let mut said: Vec<String> = Vec::new();
    for degrees in [200, 300] {
        let fired = fire_now!(session, BAKE { degrees, recipe: "rye" });
        said.push(fired.denied().is_some().to_string());
        said.extend(fired.messages().iter().map(|message| message.content.clone()));
    }
    let sites = hookspec::point::fire_sites().iter().filter(|site| site.point.name == "BAKE").count();
    format!("{} | {tools} | {sites} | {}", said.join(", "), hookspec::point::find_point("BAKE").is_some())
}
"#;

const SAID: &str = "false, rye 1, waited for rye, true, rye 2, waited for rye | weigh | 1 | true";

fn manifest(name: &str, rest: &str) -> String {
    let core = root().join("hooks-core");
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n{rest}\n[dependencies]\nserde = \"1\"\nhookspec = {{ path = {core:?} }}\n"
    )
}

#[test]
#[ignore = "builds programs of its own"]
fn slow_every_hook_is_gathered_on_wasm() {
    if !has_target("wasm32-wasip1") || Command::new("node").arg("--version").output().is_err() {
        return;
    }
    let folder = place("wasi");
    let source = format!("{PROGRAM}\nfn main() {{ println!(\"{{}}\", said()); }}");
    krate(&folder, &manifest("gathered-wasi", ""), "main.rs", &source);
    let program = build(&folder, Some("wasm32-wasip1")).join("gathered-wasi.wasm");
    let script = r"
const { WASI } = require('node:wasi');
const wasi = new WASI({ version: 'preview1', args: [], env: {} });
const bytes = require('node:fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, wasi.getImportObject()).then(({ instance }) => wasi.start(instance));
";
    let run = Command::new("node").args(["--no-warnings", "-e", script]).arg(&program).output();
    assert_eq!(text(&run.expect("node")), SAID);
}

/// Without any host: no clock, no threads, nothing to print to, and exports that each may call what fills the lists.
#[test]
#[ignore = "builds programs of its own"]
fn slow_every_hook_is_gathered_where_a_program_has_no_host() {
    let target = "wasm32-unknown-unknown";
    if !has_target(target) || Command::new("node").arg("--version").output().is_err() {
        return;
    }
    let folder = place("bare");
    // The attribute of an export is unsafe to write; what core's macros write is not the crate's.
    let source = PROGRAM
        .replace("#![forbid(unsafe_code)]", "")
        .replace("Session::builder(&hooks, \"s\").clock(clock)", "Session::builder(&hooks, \"s\")")
        .replace("    let clock = Clock::manual(\"2026-01-01T00:00:00Z\".parse().expect(\"a time\"));\n", "")
        .replace("use hookspec::session::Clock;\n", "")
        + "\n#[unsafe(no_mangle)] pub extern \"C\" fn length() -> usize { said().len() }\n#[unsafe(no_mangle)] pub extern \"C\" fn letter(at: usize) -> u32 { said().as_bytes()[at].into() }\n";
    krate(&folder, &manifest("gathered-bare", "[lib]\ncrate-type = [\"cdylib\"]"), "lib.rs", &source);
    let program = build(&folder, Some(target)).join("gathered_bare.wasm");
    let script = r"
const bytes = require('node:fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, {}).then(({ instance: { exports } }) => {
    let said = '';
    for (let at = 0, end = exports.length(); at < end; at++) said += String.fromCharCode(exports.letter(at));
    console.log(said);
});
";
    let run = Command::new("node").args(["-e", script]).arg(&program).output();
    assert_eq!(text(&run.expect("node")), SAID);
}

#[test]
#[ignore = "builds programs of its own"]
fn slow_a_list_of_the_same_name_and_a_second_core_are_no_hindrance() {
    let folder = place("twice");
    // The second core: the same sources elsewhere, as another version.
    let elsewhere = folder.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("a folder");
    let second = elsewhere.join("core");
    let copied = Command::new("cp").arg("-r").arg(root().join("hooks-core")).arg(&second).status();
    assert!(copied.expect("cp").success());
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let (_, members) = workspace.split_once("members = [").expect("members");
    let (_, rest) = members.split_once("]\n").expect("the end of the members");
    let rest = rest.replace("path = \"hooks-macros\"", &format!("path = {:?}", root().join("hooks-macros")));
    // The version is the copy's own: where the target folder lies in the clone, cargo takes the clone for its workspace.
    let own = second.join("Cargo.toml");
    let manifest_of_core = std::fs::read_to_string(&own).expect("the manifest of core");
    let as_another = manifest_of_core.replacen("version.workspace = true", "version = \"0.2.0\"", 1);
    std::fs::write(&own, as_another).expect("the manifest of the second core");
    let manifest_of_both = format!("[workspace]\nresolver = \"3\"\nmembers = [\"core\"]\n{rest}");
    std::fs::write(elsewhere.join("Cargo.toml"), manifest_of_both).expect("a manifest");

    let source = format!(
        "{}\n#[linkme::distributed_slice]\npub static TOOLS: [u32];\n#[linkme::distributed_slice(TOOLS)]\nstatic MINE: u32 = 7;\n#[linkme::distributed_slice]\npub static HOOKS: [u32];\nmod second {{\n    use second::{{hook, points::TURN_POST}};\n    #[hook(TURN_POST)]\n    fn heard() {{}}\n    pub fn names() -> Vec<String> {{\n        let registry = second::Registry::builder().build().expect(\"a registry\");\n        registry.list().iter().map(|row| row.info.name.clone()).collect()\n    }}\n}}\nfn main() {{ println!(\"{{}} | {{:?}} {{}} | {{:?}}\", said(), &*TOOLS, HOOKS.len(), second::names()); }}",
        PROGRAM.replace("#![forbid(unsafe_code)]", "")
    );
    let program = folder.join("program");
    let manifest = manifest("gathered-twice", "")
        + &format!("second = {{ package = \"hookspec\", path = {second:?} }}\nlinkme = \"0.3\"\n");
    krate(&program, &manifest, "main.rs", &source);
    let built = build(&program, None).join("gathered-twice");
    let run = Command::new(built).output().expect("the program");
    assert_eq!(text(&run), format!("{SAID} | [7] 0 | [\"second.heard\"]"));
}
