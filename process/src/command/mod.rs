//! Reads the text of a command line: what it will run, with which words, files and variables.
//!
//! A gate that looks for `git push` in a text is passed by `env git push`, `git -C . push`, `g=git; $g push` and a hundred
//! others. [`read`] follows a script as a shell would: quotes, variables, braces, patterns and tildes are expanded, `cd` and
//! functions are followed, substitutions and here-documents for shells are read, and programs that run others (`sudo`, `env`,
//! `xargs`, `sh -c`, `find -exec`, `git -c alias…`) are taken off. What is left is a list of simple commands.
//!
//! **What it promises.** Whatever the shell runs is among [`Reading::commands`], or [`Reading::unclear`] is not empty; a word
//! that is [`known`](Word::known) is what the program receives. More may be listed than runs. A gate that meets something
//! unclear asks. What it does not see: what a program does that runs, what a configuration of the user's makes of a name
//! (aliases and functions of his shell), and what somebody changes between the reading and the run.
//!
//! **The language** is bash's. Where `sh`, `dash` or `zsh` would read something else, it is unclear, or both are listed.
//!
//! **Costs** some microseconds for an ordinary command; time and room are linear, and the depth is bounded.
//!
//! ```
//! use hookspec_process::command::{Scene, read};
//!
//! let scene = Scene::new(std::path::Path::new("/"));
//! let reading = read("g=git; sudo env A=1 $g -C sub push --force", &scene);
//! let push = reading.commands.last().ok_or("nothing")?;
//! assert_eq!((push.program.as_str(), push.line().as_str()), ("git", "git push --force"));
//! assert!(reading.is_clear() && push.wrappers.len() == 2);
//! assert!(!read("$(cat name) push", &scene).is_clear());
//! # Ok::<(), &str>(())
//! ```

mod files;
mod programs;
mod reading;
mod syntax;
mod walk;

use std::fmt;
use std::path::Path;

pub use files::FileUse;
pub use reading::{Assignment, Doubt, Reading, Redirect, Redirection, Simple, Unclear, Word, Wrapper};

/// Where a script would run.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The folder.
    pub cwd: &'a Path,
    /// The user's folder, where the environment does not say it.
    pub home: Option<&'a Path>,
    /// The environment; a variable that it does not hold counts as unknown.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl fmt::Debug for Scene<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").field("cwd", &self.cwd).field("home", &self.home).finish_non_exhaustive()
    }
}

impl<'a> Scene<'a> {
    /// A scene of which only the folder is known.
    #[must_use]
    pub fn new(cwd: &'a Path) -> Self {
        Self { cwd, home: None, variable: &|_| None }
    }
}

/// What a script will run.
#[must_use]
pub fn read(script: &str, scene: &Scene<'_>) -> Reading {
    walk::Walk::new(scene).script(script)
}
