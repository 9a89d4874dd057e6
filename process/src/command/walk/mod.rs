//! Follows a tree as a shell would run it, and notes every simple command on the way.
//!
//! What may run is walked: both branches of an `if`, each arm of a `case`, a loop's body once for each known word. What a
//! variable holds afterwards is known only where all ways agree.

mod braces;
mod builtins;
mod call;
mod expand;
mod glob;
mod parameter;
mod pattern;
mod shell;
mod shells;
mod unwrap;

use super::Scene;
use super::reading::{Doubt, Reading, Redirect, Redirection, Unclear, Word, Wrapper};
use super::syntax::{self, Item, Node, Parsed, Piece, Target, WordNode};
use shell::Shell;

/// How deep commands may start one another, counted over all scripts within scripts.
const DEEPEST: u8 = 90;
/// Scripts in scripts, and functions in functions.
const NESTED: usize = 12;
/// Commands that one reading may have.
const MOST: usize = 100_000;
/// Words of all `for`s that are gone through one by one.
const UNROLLED: usize = 64;

pub(super) struct Walk<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) out: Reading,
    depth: u8,
    steps: usize,
    unrolled: usize,
    /// The functions that are running, and how many branches lie around this place in the last one.
    calls: Vec<String>,
    branches: u32,
    /// The variables that belong to each of them.
    locals: Vec<Vec<String>>,
    /// How often a running function was met again.
    again: usize,
    around: Around,
    /// Whether a command before this one may have changed files.
    changed: bool,
    /// Whether the script calculates, and whether it holds a text that would run something if it were calculated with.
    calculates: bool,
    traps: bool,
}

/// What the forms around a command give to it.
#[derive(Clone, Default)]
struct Around {
    redirections: Vec<Redirection>,
    wrappers: Vec<Wrapper>,
    background: bool,
    /// Whether what it reads comes from another command.
    piped: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(scene: &'a Scene<'a>) -> Self {
        Self {
            scene,
            out: Reading::default(),
            depth: 0,
            steps: 0,
            unrolled: 0,
            calls: Vec::new(),
            locals: Vec::new(),
            branches: 0,
            again: 0,
            around: Around::default(),
            changed: false,
            calculates: false,
            traps: false,
        }
    }

    pub(super) fn script(mut self, script: &str) -> Reading {
        let mut shell = Shell::default();
        shell.cwd = Some(self.scene.cwd.to_owned());
        self.text(script, &mut shell);
        if self.calculates && self.traps {
            self.doubt(script, Doubt::Arithmetic);
        }
        self.out
    }

    /// Reads a text and walks it in this shell.
    fn text(&mut self, script: &str, shell: &mut Shell) {
        if script.contains('\0') {
            self.doubt(script, Doubt::Character);
            return;
        }
        let Parsed { items, doubt } = syntax::parse(script, 0, shell.plain_sh);
        self.items(&items, shell);
        if let Some((text, why)) = doubt {
            self.doubt(&text, why);
        }
    }

    fn doubt(&mut self, text: &str, why: Doubt) {
        let unclear = Unclear::new(text, why);
        if !self.out.unclear.contains(&unclear) && self.out.unclear.len() < 100 {
            self.out.unclear.push(unclear);
        }
    }

    fn items(&mut self, items: &[Item], shell: &mut Shell) {
        for item in items {
            if item.background {
                let before = std::mem::replace(&mut self.around.background, true);
                self.node(&item.node, &mut shell.clone());
                self.around.background = before;
            } else {
                self.node(&item.node, shell);
            }
        }
    }

    /// What may run, or may not.
    fn maybe(&mut self, items: &[Item], shell: &mut Shell) {
        self.branches += 1;
        let mut there = shell.clone();
        self.items(items, &mut there);
        shell.or(there);
        self.branches -= 1;
    }

