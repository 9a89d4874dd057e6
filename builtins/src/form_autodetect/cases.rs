//! What is offered and what is not, in the words of real answers.

use super::detect;

/// A text, and the options that are offered.
const OFFERED: [(&str, &[&str]); 38] = [
    (
        "I see two ways to do this:\n\n(a) keep the parser\n(b) write a new one\n\nWhich do you prefer?",
        &["keep the parser", "write a new one"],
    ),
    (
        "Which database shall I use for the sessions of this app?\n\n(1) SQLite\n(2) Postgres",
        &["SQLite", "Postgres"],
    ),
    (
        "Which database shall I use for the sessions of this app?\n\n(A) SQLite\n(B) Postgres\n(C) none",
        &["SQLite", "Postgres", "none"],
    ),
    (
        "There are two ways.\n\n### Option A: SQLite\n\nOne file, no server.\n\n### Option B: Postgres\n\nNeeds a server.\n\nWhich one do you want?",
        &["Option A: SQLite", "Option B: Postgres"],
    ),
    (
        "There are two ways.\n\n## Option 1: SQLite\nOne file.\n\n## Option 2: Postgres\nA server.\n\nWhat would you like me to do?",
        &["Option 1: SQLite", "Option 2: Postgres"],
    ),
    (
        "**Option A:** keep the old format\n\n**Option B:** write a new one\n\nLet me know which you prefer.",
        &["Option A: keep the old format", "Option B: write a new one"],
    ),
    (
        "Option A: keep the old format\nOption B: write a new one\n\nWhich option shall I take for this?",
        &["Option A: keep the old format", "Option B: write a new one"],
    ),
    (
        "### Option A\n\nKeep what is there.\n\n### Option B\n\nBegin anew.\n\nWhich of the two should I take?",
        &["Option A", "Option B"],
    ),
    (
        "### Approach 1 – a cache\n\nFast.\n\n### Approach 2 – no cache\n\nSimple.\n\nWhich approach do you prefer?",
        &["Approach 1 – a cache", "Approach 2 – no cache"],
    ),
    (
        "Choice A) keep it as it is\nChoice B) change it all\n\nWhich would you like to have in the end?",
        &["Choice A) keep it as it is", "Choice B) change it all"],
    ),
    (
        "How should I go on with the failing test here?\n\n1. Mend the test\n2. Mend the code\n3. Skip it",
        &["Mend the test", "Mend the code", "Skip it"],
    ),
    (
        "What would you like to do next with this branch?\n\n- Merge it\n- Rebase it\n- Leave it",
        &["Merge it", "Rebase it", "Leave it"],
    ),
    (
        "The build fails in three places.\n\nWhere should I start?\n\n- the parser\n- the lexer\n- the printer",
        &["the parser", "the lexer", "the printer"],
    ),
    (
        "Would you like me to:\n\n1. commit this now\n2. run the whole suite first\n3. stop here",
        &["commit this now", "run the whole suite first", "stop here"],
    ),
    (
        "Do you want me to do one of these things for you:\n- push the branch\n- open a pull request",
        &["push the branch", "open a pull request"],
    ),
    (
        "Here is what I can do:\n\n1. Use a lock\n2. Use a queue\n\nTell me which you want and I will write it.",
        &["Use a lock", "Use a queue"],
    ),
    (
        "Here is what I can do:\n\n1. Use a lock\n2. Use a queue\n\nReply with a number and I will write it.",
        &["Use a lock", "Use a queue"],
    ),
    (
        "Here is what I can do:\n\n1. Use a lock\n2. Use a queue\n\nAny preference? I can go either way with this.",
        &["Use a lock", "Use a queue"],
    ),
    (
        "Here is what I can do:\n\n1. Use a lock\n2. Use a queue\n\nIt is up to you: both are about as much work.",
        &["Use a lock", "Use a queue"],
    ),
    (
        "Here is what I can do:\n\n1. Use a lock\n2. Use a queue\n\n1 or 2? I would take the second one, myself.",
        &["Use a lock", "Use a queue"],
    ),
    (
        "Here is what I can do:\n\n(a) use a lock\n(b) use a queue\n\n(a) or (b)? I would take the second one, myself.",
        &["use a lock", "use a queue"],
    ),
    ("Please choose one of the following for the new layout:\n\n* wide\n* narrow", &["wide", "narrow"]),
    ("Please pick a name for the new crate from this list:\n\n• ferry\n• barge", &["ferry", "barge"]),
    ("Select an option for the log's format, and I go on with it:\n\na) JSON\nb) text", &["JSON", "text"]),
    ("That is done and green. Choices for what comes now:\n\nChoices:\n- docs\n- tests", &["docs", "tests"]),
    (
        "**1.** Keep the current interface as it is\n**2.** Break it and bump the version\n\nWhich do you want?",
        &["Keep the current interface as it is", "Break it and bump the version"],
    ),
    (
        "**1. Keep** the current interface as it is\n**2. Break** it and bump the version\n\nWhich do you want?",
        &["Keep the current interface as it is", "Break it and bump the version"],
    ),
    (
        "Added a.rs and b.rs.\n\nWhich of these should I revert now?\n\n- Added a.rs\n- Added b.rs",
        &["Added a.rs", "Added b.rs"],
    ),
    (
        "I changed these:\n\n- src/a.rs\n- src/b.rs\n\nHow shall I commit them?\n\n1. in one commit\n2. in two commits",
        &["in one commit", "in two commits"],
    ),
    (
        "Which would you prefer for the store?\n\n1. SQLite\n2. files\n\nSo far I have done this and nothing more:\n\n- read the code\n- read the docs",
        &["SQLite", "files"],
    ),
    (
        "In which order should I do these two things?\n\n- first the docs, then the code\n- first the code, then the docs",
        &["first the docs, then the code", "first the code, then the docs"],
    ),
    (
        "The test is flaky. What should I do about it?\n\n1) retry it\n2) delete it",
        &["retry it", "delete it"],
    ),
    (
        "Before I go on I need to know which of these you mean:\n\n- the old server\n- the new server\n",
        &["the old server", "the new server"],
    ),
    (
        "I’d suggest one of these; what would you like?\n\n- tabs\n- spaces\n\nBoth are fine by me.",
        &["tabs", "spaces"],
    ),
    (
        "Should I use one of these instead of the one that is there now?\n\n- ripgrep\n- ag\n",
        &["ripgrep", "ag"],
    ),
    (
        "There are three candidates:\n\n  1. alpha\n  2. beta\n  3. gamma\n\nWhich one is it going to be?",
        &["alpha", "beta", "gamma"],
    ),
    (
        "1. `cargo test`: runs everything\n2. `cargo test -p x`: only that package\n\nWhich of the two shall I run?",
        &["cargo test: runs everything", "cargo test -p x: only that package"],
    ),
    (
        "Plan A: move the module first\nPlan B: rename it first\n\nWhat do you think is best here?",
        &["Plan A: move the module first", "Plan B: rename it first"],
    ),
];

