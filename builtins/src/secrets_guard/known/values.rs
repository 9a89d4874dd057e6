//! What in a secret file, or behind the name of a variable, is a secret.

use std::sync::LazyLock;

use regex::Regex;

use super::super::table::{distinct, entropy, is_name};

/// A value of a name that says nothing is secret from this length on, if it looks random.
const LONG: usize = 16;
/// The shortest one of a secret's name.
const SHORT: usize = 6;
/// The longest that is looked for as it is.
const LONGEST: usize = 8192;
/// What is written in place of passwords, and turns up in ordinary text.
const PLAIN: &[&str] = &[
    "admin",
    "administrator",
    "changeme",
    "default",
    "development",
    "disabled",
    "docker",
    "enabled",
    "example",
    "localhost",
    "letmein",
    "master",
    "mysql",
    "nopass",
    "password",
    "password1",
    "password123",
    "passwort",
    "postgres",
    "postgresql",
    "production",
    "public",
    "rabbitmq",
    "redis",
    "required",
    "secret",
    "secret123",
    "staging",
    "string",
    "testing",
    "testpass",
    "testtest",
    "undefined",
    "username",
];

/// `name = value`, as environment files, INI, TOML, YAML and JSON have it.
static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"(?m)["']?([A-Za-z_][A-Za-z0-9_./:-]{0,80})["']?[ \t]*[=:][ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"'#{\[][^\n]*))"#;
    Regex::new(pattern).ok()
});
/// `password value`, as netrc has it.
static NETRC: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)\b(?:password|account)[ \t\n]+(\S+)").ok());
/// The password in a URL.
static URL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"']*:([^\s/@"']+)@"#).ok());

/// The words of placeholders.
const PLACEHOLDERS: &[&str] = &[
    "a",
    "access",
    "add",
    "an",
    "api",
    "apikey",
    "app",
    "change",
    "changeit",
    "changeme",
    "client",
    "dummy",
    "enter",
    "example",
    "fake",
    "fill",
    "generate",
    "goes",
    "here",
    "in",
    "insert",
    "it",
    "key",
    "me",
    "my",
    "none",
    "null",
    "of",
    "own",
    "paste",
    "password",
    "placeholder",
    "put",
    "random",
    "real",
    "replace",
    "replaceme",
    "sample",
    "secret",
    "set",
    "some",
    "string",
    "test",
    "the",
    "this",
    "to",
    "todo",
    "token",
    "value",
    "with",
    "your",
    "yours",
];

/// Words of names whose values look random and are known to everybody.
const OPEN: &[&str] = &[
    "COMMIT", "DIGEST", "HASH", "HOST", "HOSTNAME", "IMAGE", "PUBLIC", "REVISION", "SHA", "TAG", "UUID",
    "VERSION",
];
/// Keys that are none.
const NO_KEYS: &[&str] = &["CACHE", "FOREIGN", "PARTITION", "PRIMARY", "PUBLIC", "SORT"];

/// The words of a name, in capitals.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && before.is_ascii_lowercase()) {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_uppercase());
        }
        before = c;
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a name says that its value is a secret: by its words, so that `TOKENIZERS_PARALLELISM` and `MAX_TOKENS` do not.
pub(in super::super) fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    if words.iter().any(|word| NO_KEYS.contains(&word.as_str())) {
        return false;
    }
    let ends = [
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "PASSWORT",
        "SECRET",
        "TOKEN",
        "APIKEY",
        "CREDENTIAL",
        "CREDENTIALS",
    ];
    let whole = ["PASS", "PW", "CREDS", "JWT", "PAT", "DSN", "SECRETS"];
    let is_secret =
        |word: &String| ends.iter().any(|end| word.ends_with(end)) || whole.contains(&word.as_str());
    let keys = [
        "API",
        "ACCESS",
        "AUTH",
        "PRIVATE",
        "SECRET",
        "ENCRYPTION",
        "SIGNING",
        "MASTER",
        "CLIENT",
        "SERVICE",
        "ACCOUNT",
        "LICENSE",
    ];
    let is_key =
        |pair: &[String]| matches!(pair, [kind, key] if key == "KEY" && keys.contains(&kind.as_str()));
    let says_where = words.last().is_some_and(|last| {
        ["FILE", "PATH", "DIR", "NAME", "LENGTH", "TTL", "EXPIRY", "LIMIT", "TYPE", "ID", "ARN", "ENABLED"]
            .contains(&last.as_str())
    });
    let named = words.iter().any(is_secret) || words.windows(2).any(is_key);
    let ends_so = words.len() > 1 && words.last().is_some_and(|last| last == "KEY");
    (named && !says_where) || ends_so
}

/// The secrets of a variable of the host, if its name says that it has some.
pub(super) fn of_variable(name: &str, value: &str) -> Vec<String> {
    if is_secret_name(name) { parts(name, value) } else { Vec::new() }
}

