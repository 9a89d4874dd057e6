//! The syntax of bash: a tree of lists, pipelines and commands, whose words are cut into pieces.
//!
//! Written by hand, in one pass, with a bound on depth: the text is hostile, and nothing of it may take more than linear time
//! or room on the stack. Where a form is not known, or means different things to different shells, it is a [`Doubt`].

mod compound;
mod cursor;
mod dollar;
mod here;
mod list;
mod simple;
mod word;

use std::cell::OnceCell;
use std::rc::Rc;

use super::reading::{Doubt, Redirect};

pub(super) use word::is_name;

/// A command of any form.
#[derive(Debug)]
pub(super) enum Node {
    Simple(SimpleNode),
    /// At least two, each in a shell of its own.
    Pipeline(Vec<Node>),
    /// The first runs; each of the others may.
    AndOr(Box<Node>, Vec<(bool, Node)>),
    Subshell(Vec<Item>),
    Group(Vec<Item>),
    /// Conditions with what they lead to, and what runs otherwise.
    If(Vec<(Vec<Item>, Vec<Item>)>, Vec<Item>),
    While(Vec<Item>, Vec<Item>),
    For {
        name: String,
        /// What is gone through; none where it is the shell's own words, or counted.
        words: Option<Vec<WordNode>>,
        counted: Option<WordNode>,
        body: Vec<Item>,
    },
    Case(WordNode, Vec<(Vec<WordNode>, Vec<Item>)>),
    Function(String, Rc<Node>),
    Arithmetic(WordNode),
    Test(Vec<WordNode>),
    Coproc(Box<Node>),
    Redirected(Box<Node>, Vec<RedirNode>),
}

/// A command of a list.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) node: Node,
    pub(super) background: bool,
}

#[derive(Debug, Default)]
pub(super) struct SimpleNode {
    pub(super) assigns: Vec<AssignNode>,
    pub(super) words: Vec<WordNode>,
    pub(super) redirs: Vec<RedirNode>,
    pub(super) text: String,
}

#[derive(Debug)]
pub(super) struct AssignNode {
    pub(super) name: String,
    /// `+=`, or one element of an array: what it is afterwards is not kept account of.
    pub(super) partly: bool,
    pub(super) value: WordNode,
}

#[derive(Debug)]
pub(super) struct RedirNode {
    pub(super) fd: Option<u32>,
    pub(super) kind: Redirect,
    pub(super) target: Target,
}

#[derive(Debug)]
pub(super) enum Target {
    Word(WordNode),
    /// Filled at the end of the line.
    Here(Rc<OnceCell<WordNode>>),
}

#[derive(Clone, Debug, Default)]
pub(super) struct WordNode {
    pub(super) pieces: Vec<Piece>,
    pub(super) raw: String,
    /// `(a b)` behind `name=`.
    pub(super) array: Option<Vec<WordNode>>,
}

/// A piece of a word.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Not quoted: patterns, braces and tildes count.
    Text(String),
    Quoted(String),
    Parameter(Rc<Parameter>, bool),
    /// `$(…)` and `` `…` ``.
    Command(Rc<Vec<Item>>, String, bool),
    /// `<(…)` and `>(…)`.
    Process(Rc<Vec<Item>>),
    /// `$((…))`; the expansions within.
    Arithmetic(Rc<WordNode>, bool),
}

/// `$name`, `${name…}`.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// `-`, `:-`, `#`, …; empty for none; `!` in it for what is calculated.
    pub(super) operator: String,
    pub(super) operand: WordNode,
    pub(super) raw: String,
}

/// What was read before the end, or before what could not be read.
pub(super) struct Parsed {
    pub(super) items: Vec<Item>,
    pub(super) doubt: Option<(String, Doubt)>,
}

/// Reads a script.
pub(super) fn parse(text: &str, depth: u8, plain_sh: bool) -> Parsed {
    cursor::Cursor::new(text, depth, plain_sh).script()
}
