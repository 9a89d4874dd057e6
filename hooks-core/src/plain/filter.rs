//! Filters: what the dispatcher looks at before it calls a hook, so that a hook which is not meant is not called.
//!
//! `tools = ["shell", "mcp.*"]` looks at the name of the tool that a call is of, however the call was written. `paths` looks at
//! the file that an event is about:
//!
//! | written | fits |
//! |---|---|
//! | `*.py` | a file of such a name, wherever it is |
//! | `src/**`, `src/` | what is in the folder `src` of the workspace, at any depth |
//! | `./Makefile` | that file of the workspace, and no other of its name |
//! | `**/fixtures/*` | what is in a folder of that name, wherever it is |
//! | `/etc/**` | what is there |
//!
//! `*` and `?` stay within one name, `**` between two `/` is any number of folders. What is outside of the workspace never
//! fits a path within it. Upper and lower case are two, but for systems whose file systems do not tell them apart.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use crate::base::glob::Glob;

/// What an event is about, as far as filters ask. Made by the points, from their fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'e> {
    pub(crate) tool: Option<&'e str>,
    pub(crate) path: Option<&'e Path>,
    pub(crate) paths: Option<&'e [PathBuf]>,
}

/// Why what is written can be no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    #[error("an empty list lets nothing through; leave it out, or write `[\"*\"]` for all")]
    Empty,
    #[error("`{0}` fits nothing: it is empty, or has spaces around it")]
    Blank(String),
    #[error(
        "`{glob}` has a `{letter}`, which means nothing here: there are `*`, `?` and `**`, and a list takes several"
    )]
    Letter { glob: String, letter: char },
    #[error("`{0}` leads out of where it begins: write the path without `..`")]
    Up(String),
    #[error(
        "`{0}` begins with `~`, which only a shell knows: write the path out, or `**/name` for a name wherever it is"
    )]
    Home(String),
}

/// Checks the entries of `tools`.
pub(crate) fn check_tools(globs: &[String]) -> Result<(), Misfit> {
    check(globs, &['[', ']', '{', '}', '!'])
}

/// Checks the entries of `paths`.
pub(crate) fn check_paths(globs: &[String]) -> Result<(), Misfit> {
    check(globs, &['[', ']', '{', '}', '\\'])?;
    for glob in globs {
        let up = glob.split('/').any(|part| part == "..");
        let first = glob.chars().next();
        match first {
            _ if up => return Err(Misfit::Up(glob.clone())),
            Some('~') => return Err(Misfit::Home(glob.clone())),
            Some('!') => return Err(Misfit::Letter { glob: glob.clone(), letter: '!' }),
            _ if parts(glob).is_empty() => return Err(Misfit::Blank(glob.clone())),
            _ => {}
        }
    }
    Ok(())
}

fn check(globs: &[String], letters: &[char]) -> Result<(), Misfit> {
    if globs.is_empty() {
        return Err(Misfit::Empty);
    }
    for glob in globs {
        if glob.trim().is_empty() || glob.trim() != glob {
            return Err(Misfit::Blank(glob.clone()));
        }
        if let Some(letter) = glob.chars().find(|letter| letters.contains(letter)) {
            return Err(Misfit::Letter { glob: glob.clone(), letter });
        }
    }
    Ok(())
}

/// Both filters of a hook.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    tools: Option<Vec<Glob>>,
    paths: Option<Vec<PathGlob>>,
}

impl Filter {
    /// `None` where neither list has an entry: nothing is filtered.
    pub(crate) fn new(tools: &[String], paths: &[String]) -> Option<Self> {
        let tools = (!tools.is_empty()).then(|| tools.iter().map(|glob| Glob::new(glob)).collect());
        let paths = (!paths.is_empty()).then(|| paths.iter().map(|glob| PathGlob::new(glob)).collect());
        (tools.is_some() || paths.is_some()).then_some(Self { tools, paths })
    }

    /// Whether the hook is meant. `root` is where paths within the workspace begin.
    pub(crate) fn fits<'r>(&self, subject: Subject<'_>, root: impl FnOnce() -> Cow<'r, Path>) -> bool {
        if let (Some(globs), Some(tool)) = (&self.tools, subject.tool)
            && !globs.iter().any(|glob| glob.matches(tool))
        {
            return false;
        }
        let Some(globs) = &self.paths else { return true };
        if subject.path.is_none() && subject.paths.is_none() {
            return true;
        }
        let root = root();
        let listed = subject.paths.into_iter().flatten().map(PathBuf::as_path);
        subject.path.into_iter().chain(listed).any(|path| {
            let root = names(&root);
            let path = if path.is_absolute() { names(path) } else { names_in(root.clone(), path) };
            globs.iter().any(|glob| glob.matches(&path, &root))
        })
    }
}