/// The secrets in a secret file, each with its name where it has one.
pub(super) fn of_file(text: &str, mut add: impl FnMut(String, Option<&str>)) {
    // JSON has its keys on one line.
    let text = &text.replace("\\n", "\n").replace("\\r", "\n");
    let mut within = false;
    for line in text.lines().map(|line| line.trim().trim_matches(['"', '\'', ',', '|'])) {
        if line.contains("-----BEGIN") || line.starts_with("Private-Lines:") {
            within = line.contains("PRIVATE KEY") || line.starts_with("Private-Lines:");
        } else if line.contains("-----END") || line.starts_with("Private-MAC:") {
            within = false;
        } else if (within && is_base64(line)) || line.starts_with("AGE-SECRET-KEY-") {
            add(line.to_owned(), None);
        }
    }
    if let Some(pattern) = &*PAIR {
        for pair in pattern.captures_iter(text) {
            let Some(name) = pair.get(1).map(|name| name.as_str()) else { continue };
            let Some(value) = (2..5).find_map(|index| pair.get(index)) else { continue };
            for value in parts(name, value.as_str()) {
                add(value, Some(name));
            }
        }
    }
    for (pattern, name) in [(&*NETRC, "password"), (&*URL, "password")] {
        let found = pattern.iter().flat_map(|pattern| pattern.captures_iter(text));
        for value in found.filter_map(|found| found.get(1)).filter(|value| is_worth(true, value.as_str())) {
            add(value.as_str().to_owned(), Some(name));
        }
    }
    // `host:port:database:user:password`
    for line in
        text.lines().filter(|line| line.split(':').count() == 5 && !line.contains(char::is_whitespace))
    {
        if let Some(value) = line.rsplit(':').next().filter(|value| is_worth(true, value)) {
            add(value.to_owned(), Some("password"));
        }
    }
}

/// Whether it is a line of a key.
fn is_base64(line: &str) -> bool {
    line.len() >= LONG && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}

/// What of a value is secret.
fn parts(name: &str, value: &str) -> Vec<String> {
    let secret = is_secret_name(name);
    if !secret && words(name).iter().any(|word| OPEN.contains(&word.as_str())) {
        return Vec::new();
    }
    let mut value = value.trim().trim_end_matches([',', ';']);
    // What stands behind it on its line is a comment.
    if let Some((before, _)) = value.split_once(" #") {
        value = before.trim_end();
    }
    let unquoted = value.trim_matches(['"', '\'']);
    if unquoted.contains("://") {
        let password =
            URL.as_ref().and_then(|pattern| pattern.captures(unquoted)).and_then(|found| found.get(1));
        let password =
            password.map(|password| password.as_str().to_owned()).filter(|password| is_worth(true, password));
        let whole = Some(unquoted.to_owned())
            .filter(|url| secret && password.is_none() && url.len() >= 32 && entropy(url) > 4.2);
        return password.or(whole).into_iter().collect();
    }
    let mut parts: Vec<String> =
        Some(unquoted.to_owned()).filter(|value| is_worth(secret, value)).into_iter().collect();
    // As the program that reads the file has it.
    let plain = unquoted.replace("\\\"", "\"").replace("\\\\", "\\").replace("\\$", "$");
    if plain != unquoted && is_worth(secret, &plain) {
        parts.push(plain);
    }
    parts
}

/// Whether a value is a secret that would not turn up by chance.
fn is_worth(secret: bool, value: &str) -> bool {
    let (least, length) = (if secret { SHORT } else { LONG }, value.len());
    if length < least || length > LONGEST || distinct(value) < 4 || value.contains('\n') {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    if PLAIN.contains(&lower.as_str())
        || is_placeholder(&lower)
        || value.starts_with(['$', '<'])
        || value.starts_with("{{")
        || is_path(value)
    {
        return false;
    }
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b".,-+:TZ ".contains(&byte));
    if is_number && (!secret || length < 12) {
        return false;
    }
    if secret {
        return true;
    }
    digits
        && letters
        && entropy(value) >= 3.3
        && !value.contains(' ')
        && !is_name(value)
        && !value.contains('@')
}

/// Whether it is put together of nothing but what templates say: `your-api-key-here`. Its parts alone do not make it one: what
/// stands in a secret file may well begin with `test` or hold `1234567890`.
fn is_placeholder(lower: &str) -> bool {
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| PLACEHOLDERS.contains(&word) || (word.len() > 2 && distinct(word) < 2))
}

/// Whether it names a file, whose name is no secret.
fn is_path(value: &str) -> bool {
    let value = value.strip_prefix(['~', '.']).unwrap_or(value);
    value.starts_with('/') && value.split('/').all(|part| part.len() < 24) && value.matches('/').count() > 1
}
