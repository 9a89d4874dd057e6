//! The Cargo project around the workspace, as far as `doctor` and `new` want to know it.
//!
//! The question is which plugin crates a person expects in this program and does not get: a crate that is only
//! listed in Cargo.toml is silently not linked. `Cargo.toml` says what a package depends on, `Cargo.lock` which of
//! those use hookspec; no process is started. Of a workspace without a package at its root only the package
//! whose program this is counts: its other members are nobody's plugins yet.
//!
//! Limits: a library that uses hookspec and is no plugin looks like one, so the remedy says "if".

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

/// Packages that use hookspec and are no plugins.
const FRAMEWORK: [&str; 6] =
    ["hookspec", "hookspec-macros", "hookspec-agent", "hookspec-bridge", "hookspec-server", "hookspec-cli"];

/// A file of the project that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectError {
    #[error("{path} cannot be read: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} is not valid TOML: {why}")]
    Syntax { path: PathBuf, why: String },
}

/// A plugin crate that is not in this program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) package: String,
    pub(crate) remedy: String,
}

/// What was looked at, and what is missing.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) manifest: PathBuf,
    pub(crate) missing: Vec<Missing>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Lock {
    fn uses_hookspec(&self, name: &str) -> bool {
        let on_us = |dependency: &String| dependency.split(' ').next() == Some("hookspec");
        self.package.iter().any(|package| package.name == name && package.dependencies.iter().any(on_us))
    }
}

/// Looks at the project around `folder`; `None` if there is none. `program` is the name of this binary,
/// `linked` the packages whose hooks or tools are in it.
pub(crate) fn examine(
    folder: &Path,
    program: &str,
    linked: &BTreeSet<&str>,
) -> Result<Option<Project>, ProjectError> {
    let Some(manifest) = upwards(folder, "Cargo.toml") else { return Ok(None) };
    let lock_path = upwards(folder, "Cargo.lock");
    let lock = match &lock_path {
        Some(path) => toml::from_str::<Lock>(&read(path)?).map_err(|error| syntax(path, &error))?,
        None => Lock::default(),
    };
    let table = parse(&manifest)?;
    // Where the lock is, there is the workspace's root.
    let (root_path, root) = match lock_path.map(|path| path.with_file_name("Cargo.toml")) {
        Some(root) if root != manifest && root.is_file() => (root.clone(), parse(&root)?),
        _ => (manifest.clone(), table.clone()),
    };
    let packages = if table.contains_key("package") {
        vec![(manifest.clone(), table)]
    } else {
        members(&manifest, &table)?.into_iter().filter(|(path, t)| has_program(path, t, program)).collect()
    };
    let mut missing = Vec::new();
    for (path, table) in &packages {
        let Some(name) = package_name(table) else { continue };
        let own = dependencies(table, &root);
        if !FRAMEWORK.contains(&name) && !linked.contains(name) && is_plugin(path, table) {
            let runs = if own.contains("hookspec-cli") {
                Some("cargo run -- list".to_owned())
            } else {
                program_with(name, &root_path, &root)?
                    .map(|package| format!("cargo run -p {package} -- list"))
            };
            let remedy = match runs {
                Some(command) => format!(
                    "it is the plugin of this folder, and this program is not its own: `{command}` runs the one that has it"
                ),
                None => "it is the plugin of this folder; name it in the `hookspec::plugins![…]` of the host that shall have it".to_owned(),
            };
            missing.push(Missing { package: name.to_owned(), remedy });
        }
        for dependency in own {
            let known = FRAMEWORK.contains(&&*dependency) || linked.contains(&*dependency);
            if !known && lock.uses_hookspec(&dependency) {
                let remedy = format!(
                    "`{name}` depends on it, it uses hookspec, and it is not in this program: if it is a plugin, say `hookspec::plugin!();` at its root and name it in the host's `hookspec::plugins![…]`"
                );
                missing.push(Missing { package: dependency, remedy });
            }
        }
    }
    Ok(Some(Project { manifest, missing }))
}

/// The nearest file of that name, here or in a folder above.
fn upwards(folder: &Path, name: &str) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn read(path: &Path) -> Result<String, ProjectError> {
    std::fs::read_to_string(path).map_err(|source| ProjectError::Read { path: path.to_owned(), source })
}

fn syntax(path: &Path, error: &toml::de::Error) -> ProjectError {
    ProjectError::Syntax { path: path.to_owned(), why: error.to_string().trim().to_owned() }
}

fn parse(path: &Path) -> Result<Table, ProjectError> {
    read(path)?.parse().map_err(|error| syntax(path, &error))
}

fn package_name(manifest: &Table) -> Option<&str> {
    manifest.get("package")?.get("name")?.as_str()
}

/// The members of a workspace; `folder/*` is the only pattern that is followed.
fn members(manifest: &Path, table: &Table) -> Result<Vec<(PathBuf, Table)>, ProjectError> {
    let root = manifest.parent().unwrap_or(Path::new("."));
    let listed = table.get("workspace").and_then(|workspace| workspace.get("members"));
    let listed = listed.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut paths = Vec::new();
    for member in listed {
        match member.strip_suffix("/*") {
            Some(folder) => {
                let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
                paths.extend(entries.map(|entry| entry.path().join("Cargo.toml")));
            }
            None => paths.push(root.join(member).join("Cargo.toml")),
        }
    }
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.into_iter().map(|path| parse(&path).map(|table| (path, table))).collect()
}