/// Whether a name may be written with other cases and mean the same file.
const FOLDS_CASE: bool = cfg!(any(windows, target_os = "macos"));

fn folded(name: &str) -> Cow<'_, str> {
    if FOLDS_CASE { Cow::Owned(name.to_lowercase()) } else { Cow::Borrowed(name) }
}

/// The names that a path is made of, without what leads nowhere. Links are not followed.
fn names(path: &Path) -> Vec<String> {
    names_in(Vec::new(), path)
}

fn names_in(mut names: Vec<String>, path: &Path) -> Vec<String> {
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(folded(&name.to_string_lossy()).into_owned()),
            Component::Prefix(drive) => {
                names.push(folded(&drive.as_os_str().to_string_lossy()).into_owned());
            }
            Component::ParentDir => drop(names.pop()),
            Component::RootDir | Component::CurDir => {}
        }
    }
    names
}

fn parts(glob: &str) -> Vec<&str> {
    glob.split('/').filter(|part| !part.is_empty() && *part != ".").collect()
}

/// A pattern for whole paths.
#[derive(Clone, Debug)]
struct PathGlob {
    /// Whether it begins in the workspace.
    within: bool,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    /// Any number of folders.
    Folders,
    Name(Glob),
}

impl PathGlob {
    fn new(glob: &str) -> Self {
        let absolute = glob.starts_with('/') || Path::new(glob).is_absolute();
        let anywhere = !glob.contains('/') || glob.starts_with("**/");
        let name = |part: &&str| match *part {
            "**" => Part::Folders,
            name => Part::Name(Glob::new(&folded(name))),
        };
        let mut found: Vec<Part> = parts(glob).iter().map(name).collect();
        if anywhere {
            found.insert(0, Part::Folders);
        }
        if glob.ends_with('/') {
            found.push(Part::Folders);
        }
        // What is in a folder is never the folder itself.
        if matches!(found.last(), Some(Part::Folders)) {
            found.push(Part::Name(Glob::new("*")));
        }
        Self { within: !absolute && !anywhere, parts: found }
    }

    fn matches(&self, path: &[String], root: &[String]) -> bool {
        if !self.within {
            return self.fits(path);
        }
        path.strip_prefix(root).is_some_and(|inside| self.fits(inside))
    }

