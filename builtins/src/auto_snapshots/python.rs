//! Whether Python code may change files.
//!
//! As with commands: the calls that are known to only read are listed, every other call is taken to write. An
//! interactive Python's shell lines (`!ls`, `%%bash`) are read as shell.

use std::collections::HashSet;

use super::commands::{has, script_writes};

/// Calls that leave files alone, by the last part of their name.
const READERS: &str = "
    Counter DataFrame Decimal Fraction Path Series abs add all any append array ascii astype bin bool bytes
    callable capitalize ceil chr combinations compile complex copy corr cos count cwd date datetime decode
    deepcopy defaultdict describe deque dict difference dir display divmod dropna dumps encode endswith
    enumerate exists exp extend fillna filter find findall finditer float floor format fromisoformat frozenset
    fsum fullmatch gcd get getattr getcwd getenv getsize glob globals group groupby groups hasattr hash head
    help hex hexdigest id iglob index info input insert int intersection is_dir is_file isalpha isdigit isdir
    isfile isinstance isoformat issubclass items iter iterdir join json keys len list listdir ljust loads
    locals log log10 log2 lower lstrip map match max mean md5 median memoryview merge min monotonic next now
    object oct ord partition perf_counter permutations pop pow pprint print product property randint random
    range read read_bytes read_csv read_json read_text readline readlines reduce relative_to remove_prefix repr
    reshape resolve reversed rfind rglob rjust round rpartition rsplit rstrip scandir search seed set
    setdefault sha1 sha256 shape sin sleep slice sort sort_values sorted split splitext splitlines sqrt
    startswith stat std stdev str strftime strip strptime sub sum super swapcase tail tan time timedelta title
    today tolist translate tuple type union unique update upper value_counts values vars walk zeros zfill zip
";

/// Names that write wherever they stand: `shutil.copy` would be taken for a dictionary's, and `map(os.remove, …)` has no
/// parenthesis behind the name.
const WRITERS: [&str; 5] = ["shutil", "os.remove", "os.rename", "os.unlink", "shelve.open"];

/// Words before a parenthesis that are no calls.
const KEYWORDS: &str = "
    and assert await case del elif else except for if in is lambda match not or raise return while with yield
    class def import from
";

/// Magics of IPython that only show.
const MAGICS: &str = "
    cd config doctest_mode env history load_ext lsmagic matplotlib pdoc pinfo psource pwd quickref time timeit
    who whos %time %timeit
";

/// Whether a cell may change files.
pub(super) fn code_writes(code: &str) -> bool {
    if let Some(script) = shell_cell(code) {
        return script_writes(script);
    }
    let mut python = String::new();
    for line in code.lines() {
        let text = line.trim_start();
        let command = text.strip_prefix('!').or_else(|| text.split_once("= !").map(|(_, command)| command));
        if let Some(command) = command {
            if script_writes(command) {
                return true;
            }
        } else if let Some(magic) = text.strip_prefix('%') {
            let (name, rest) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
            if !has(MAGICS, name) {
                return true;
            }
            if name.contains("time") {
                python.push_str(rest);
            }
            python.push('\n');
        } else {
            python.push_str(line);
            python.push('\n');
        }
    }
    let masked = masked(&python);
    calls_write(&masked)
}

/// The script of a cell that begins with `%%bash` or the like.
fn shell_cell(code: &str) -> Option<&str> {
    let (first, rest) = code.trim_start().split_once('\n')?;
    matches!(first.split_whitespace().next()?, "%%bash" | "%%sh" | "%%!" | "%%system").then_some(rest)
}