/// The member of the workspace that is our program with this plugin in it, as `hookspec new` makes one.
fn program_with(plugin: &str, manifest: &Path, root: &Table) -> Result<Option<String>, ProjectError> {
    let has_both = |table: &Table| {
        let own = dependencies(table, root);
        own.contains("hookspec-cli") && own.contains(plugin)
    };
    let members = members(manifest, root)?;
    let found = members.iter().find(|(_, table)| has_both(table));
    Ok(found.and_then(|(_, table)| package_name(table)).map(str::to_owned))
}

fn has_program(manifest: &Path, table: &Table, program: &str) -> bool {
    let listed = table.get("bin").and_then(Value::as_array).into_iter().flatten();
    let named = listed.filter_map(|bin| bin.get("name")?.as_str()).any(|name| name == program);
    named || package_name(table) == Some(program) && manifest.with_file_name("src").join("main.rs").is_file()
}

/// The packages that a package depends on, under their own names; those for its tests do not count.
fn dependencies(manifest: &Table, root: &Table) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = targets.filter_map(|target| target.get("dependencies")).chain(manifest.get("dependencies"));
    let shared = root.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let renamed = |value: &Value| Some(value.get("package")?.as_str()?.to_owned());
    tables
        .filter_map(Value::as_table)
        .flatten()
        .map(|(key, value)| {
            let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let shared = shared.filter(|_| inherited).and_then(|shared| shared.get(key));
            renamed(value).or_else(|| shared.and_then(renamed)).unwrap_or_else(|| key.clone())
        })
        .collect()
}

/// Whether the package's library says that it is a plugin.
fn is_plugin(manifest: &Path, table: &Table) -> bool {
    let path = table.get("lib").and_then(|lib| lib.get("path")?.as_str()).unwrap_or("src/lib.rs");
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let Ok(text) = std::fs::read_to_string(folder.join(path)) else { return false };
    text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains("plugin!("))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn missing(folder: &Path, linked: &[&str]) -> Vec<String> {
        let linked = linked.iter().copied().collect();
        let project = examine(folder, "mybot", &linked).unwrap().unwrap();
        project.missing.into_iter().map(|missing| missing.package).collect()
    }

    const LOCK: &str = "version = 4
[[package]]
name = 'alpha-hooks'
version = '1.0.0'
dependencies = ['hookspec 0.1.0', 'serde']
[[package]]
name = 'beta-hooks'
version = '1.0.0'
dependencies = ['hookspec']
[[package]]
name = 'serde'
version = '1.0.0'
";

    #[test]
    fn a_dependency_that_uses_hookspec_is_missed_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "Cargo.lock", LOCK);
        put(
            folder.path(),
            "Cargo.toml",
            "[package]\nname='mybot'\n[dependencies]\nserde='1'\nhookspec='1'\na={package='alpha-hooks',version='1'}\n[target.'cfg(unix)'.dependencies]\nbeta-hooks='1'\n",
        );
        assert_eq!(missing(folder.path(), &[]), ["alpha-hooks", "beta-hooks"]);
        assert_eq!(missing(folder.path(), &["beta-hooks"]), ["alpha-hooks"]);
    }

    #[test]
    fn crates_for_tests_and_neighbours_in_a_workspace_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "Cargo.lock", LOCK);
        put(
            folder.path(),
            "Cargo.toml",
            "[workspace]\nmembers=['bot','plugins/*']\n[workspace.dependencies]\nb={package='beta-hooks',path='plugins/beta'}\n",
        );
        put(
            folder.path(),
            "bot/Cargo.toml",
            "[package]\nname='bot'\n[[bin]]\nname='mybot'\n[dev-dependencies]\nalpha-hooks='1'\n",
        );
        put(folder.path(), "plugins/beta/Cargo.toml", "[package]\nname='beta-hooks'\n");
        put(folder.path(), "plugins/beta/src/lib.rs", "// hookspec::plugin!();\nhookspec::plugin!();\n");
        assert!(missing(folder.path(), &[]).is_empty());
        // In the plugin's own folder somebody does expect it.
        assert_eq!(missing(&folder.path().join("plugins/beta/src"), &[]), ["beta-hooks"]);
        put(
            folder.path(),
            "bot/Cargo.toml",
            "[package]\nname='bot'\n[[bin]]\nname='mybot'\n[dependencies]\nb={workspace=true}\n",
        );
        assert_eq!(missing(folder.path(), &[]), ["beta-hooks"]);
    }

    #[test]
    fn a_broken_manifest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "Cargo.toml", "[package\n");
        let error = examine(folder.path(), "x", &BTreeSet::new()).unwrap_err().to_string();
        assert!(error.contains("Cargo.toml is not valid TOML") && error.contains("line 1"), "{error}");
    }
}