    fn fits(&self, path: &[String]) -> bool {
        let (mut at, mut from) = (0, 0);
        // Where the last `**` stands, and how many folders it has taken: all that there is to go back to.
        let mut folders = None;
        while from < path.len() {
            match self.parts.get(at) {
                Some(Part::Folders) => {
                    folders = Some((at, from));
                    at += 1;
                }
                Some(Part::Name(glob)) if glob.matches(&path[from]) => {
                    at += 1;
                    from += 1;
                }
                _ => {
                    let Some((stands, taken)) = folders else { return false };
                    folders = Some((stands, taken + 1));
                    at = stands + 1;
                    from = taken + 1;
                }
            }
        }
        self.parts[at..].iter().all(|part| matches!(part, Part::Folders))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    fn lets(glob: &str, path: &str) -> bool {
        let filter = Filter::new(&[], &texts(&[glob])).unwrap();
        let subject = Subject { path: Some(Path::new(path)), ..Subject::default() };
        filter.fits(subject, || Cow::Borrowed(Path::new("/srv/app")))
    }

    #[test]
    fn a_path_fits_by_its_name_or_by_where_it_is() {
        for (glob, fits, fits_not) in [
            (
                "*.py",
                &["/a/b/c.py", "/srv/app/x.py", "/.py", "x.py"][..],
                &["/a.py/c", "/a/c.pyi", "/a/b.PY "][..],
            ),
            (
                "src/**",
                &["/srv/app/src/a", "/srv/app/src/b/c", "src/a"],
                &["/srv/app/src", "/src/a", "/srv/app/lib/src/a"],
            ),
            ("src/", &["/srv/app/src/a", "/srv/app/src/b/c"], &["/srv/app/src", "/srv/app/srcs/a"]),
            ("src/*", &["/srv/app/src/a"], &["/srv/app/src/b/c"]),
            ("src/**/*.rs", &["/srv/app/src/a.rs", "/srv/app/src/b/c/a.rs"], &["/srv/app/a.rs", "/src/a.rs"]),
            ("./Makefile", &["/srv/app/Makefile", "Makefile"], &["/srv/app/sub/Makefile", "/Makefile"]),
            ("Makefile", &["/srv/app/sub/Makefile", "/Makefile"], &["/Makefile/x"]),
            (
                "**/fixtures/*",
                &["/fixtures/a", "/x/y/fixtures/a", "/srv/app/fixtures/a"],
                &["/fixtures", "/fixtures/b/a"],
            ),
            ("/etc/**", &["/etc/passwd", "/etc/a/b", "/srv/../etc/passwd"], &["/srv/app/etc/passwd", "/etc"]),
            ("**", &["/a", "a/b"], &[]),
            ("*", &["/a", "/a/b"], &[]),
            ("a/**/b/**/c", &["/srv/app/a/b/c", "/srv/app/a/x/b/y/b/c"], &["/srv/app/a/c"]),
            ("src//./x", &["/srv/app/src/x"], &[]),
            ("?.c", &["/a/b.c"], &["/a/bb.c"]),
        ] {
            for path in fits {
                assert!(lets(glob, path), "`{glob}` and `{path}`");
            }
            for path in fits_not {
                assert!(!lets(glob, path), "`{glob}` and `{path}`");
            }
        }
    }

    #[test]
    fn a_path_that_leads_out_of_the_workspace_is_not_in_it() {
        assert!(lets("src/**", "/srv/app/lib/../src/x") && lets("src/**", "/srv/app/./src/x"));
        assert!(!lets("src/**", "/srv/app/src/../../../etc/x") && !lets("**/*.key", "/srv/app/x.key/.."));
        assert!(!lets("src/**", "/srv/application/src/x"), "another folder that begins alike");
    }

    #[test]
    fn case_counts_where_file_systems_count_it() {
        assert_eq!(lets("*.py", "/a/b.PY"), FOLDS_CASE);
        assert_eq!(lets("SRC/**", "/srv/app/src/a"), FOLDS_CASE);
    }

    #[test]
    fn one_of_several_paths_is_enough_and_none_is_not() {
        let filter = Filter::new(&[], &texts(&["*.py", "*.rs"])).unwrap();
        let fits = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            filter.fits(Subject { paths: Some(&paths), ..Subject::default() }, || {
                Cow::Borrowed(Path::new("/w"))
            })
        };
        assert!(fits(&["/w/a.txt", "/w/a.rs"]) && !fits(&["/w/a.txt"]) && !fits(&[]));
    }

    #[test]
    fn a_tool_fits_by_its_whole_name() {
        let filter = Filter::new(&texts(&["shell", "mcp.*"]), &[]).unwrap();
        let fits = |tool: &'static str| {
            filter.fits(Subject { tool: Some(tool), ..Subject::default() }, || {
                unreachable!("no path is asked for")
            })
        };
        assert!(fits("shell") && fits("mcp.search") && fits("mcp."));
        assert!(!fits("Shell") && !fits("shell2") && !fits("mcp") && !fits("web.mcp.x") && !fits(""));
        assert!(Filter::new(&[], &[]).is_none());
    }

    #[test]
    fn what_can_be_no_filter_says_why() {
        let paths = |glob: &str| check_paths(&texts(&[glob])).unwrap_err().to_string();
        for (glob, part) in [
            ("", "empty"),
            (" *.py", "spaces"),
            ("/", "fits nothing"),
            ("./", "fits nothing"),
            ("*.{a,b}", "`{`"),
            ("[ab]", "`[`"),
            ("a\\b", "`\\`"),
            ("!a", "`!`"),
            ("../a", "without `..`"),
            ("a/../b", "without `..`"),
            ("~/x", "`~`"),
        ] {
            assert!(paths(glob).contains(part), "{glob}: {}", paths(glob));
        }
        assert_eq!(check_paths(&[]), Err(Misfit::Empty));
        assert_eq!(check_tools(&[]), Err(Misfit::Empty));
        assert!(
            check_tools(&texts(&["shell", "mcp.*", "a!"])).is_err()
                && check_tools(&texts(&["a{b}"])).is_err()
        );
        assert!(check_tools(&texts(&["shell", "mcp.*", "a/b", "?"])).is_ok());
        assert!(check_paths(&texts(&["*.py", "a..b", "x!y", "/a b/c", "**/x/", "é"])).is_ok());
    }

    #[test]
    fn many_folders_are_no_trap() {
        assert!(!lets(&("**/a/".repeat(100) + "c"), &format!("/{}b", "a/".repeat(3_000))));
    }
}
