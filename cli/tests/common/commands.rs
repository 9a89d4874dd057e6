//! The commands that a page shows, and what they print.

use std::path::Path;

use super::Home;

/// The commands on a page, each with what it must print.
pub fn commands(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next().filter(|line| *line != "```") {
            match line.strip_prefix("$ ") {
                Some(command) => {
                    let mut command = command.to_owned();
                    let is_open = |command: &str| command.ends_with('\\') || command.ends_with("<<'EOF'");
                    if is_open(&command) {
                        let here = command.ends_with("<<'EOF'");
                        for more in lines.by_ref() {
                            command.push('\n');
                            command.push_str(more);
                            if if here { more == "EOF" } else { !is_open(more) } {
                                break;
                            }
                        }
                    }
                    found.push((command, String::new()));
                }
                None => {
                    let (_, output) = found.last_mut().expect("output before the first command");
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
    }
    found
}

/// Runs a page's commands one after the other in one shell; what each printed.
pub fn run(home: &Home, commands: &[(String, String)]) -> (Vec<String>, String) {
    let mark = "=#=#=#=";
    let script: String = commands.iter().map(|(command, _)| format!("{command}\necho '{mark}'\n")).collect();
    let program = Path::new(env!("CARGO_BIN_EXE_hookspec"));
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let output = home
        .command_of(Path::new("bash"), &["-c", &script])
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("HOME", home.workspace())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("CI")
        .output()
        .unwrap();
    let place = home.workspace().canonicalize().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap().replace(place.to_str().unwrap(), "/w");
    let mut printed: Vec<String> = stdout.split(&format!("{mark}\n")).map(str::to_owned).collect();
    printed.pop();
    (printed, String::from_utf8_lossy(&output.stderr).into_owned())
}