/// The code without comments, and with nothing in its texts, but for modes of `open`, in which one may write.
fn masked(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(['#', '\'', '"']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('#') {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        let quote =
            if rest.starts_with("'''") || rest.starts_with("\"\"\"") { &rest[..3] } else { &rest[..1] };
        let body = &rest[quote.len()..];
        // What `{…}` of an f-string calls counts as well.
        let is_format = out.ends_with(['f', 'F']) || out.ends_with("fr") || out.ends_with("rf");
        let end = end_of_text(body, quote);
        let text = &body[..end];
        let is_mode =
            text.len() <= 4 && !text.is_empty() && text.bytes().all(|byte| b"rwxabtU+".contains(&byte));
        out.push('"');
        if is_mode {
            out.push_str(text);
        }
        out.push('"');
        if is_format {
            out.push_str(&in_braces(text));
        }
        rest = body.get(end + quote.len()..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

fn end_of_text(body: &str, quote: &str) -> usize {
    let mut escaped = false;
    for (at, next) in body.char_indices() {
        if escaped {
            escaped = false;
        } else if next == '\\' {
            escaped = true;
        } else if body[at..].starts_with(quote) || (quote.len() == 1 && next == '\n') {
            return at;
        }
    }
    body.len()
}

fn in_braces(text: &str) -> String {
    text.split('{')
        .skip(1)
        .filter_map(|part| part.split('}').next())
        .fold(String::new(), |all, part| all + " " + part)
}

/// Whether any call may write.
fn calls_write(code: &str) -> bool {
    if WRITERS.iter().any(|name| code.contains(name)) {
        return true;
    }
    let mut defined = HashSet::new();
    let mut words = code.split(|c: char| !is_name(c)).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        if matches!(word, "def" | "class") {
            defined.extend(words.next());
        }
    }
    code.match_indices('(').any(|(at, _)| {
        let before = code[..at].trim_end_matches([' ', '\t']);
        let name =
            &before[before.rfind(|c: char| !is_name(c)).map_or(0, |end| end + last_len(before, end))..];
        if name == "open" {
            return open_writes(&code[at..]);
        }
        let called_on_text = name.is_empty() && before.ends_with([']', ')']);
        called_on_text
            || !(name.is_empty() || has(KEYWORDS, name) || has(READERS, name) || defined.contains(name))
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn last_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Characters of a call of `open` in which its end is looked for.
const LONGEST_CALL: usize = 4096;

/// Whether `open(…` opens for writing: its mode says so, or cannot be seen.
fn open_writes(call: &str) -> bool {
    let mut open = 0_u32;
    let end = call.char_indices().take(LONGEST_CALL).find(|(_, c)| {
        match c {
            '(' | '[' | '{' => open += 1,
            ')' | ']' | '}' => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0
    });
    let Some((end, _)) = end else { return true };
    let inside = &call[1..end];
    // `Path.open("w")` has the mode first; there it cannot be told from a file of that name.
    inside.split(',').enumerate().any(|(index, argument)| {
        let argument = argument.trim();
        let mode = match argument.split_once('=') {
            Some(("mode", mode)) => mode,
            Some(_) => return false,
            None => argument,
        };
        match mode.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(mode) => mode.contains(['w', 'a', 'x', '+']),
            None => index == 1,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::code_writes;

    #[test]
    fn code_that_reads() {
        for code in [
            "a > b",
            "def f(x) -> int:\n    return x\nf(1)",
            "print('<a> > b')",
            "open('f').read()",
            "x = [1]; len(x)",
            "open('f', 'r', encoding='utf-8').read()",
            "# os.remove('x')",
            "!ls -la",
            "%timeit sum(range(9))",
            "files = !ls",
            "%%bash\nls | wc",
            "print(f\"{len(x)}\")",
            "import os\nos.listdir('.')",
            "",
            "(1 + 2) * 3",
            "Path('a').read_text()",
            "x = {}.copy()",
            "print('''\nopen('x', 'w')\n''')",
        ] {
            assert!(!code_writes(code), "{code}");
        }
    }

    #[test]
    fn code_that_may_write() {
        for code in [
            "open('f', 'w').write('x')",
            "open('f', mode=\"a\")",
            "open('f', m)",
            "Path('a').write_text('x')",
            "os.remove('x')",
            "import shutil; shutil.rmtree('d')",
            "subprocess.run(['make'])",
            "df.to_csv('f')",
            "!rm x",
            "x = !make",
            "%%bash\nrm x",
            "%%writefile f\nx",
            "%run s.py",
            "exec('x')",
            "fs[0]()",
            "f\"{os.remove('x')}\"",
            "Path('a').open('w')",
            "shelve.open('f')",
            "import shutil\nshutil.copy('a', 'b')",
            "from shutil import copy\ncopy('a', 'b')",
            "list(map(os.remove, names))",
        ] {
            assert!(code_writes(code), "{code}");
        }
        assert!(
            code_writes(&"open(".repeat(50_000)),
            "and it does not take for ever to see that it never ends"
        );
    }
}
