//! The reader and texts that were written against it.

use std::path::Path;
use std::time::{Duration, Instant};

use hookspec_process::command::{Reading, Scene, read};
use proptest::prelude::*;

fn reading(script: &str) -> Reading {
    read(script, &Scene::new(Path::new("/nonexistent")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = reading(&text);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = reading(&String::from_utf8_lossy(&bytes));
    }

    /// Of pieces that mean something.
    #[test]
    fn no_script_makes_it_panic(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        let text: String = pieces.concat();
        let first = reading(&text);
        prop_assert_eq!(&first, &reading(&text));
        // What ends it early makes it unclear or keeps what was before.
        for (at, _) in text.char_indices() {
            let _ = reading(&text[..at]);
        }
    }
}

const PIECES: &[&str] = &[
    "git",
    " ",
    " ",
    " ",
    "push",
    ";",
    "\n",
    "&",
    "|",
    "&&",
    "||",
    "(",
    ")",
    "{",
    "}",
    "((",
    "))",
    "$(",
    "${",
    "$((",
    "`",
    "'",
    "\"",
    "\\",
    "$",
    "$'",
    "<",
    ">",
    "<<",
    "<<<",
    "<<-E",
    "E",
    "<(",
    "x=",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "case ",
    " in ",
    ";;",
    "esac",
    "while ",
    "function ",
    "f()",
    "eval ",
    "sh -c ",
    "sudo ",
    "env ",
    "xargs ",
    "find . -exec ",
    "{a,b}",
    "{1..9}",
    "*",
    "?",
    "[a",
    "~",
    "#",
    "!",
    "[[ ",
    " ]]",
    "=~",
    "\r",
    "\t",
    "é",
    "\u{1b}",
    "\u{202e}",
    "ｇit",
    "2>&1",
    "&>",
    "alias g=",
    "trap ",
    "source ",
    "$x",
    "\"$@\"",
    "set -- ",
    "cd ",
    "git -c alias.x=",
    "time ",
    "coproc ",
];

/// A text is read or refused within this, also where the machine is slow.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn deep_and_long_texts_take_neither_the_stack_nor_for_ever() {
    let pairs = [
        ("(", ")"),
        ("{ ", ";}"),
        ("$(", ")"),
        ("\"$(", ")\""),
        ("((", "))"),
        ("((", ")"),
        ("${x:-", "}"),
        ("\"${x:-", "}\""),
        ("$((", "))"),
        ("`", "`"),
        ("if ", ";then :;fi"),
        ("while ", ";do :;done"),
        ("<(", ")"),
        ("f(){ ", ";}"),
        ("case x in x) ", ";;esac"),
        ("! ", ""),
        ("time ", ""),
        ("sudo ", ""),
        ("eval ", ""),
        ("env -S ", ""),
        ("sh -c ", ""),
        ("find . -exec ", " ;"),
        ("[[ ", " ]]"),
        ("{a,", "}"),
        ("x=", ""),
        ("a && ", ""),
        ("a | ", ""),
        ("a;", ""),
        ("cat <<E\n", "\nE\n"),
        ("\\\n", ""),
        ("$", ""),
        ("'", ""),
        ("\"", ""),
        ("[", "]"),
        ("{", "}"),
        ("*", ""),
        ("a=(", ")"),
        ("{fd}", ""),
        ("#", ""),
        ("f(){ f;f; };", "f"),
        ("for x in a b c;do ", ";done"),
        ("xargs ", ""),
        ("coproc ", ""),
        ("trap '", "' EXIT"),
        ("git -c alias.a=b ", ""),
    ];
    for (open, close) in pairs {
        for count in [40, 1_000, 40_000 / open.len()] {
            let text = format!("{}echo x{}", open.repeat(count), close.repeat(count));
            let start = Instant::now();
            let _ = reading(&text);
            let took = start.elapsed();
            assert!(took < SOON, "{open:?} {count}: {took:?}");
        }
    }
}

#[test]
fn what_multiplies_itself_is_given_up() {
    for script in [
        "{1..99999999}",
        &format!("echo {}", "{a,b}".repeat(40)),
        &format!(
            "{}{}",
            (0..40).map(|n| format!("f{}() {{ f{n}; f{n}; f{n}; }};", n + 1)).collect::<String>(),
            "f40"
        ),
        &format!("{}echo", "for x in 1 2 3 4 5 6 7 8 9; do ".repeat(12)),
        &format!("x=aa; {} echo $x", "x=$x$x$x$x;".repeat(60)),
        &format!("{}ls{}", "eval 'eval \"".repeat(30), "\"'".repeat(30)),
    ] {
        let start = Instant::now();
        let reading = reading(script);
        assert!(start.elapsed() < SOON && reading.commands.len() < 300_000, "{:?}", start.elapsed());
    }
}

#[test]
fn a_script_of_a_megabyte_is_read() {
    let line = "echo a \"b $x\" | grep -n 'c' > /dev/null && cargo test --lib 2>&1 # done\n";
    let script = line.repeat(1_000_000 / line.len());
    let start = Instant::now();
    let reading = reading(&script);
    assert!(reading.commands.len() > 30_000 && start.elapsed() < SOON, "{}", reading.commands.len());
}

#[test]
fn odd_characters_are_what_they_are() {
    // Look-alikes are other programs; a carriage return belongs to its word.
    assert_eq!(reading("ｇit push").commands[0].program, "ｇit");
    assert_eq!(reading("git push\r\n").commands[0].line(), "git push\r");
    assert_eq!(reading("git\u{a0}push").commands[0].program, "git\u{a0}push");
    assert!(!reading("git push\0").is_clear());
    assert!(
        !reading("echo 'a").is_clear() && !reading("echo \"a").is_clear() && !reading("echo $(a").is_clear()
    );
}

/// Mutations of real scripts.
#[test]
fn mutations_of_scripts_are_read_or_refused() {
    let scripts = [include_str!("command.rs"), include_str!("../../tests/readme.sh")];
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |end: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % end.max(1) as u64) as usize
    };
    for script in scripts {
        let chars: Vec<char> = script.chars().collect();
        for _ in 0..400 {
            let start = below(chars.len());
            let mut piece: Vec<char> = chars[start..].iter().take(400).copied().collect();
            for _ in 0..below(8) {
                let at = below(piece.len());
                let other: Vec<char> = PIECES[below(PIECES.len())].chars().collect();
                let end = (at + below(3)).min(piece.len());
                piece.splice(at..end, other);
            }
            let _ = reading(&piece.into_iter().collect::<String>());
        }
    }
}