const NOT_OFFERED: [&str; 40] = [
    "I fixed the bug. What changed:\n\n- src/a.rs: the check\n- src/b.rs: its test\n\nWould you like me to run the tests as well?",
    "Done! Here is a summary:\n\n1. Added the parser\n2. Added its tests\n3. Updated the docs\n\nShall I commit this?",
    "All is green now:\n\n- Fixed the lexer\n- Removed dead code\n\nLet me know if you have any questions?",
    "✅ What I did\n\n- ✅ the parser\n- ✅ the tests\n\nIs there anything else that you need from me today?",
    "What did I change?\n\n- the parser now takes tabs\n- the printer writes them\n\nThat is all there is to it.",
    "What changed in this session, then?\n\n- the parser takes tabs\n- the printer writes them\n",
    "Why does it fail? For two reasons, as far as I can see:\n\n1. the lock is held\n2. the queue is full\n",
    "Why did the build break?\n\n1. the toolchain is older\n2. the lockfile is newer\n\nBoth are mended now.",
    "How does it work?\n\n1. the client connects\n2. the server answers\n3. both close\n\nThat is the whole protocol.",
    "I had to choose one of the two parsers for this, so I compared them:\n\n- the old one is slow\n- the new one is fast\n\nI took the new one.",
    "The dialog lets users pick one of these, and remembers what they took:\n\n- light\n- dark\n\nIt is covered by a test.",
    "Users can select an option in the menu, which has these entries:\n\n- open\n- close\n",
    "The command-line options:\n- `--json`: machine-readable\n- `--quiet`: says nothing\n\nThey are in the README.",
    "Options:\n- --json  machine-readable output\n- --quiet  says nothing at all\n- --help  shows this text",
    "Options:\n- `max_tools`: how many tools are named\n- `max_length`: how long a line is\n",
    "I considered two ways and took the first.\n\n### Option A: SQLite\n\nOne file.\n\n### Option B: Postgres\n\nA server.\n\nSQLite is in place now.",
    "**Option A:** was slow\n\n**Option B:** was fast\n\nSo I went with B, and all of its tests are green.",
    "Remaining work:\n\n- [ ] docs\n- [ ] benches\n- [x] tests\n\nShould I go on with it tomorrow?",
    "I ran the suite:\n\n- 41 passed\n- 0 failed\n\nWould you like me to push the branch?",
    "I updated the docs which mention it:\n\n- docs/a.md\n- docs/b.md\n\nShould I also update the examples which use it?",
    "Three files are touched:\n\n- src/a.rs\n- src/b.rs\n- src/c.rs\n\nOK to commit, or is something missing?",
    "The steps to reproduce it are these:\n\n1. start the server\n2. stop the client\n\nCan you try that on your machine?",
    "To release it:\n\n1. bump the version\n2. tag the commit\n3. push the tag\n\nShall I do all of that for you now?",
    "What is new?\n\n- the page has a search field\n- the server keeps its sessions\n\nTry it out and tell me how it goes.",
    "Next steps, if you like:\n\n- add benches\n- add docs\n\nHappy to help with any of that whenever you want.",
    "Does it work? Yes, on all three systems that I could try it on:\n\n- Linux\n- macOS\n- FreeBSD\n",
    "Did you know that these three exist already in the standard library?\n\nThey do:\n\n- `min`\n- `max`\n",
    "Which brings us to the end of the list of what was asked for, and this is what came of it:\n\n- a parser\n- a printer\n",
    "I renamed two functions, for which there was no test, and added one for each:\n\n- `a` is `b` now\n- `c` is `d` now\n",
    "Notes (see a, and then b, for what is meant by that):\n\n(see a) the parser\n(see b) the printer\n\nWhich page is it on?",
    "Is everything done?\n\n- Added the test\n- Added the docs\n\nYes, all of it, and the branch is pushed.",
    "The failing tests are these two, and both fail for the same reason:\n\n1. parse::empty\n2. parse::tabs\n\nI am on it.",
    "Both were created as you wanted them:\n\n- Created `a.rs`\n- Created `b.rs`\n\nWant me to open a pull request?",
    "```\nWhich one?\n1. a\n2. b\n```\n\nThat is what the program prints now when it starts, and it was silent before.",
    "You asked which files are large. These are:\n\n- a.bin, 40 MB\n- b.bin, 30 MB\n\nBoth are ignored by git.",
    "The reviewer asked two things:\n\n- why is it slow?\n- is it safe?\n\nI answered both in the pull request.",
    "Approach: I read the code first, and then the tests.\n\nPlan: there is none yet, and none is needed for a change of this size.",
    "### What I did\n\n- Refactored the parser\n- Moved the tests\n\n### What is left\n\nNothing. Anything else?",
    "The migration did this, in this order:\n\n(a) copied the table\n(b) dropped the old one\n\nWould you like to see its log?",
    "Results:\n\n| run | time |\n|---|---|\n| 1 | 2 s |\n\n- faster by half\n- smaller by a third\n\nGood enough to merge?",
];

#[test]
fn what_is_to_be_chosen_is_offered() {
    for (text, options) in OFFERED {
        let form = detect(text).unwrap_or_else(|| panic!("nothing is offered of {text}"));
        assert_eq!(form.options, options, "{text}");
    }
}

#[test]
fn what_is_told_is_not_offered() {
    for text in NOT_OFFERED {
        assert!(text.chars().count() >= 50, "too short to tell: {text}");
        assert_eq!(detect(text), None, "{text}");
    }
}