    fn node(&mut self, node: &Node, shell: &mut Shell) {
        if self.depth >= DEEPEST || self.steps >= MOST {
            let why = if self.steps >= MOST { Doubt::Long } else { Doubt::Deep };
            self.doubt("", why);
            return;
        }
        self.depth += 1;
        self.steps += 1;
        match node {
            Node::Simple(simple) => self.simple(simple, shell),
            Node::Pipeline(stages) => self.pipeline(stages, shell),
            Node::AndOr(first, others) => self.and_or(first, others, shell),
            Node::Subshell(items) => self.items(items, &mut shell.clone()),
            Node::Group(items) => self.items(items, shell),
            Node::If(branches, otherwise) => {
                let mut after: Option<Shell> = None;
                for (condition, then) in branches {
                    self.items(condition, shell);
                    let mut there = shell.clone();
                    self.branches += 1;
                    self.items(then, &mut there);
                    self.branches -= 1;
                    match &mut after {
                        Some(after) => after.or(there),
                        None => after = Some(there),
                    }
                }
                self.branches += 1;
                self.items(otherwise, shell);
                self.branches -= 1;
                if let Some(after) = after {
                    shell.or(after);
                }
            }
            Node::While(condition, body) => {
                self.forget(body, shell);
                self.forget(condition, shell);
                self.items(condition, shell);
                self.maybe(body, shell);
            }
            Node::For { name, words, counted, body } => {
                self.each(name, words.as_deref(), counted.as_ref(), body, shell);
            }
            Node::Case(subject, arms) => {
                self.expansions(subject, shell);
                for (patterns, items) in arms {
                    patterns.iter().for_each(|pattern| self.expansions(pattern, shell));
                    self.maybe(items, shell);
                }
            }
            Node::Function(name, body) => shell.define(name, body, self.branches == 0),
            Node::Arithmetic(inside) => self.calculation(inside, shell),
            Node::Test(words) => {
                self.calculates = true;
                words.iter().for_each(|word| self.expansions(word, shell));
            }
            Node::Coproc(inner) => {
                let before = self.around.clone();
                self.around.background = true;
                self.node(inner, &mut shell.clone());
                self.around = before;
            }
            Node::Redirected(inner, redirs) => {
                let redirections = self.redirections(redirs, shell);
                let before = self.around.redirections.len();
                self.around.redirections.extend(redirections);
                self.node(inner, shell);
                self.around.redirections.truncate(before);
            }
        }
        self.depth -= 1;
    }

    fn and_or(&mut self, first: &Node, others: &[(bool, Node)], shell: &mut Shell) {
        shell.cwd_if_ok = None;
        self.node(first, shell);
        let mut before = shell.clone();
        for (and, node) in others {
            let mut there = before.clone();
            if let Some(cwd) = there.cwd_if_ok.take().filter(|_| *and) {
                there.cwd = Some(cwd);
            }
            self.branches += 1;
            self.node(node, &mut there);
            self.branches -= 1;
            // `a && b && c`: c sees what b did; `a && b || c` may not.
            if *and {
                shell.or(there.clone());
                before = there;
            } else {
                shell.or(there);
                before = shell.clone();
            }
        }
    }

    fn pipeline(&mut self, stages: &[Node], shell: &mut Shell) {
        let (piped, again) = (self.around.piped, self.again);
        let mut last: Option<(usize, usize)> = None;
        for stage in stages {
            let start = self.out.commands.len();
            self.node(stage, &mut shell.clone());
            self.around.piped = true;
            let end = self.out.commands.len();
            if let Some((from, to)) = last.filter(|_| start < end) {
                for command in self.out.commands.iter_mut().take(to).skip(from) {
                    command.piped_into.get_or_insert(start);
                }
                for command in self.out.commands.iter_mut().skip(start) {
                    command.piped_from.get_or_insert(to - 1);
                }
            }
            last = if start < end { Some((start, end)) } else { None };
        }
        self.around.piped = piped;
        if self.again >= again + 2
            && let Some(name) = self.calls.last()
        {
            self.out.multiplies = Some(name.clone());
        }
    }

