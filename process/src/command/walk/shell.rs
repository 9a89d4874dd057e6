//! What a shell knows while it runs a script, as far as it can be followed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::super::Scene;
use super::super::reading::Word;
use super::super::syntax::Node;

/// Variables that the shell itself sets, whatever the environment says.
const OWN: &str = " BASHPID BASH_ARGV0 BASH_COMMAND BASH_SUBSHELL BASH_VERSION COLUMNS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID
    FUNCNAME GROUPS HISTCMD HOSTNAME HOSTTYPE LINENO LINES MACHTYPE OLDPWD OPTARG OPTIND OSTYPE PIPESTATUS PPID RANDOM REPLY
    SECONDS SHELLOPTS SHLVL SRANDOM UID _ ";

/// Longer values are not kept account of.
const LONGEST: usize = 16 * 1024;

#[derive(Clone, Debug, Default)]
pub(super) struct Shell {
    variables: BTreeMap<String, Variable>,
    functions: BTreeMap<String, Function>,
    pub(super) aliases: BTreeMap<String, String>,
    /// Where it is, if that is known; and where it is if the last `cd` went well.
    pub(super) cwd: Option<PathBuf>,
    pub(super) cwd_if_ok: Option<PathBuf>,
    /// `$0` and the words behind it, if they are known.
    pub(super) words: Option<Vec<Word>>,
    /// Whether words are split and patterns read in the usual way.
    pub(super) odd_splits: bool,
    pub(super) odd_patterns: bool,
    pub(super) exports_all: bool,
    /// Whether it is an `sh`, which need not be bash.
    pub(super) plain_sh: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    value: Option<String>,
    exported: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Each body that it may have.
    pub(super) bodies: Vec<Rc<Node>>,
    /// Whether it is surely defined.
    pub(super) sure: bool,
}

impl Shell {
    /// A variable's value, if it is known.
    pub(super) fn value(&self, name: &str, scene: &Scene<'_>) -> Option<String> {
        if let Some(variable) = self.variables.get(name) {
            return variable.value.clone();
        }
        match name {
            "IFS" => Some(" \t\n".to_owned()),
            "PWD" => self.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(str::to_owned),
            "HOME" => {
                let home = || scene.home.and_then(|home| home.to_str()).map(str::to_owned);
                (scene.variable)(name).or_else(home)
            }
            _ if OWN.contains(&format!(" {name} ")) => None,
            _ => (scene.variable)(name),
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Option<String>, exported: bool) {
        if name == "IFS" {
            self.odd_splits = value.as_deref() != Some(" \t\n");
        }
        let value = value.filter(|value| value.len() <= LONGEST);
        let exported = exported
            || self.exports_all
            || self.variables.get(name).is_some_and(|variable| variable.exported);
        self.variables.insert(name.to_owned(), Variable { value, exported });
    }

    pub(super) fn export(&mut self, name: &str, scene: &Scene<'_>) {
        let value = self.value(name, scene);
        self.set(name, value, true);
    }

    /// The variables that the script has set, and whether programs receive them.
    pub(super) fn set_here<'s>(
        &'s self,
        scene: &'s Scene<'_>,
    ) -> impl Iterator<Item = (&'s str, Option<&'s str>, bool)> {
        self.variables.iter().map(|(name, variable)| {
            let exported = variable.exported || (scene.variable)(name).is_some();
            (name.as_str(), variable.value.as_deref(), exported)
        })
    }

    /// Puts a variable back to what it was in another state.
    pub(super) fn restore(&mut self, name: &str, before: &Self) {
        match before.variables.get(name) {
            Some(variable) => self.variables.insert(name.to_owned(), variable.clone()),
            None => self.variables.remove(name),
        };
        if name == "IFS" {
            self.odd_splits = before.odd_splits;
        }
    }

    pub(super) fn define(&mut self, name: &str, body: &Rc<Node>, sure: bool) {
        let function = self
            .functions
            .entry(name.to_owned())
            .or_insert_with(|| Function { bodies: Vec::new(), sure: false });
        function.bodies.push(Rc::clone(body));
        function.sure |= sure;
    }

    pub(super) fn function(&self, name: &str) -> Option<Function> {
        self.functions.get(name).cloned()
    }

    pub(super) fn bodies(&self) -> Vec<Rc<Node>> {
        self.functions.values().flat_map(|function| function.bodies.iter().cloned()).collect()
    }

    pub(super) fn undefine(&mut self, name: &str) {
        if let Some(function) = self.functions.get_mut(name) {
            function.sure = false;
        }
    }

    /// What a shell that is started as a program of its own knows of this one.
    pub(super) fn child(&self, scene: &Scene<'_>) -> Self {
        let mut child = Self {
            cwd: self.cwd.clone(),
            functions: self.functions.clone(),
            plain_sh: self.plain_sh,
            ..Self::default()
        };
        child.functions.values_mut().for_each(|function| function.sure = false);
        let seen = self.variables.iter().filter(|(name, variable)| {
            *name != "IFS" && (variable.exported || (scene.variable)(name).is_some())
        });
        child.variables = seen.map(|(name, variable)| (name.clone(), variable.clone())).collect();
        child
    }

    /// What is known where either `self` or `other` may hold.
    pub(super) fn or(&mut self, other: Self) {
        for (name, variable) in &mut self.variables {
            if other.variables.get(name).is_none_or(|other| other.value != variable.value) {
                variable.value = None;
            }
        }
        for (name, variable) in other.variables {
            self.variables.entry(name).or_insert(Variable { value: None, exported: variable.exported });
        }
        for function in self.functions.iter_mut().filter(|(name, _)| !other.functions.contains_key(*name)) {
            function.1.sure = false;
        }
        for (name, mut function) in other.functions {
            match self.functions.get_mut(&name) {
                Some(own) => {
                    own.sure &= function.sure;
                    for body in function.bodies {
                        if !own.bodies.iter().any(|known| Rc::ptr_eq(known, &body)) {
                            own.bodies.push(body);
                        }
                    }
                }
                None => {
                    function.sure = false;
                    self.functions.insert(name, function);
                }
            }
        }
        self.aliases.extend(other.aliases);
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        self.cwd_if_ok = None;
        if self.words != other.words {
            self.words = None;
        }
        self.odd_splits |= other.odd_splits;
        self.odd_patterns |= other.odd_patterns;
        self.exports_all |= other.exports_all;
    }
}
