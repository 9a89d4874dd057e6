//! The subcommands of git that are known here.
//!
//! What a subcommand may start was looked up for each in git's documentation, and is tried by `tests/git`. One that is not in the
//! table is refused: some exist to run programs (`bisect run`, `submodule foreach`, `difftool`), others talk to a network.

/// Options that switch off what only an option of the call can: of a differ an empty setting is a program with an empty name, and
/// `.gitmodules` outranks `diff.ignoreSubmodules`.
const DIFFERS: &[&str] = &["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
const SUBMODULES: &[&str] = &["--ignore-submodules=all"];

/// A subcommand.
pub(super) struct Known {
    name: &'static str,
    /// Put before its own arguments.
    pub(super) options: &'static [&'static str],
    /// Whether it is for repositories of our own only: what it throws away may be used through a link that a view does not show.
    pub(super) own: bool,
    /// Whether it moves references, which is logged.
    pub(super) moves: bool,
}

const fn with(name: &'static str, options: &'static [&'static str]) -> Known {
    Known { name, options, own: false, moves: false }
}

const fn plain(name: &'static str) -> Known {
    with(name, &[])
}

const fn moves(name: &'static str) -> Known {
    Known { name, options: &[], own: false, moves: true }
}

const fn own(name: &'static str, options: &'static [&'static str]) -> Known {
    Known { name, options, own: true, moves: false }
}

const KNOWN: &[Known] = &[
    plain("cat-file"),
    plain("check-ignore"),
    with("diff", DIFFERS),
    with("diff-files", DIFFERS),
    with("diff-index", DIFFERS),
    with("diff-tree", DIFFERS),
    plain("for-each-ref"),
    with("log", DIFFERS),
    plain("ls-files"),
    plain("ls-tree"),
    plain("rev-list"),
    plain("rev-parse"),
    with("show", DIFFERS),
    with("status", SUBMODULES),
    plain("symbolic-ref"),
    plain("add"),
    moves("checkout"),
    plain("checkout-index"),
    moves("commit"),
    plain("commit-tree"),
    plain("hash-object"),
    plain("mktree"),
    plain("read-tree"),
    plain("rm"),
    moves("tag"),
    plain("update-index"),
    moves("update-ref"),
    plain("write-tree"),
    own("config", &[]),
    own("gc", &[]),
    own("init", &["--template="]),
    own("prune-packed", &[]),
    own("repack", &[]),
];

/// The subcommand of that name, if it is known.
pub(super) fn known(name: &std::ffi::OsStr) -> Option<&'static Known> {
    KNOWN.iter().find(|known| name == known.name)
}
