//! Asking whether programs that a folder brings may run.
//!
//! A project's folder comes from somebody else, and what lies in it a model may have written a moment ago. A hook that runs what a file
//! there names (`.pre-commit-config.yaml`, a task list) asks first: the host lends each session a [`Consent`], which knows what the user
//! trusts and compares it with what is there now, byte for byte. Without one nobody has agreed.
//!
//! ```
//! use std::path::Path;
//! use hookspec_process::consent::{Asked, Consent};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join(".pre-commit-config.yaml");
//! std::fs::write(&file, "repos: []\n")?;
//! let nobody = Consent::new(|asked| Err(format!("{} is new", asked.file.display())));
//! assert!(nobody.to(&Asked::about(&file)?).unwrap_err().ends_with("is new"));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file that is longer, in bytes, is no list of checks.
const LONGEST: u64 = 1 << 20;

/// What programs read that are often named in such a file, and that says what else they run.
const READS: &[(&str, &[&str])] = &[
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("npm", &["package.json"]),
    ("npx", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json", ".yarnrc.yml", ".yarnrc"]),
    ("bun", &["package.json"]),
    ("tox", &["tox.ini", "pyproject.toml", "setup.cfg"]),
    ("nox", &["noxfile.py"]),
    ("invoke", &["tasks.py"]),
    ("cargo", &[".cargo/config.toml", ".cargo/config", "Cargo.toml", "build.rs"]),
    ("go", &["go.mod"]),
    ("rake", &["Rakefile"]),
    ("bundle", &["Gemfile"]),
    ("composer", &["composer.json"]),
    ("gradle", &["build.gradle", "build.gradle.kts"]),
    ("gradlew", &["build.gradle", "build.gradle.kts"]),
    ("mvn", &["pom.xml"]),
    (
        "eslint",
        &["eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", ".eslintrc.js", ".eslintrc.cjs"],
    ),
    ("prettier", &["prettier.config.js", ".prettierrc.js", ".prettierrc.cjs", ".prettierrc.mjs"]),
    ("stylelint", &["stylelint.config.js", ".stylelintrc.js"]),
    ("pylint", &[".pylintrc", "pylintrc", "pyproject.toml", "setup.cfg"]),
    ("mypy", &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"]),
    ("flake8", &[".flake8", "setup.cfg", "tox.ini"]),
    ("pytest", &["pytest.ini", "pyproject.toml", "tox.ini", "conftest.py"]),
    ("ansible-lint", &[".ansible-lint"]),
];

/// A file that names programs, as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The file, by its real path.
    pub file: PathBuf,
    /// What is in it.
    pub text: String,
    /// Its lines that may name files or programs. Rather too many: a file too few lets something else run.
    pub commands: Vec<String>,
    /// Where the programs will run.
    pub folder: PathBuf,
}

impl Asked {
    /// Reads such a file. What it names is meant from its folder.
    ///
    /// # Errors
    /// If it cannot be read, is no text, or is longer than such a file is.
    pub fn about(file: &Path) -> io::Result<Self> {
        let file = file.canonicalize()?;
        if !file.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        let mut text = String::new();
        std::fs::File::open(&file)?.take(LONGEST + 1).read_to_string(&mut text)?;
        if text.len() as u64 > LONGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is longer than 1 MiB"));
        }
        let folder = file.parent().unwrap_or(&file).to_owned();
        let commands = commands(&text);
        Ok(Self { file, text, commands, folder })
    }
}

/// The lines of a text, and the files that their programs read by themselves.
fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        commands.push(line.to_owned());
        let words: Vec<&str> =
            line.split(|c: char| c.is_whitespace() || ",;|&()[]{}'\"=".contains(c)).collect();
        for (index, word) in words.iter().enumerate() {
            let name = word.rsplit('/').next().unwrap_or(word);
            let read =
                READS.iter().filter(|(program, _)| *program == name).flat_map(|(_, files)| files.iter());
            commands.extend(read.map(|file| (*file).to_owned()));
            // `python -m tools.check`
            if *word == "-m"
                && let Some(module) = words.get(index + 1)
            {
                let path = module.replace('.', "/");
                commands.extend([
                    format!("{path}.py"),
                    format!("{path}/__main__.py"),
                    format!("{path}/__init__.py"),
                ]);
            }
        }
    }
    commands
}

type Knows = dyn Fn(&Asked) -> Result<(), String> + Send + Sync;

/// The user's word on what a folder brings; a session extension.
pub struct Consent(Box<Knows>);

impl Consent {
    /// From what knows: `Err` says in a sentence why not, and what the user can do.
    pub fn new(knows: impl Fn(&Asked) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self(Box::new(knows))
    }

    /// Whether the user agreed to exactly this.
    ///
    /// # Errors
    /// If not, with why, in a sentence.
    pub fn to(&self, asked: &Asked) -> Result<(), String> {
        (self.0)(asked)
    }
}

impl fmt::Debug for Consent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Consent")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_read_by_themselves_is_named() {
        let text = "# make\nrepos:\n- entry: make lint\n- entry: python3 -m tools.check --x\n- entry: 'bash -c \"npm run x\"'\n";
        let named = commands(text);
        for wanted in
            ["Makefile", "tools/check.py", "tools/check/__main__.py", "package.json", "- entry: make lint"]
        {
            assert!(named.iter().any(|name| name == wanted), "{wanted}: {named:?}");
        }
        assert_eq!(commands("# make\n\n"), [""; 0]);
    }

    #[test]
    fn what_is_no_list_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        assert!(Asked::about(&file).is_err() && Asked::about(folder.path()).is_err());
        std::fs::write(&file, "x".repeat(1 << 21)).unwrap();
        assert!(Asked::about(&file).unwrap_err().to_string().contains("1 MiB"));
        std::fs::write(&file, "x").unwrap();
        assert_eq!(Asked::about(&file).unwrap().text, "x");
    }
}