    fn each(
        &mut self,
        name: &str,
        words: Option<&[WordNode]>,
        counted: Option<&WordNode>,
        body: &[Item],
        shell: &mut Shell,
    ) {
        if let Some(inside) = counted {
            self.calculation(inside, shell);
        }
        self.forget(body, shell);
        let words = words.map(|words| self.words(words, shell));
        let known = words.filter(|words| {
            self.unrolled + words.len() <= UNROLLED && words.iter().all(|word| word.known && !word.splits)
        });
        let Some(known) = known else {
            shell.set(name, None, false);
            self.maybe(body, shell);
            return;
        };
        for word in known {
            self.unrolled += 1;
            shell.set(name, Some(word.text), false);
            self.maybe(body, shell);
        }
    }

    /// A loop's body may see what it set itself the last time.
    fn forget(&mut self, items: &[Item], shell: &mut Shell) {
        let bodies = shell.bodies();
        let mut names = Vec::new();
        items.iter().for_each(|item| set_by(&item.node, &mut names));
        bodies.iter().for_each(|body| set_by(body, &mut names));
        if names.iter().any(|name| builtins::MOVES.contains(name)) {
            shell.cwd = None;
        }
        for name in names {
            shell.set(name, None, false);
        }
    }

    fn redirections(&mut self, redirs: &[syntax::RedirNode], shell: &mut Shell) -> Vec<Redirection> {
        let mut list = Vec::new();
        for redir in redirs {
            let target = match &redir.target {
                Target::Word(word) => self.one(word, shell, redir.kind != Redirect::Text),
                Target::Here(body) => match body.get() {
                    Some(word) => self.one(word, shell, false),
                    None => Word::unknown("", false),
                },
            };
            list.push(Redirection { fd: redir.fd, kind: redir.kind, target });
        }
        list
    }

    /// Walks what stands in a substitution.
    fn inner(&mut self, items: &[Item], shell: &Shell) {
        let wrappers = self.around.wrappers.clone();
        let piped = self.around.piped;
        let before = std::mem::replace(&mut self.around, Around { wrappers, piped, ..Around::default() });
        self.items(items, &mut shell.clone());
        self.around = before;
    }
}

/// The names that commands set, as far as their form says so.
fn set_by<'n>(node: &'n Node, names: &mut Vec<&'n str>) {
    let mut all = |items: &'n [Item]| items.iter().for_each(|item| set_by(&item.node, names));
    match node {
        Node::Simple(simple) => {
            names.extend(simple.assigns.iter().map(|assign| assign.name.as_str()));
            let sets = |word: &WordNode| match word.pieces.as_slice() {
                [Piece::Text(name)] => builtins::SETS.contains(&name.as_str()),
                _ => true,
            };
            for word in simple.words.iter().filter(|_| simple.words.first().is_some_and(sets)) {
                for piece in &word.pieces {
                    if let Piece::Text(text) | Piece::Quoted(text) = piece {
                        names.extend(names_in(text));
                    }
                }
            }
        }
        Node::Pipeline(nodes) => nodes.iter().for_each(|node| set_by(node, names)),
        Node::AndOr(first, others) => {
            set_by(first, names);
            others.iter().for_each(|(_, node)| set_by(node, names));
        }
        Node::Subshell(items) | Node::Group(items) => all(items),
        Node::If(branches, otherwise) => {
            for (condition, then) in branches {
                all(condition);
                all(then);
            }
            all(otherwise);
        }
        Node::While(condition, body) => {
            all(condition);
            all(body);
        }
        Node::For { name, body, .. } => {
            all(body);
            names.push(name);
        }
        Node::Case(_, arms) => arms.iter().for_each(|(_, items)| all(items)),
        Node::Function(_, body) => set_by(body, names),
        Node::Coproc(inner) | Node::Redirected(inner, _) => set_by(inner, names),
        Node::Arithmetic(inside) => {
            names.extend(names_in(&inside.raw));
        }
        Node::Test(_) => {}
    }
}

/// All that can be the name of a variable in a text.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| syntax::is_name(word))
}
