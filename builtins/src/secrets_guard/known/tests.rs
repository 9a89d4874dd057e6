//! The secrets in these tests are put together when they run.

use std::fs;
use std::path::Path;

use super::*;

const ALNUM: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

fn random(seed: u32, length: usize) -> String {
    let mut seed = seed;
    let letter = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(ALNUM[(seed >> 16) as usize % ALNUM.len()])
    };
    (0..length).map(letter).collect()
}

fn redacted(known: &Known, text: &str) -> String {
    let mut cuts = known.find(text);
    cuts.sort_by_key(|cut| cut.range.start);
    let mut out = text.to_owned();
    let mut before = usize::MAX;
    for cut in cuts.into_iter().rev() {
        if cut.range.end <= before {
            before = cut.range.start;
            out.replace_range(cut.range, "[-]");
        }
    }
    out
}

fn in_folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Known) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let known = Known::new(Some(folder.path().to_owned()), []);
    (folder, known)
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in text.as_bytes().chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for at in 0..=group.len() {
            out.push(char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63]));
        }
        out.push_str(&"=".repeat(3 - group.len()));
    }
    out
}

#[test]
fn values_of_secret_files_are_found_wherever_they_turn_up() {
    let (password, odd, pass) =
        (random(1, 14), format!("{}&/'\"\\{}", random(2, 9), random(3, 9)), random(4, 20));
    let env = format!(
        "# comment\nexport DB_PASSWORD={password}\nODD_SECRET={odd}\nDATABASE_URL=postgres://app:{pass}@db:5432/app\nPORT=5432\nNODE_ENV=production\n"
    );
    let (_folder, known) = in_folder(&[(".env", &env)]);
    let wrapped = |text: &str, width: usize| {
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(width).map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
    };
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    for secret in [&password, &odd, &pass] {
        for text in [
            secret.clone(),
            format!("x{secret}x"),
            base64(secret),
            base64(&format!("a{secret}")),
            base64(&format!("ab{secret}c")),
            base64(&env),
            wrapped(&base64(&env), 76),
            base64(&env).replace('+', "-").replace('/', "_"),
            hex(secret),
            hex(secret).to_uppercase(),
            wrapped(&hex(&env), 60),
            serde_json::to_string(secret).unwrap(),
            secret.chars().rev().collect(),
            wrapped(secret, 5),
            secret.chars().map(|c| format!("{c} ")).collect::<String>() + "\n",
            format!("{}\\\n    {}", &secret[..7], &secret[7..]),
        ] {
            assert!(!known.find(&text).is_empty(), "{secret} in {text}");
            assert!(!redacted(&known, &text).contains(secret.as_str()));
        }
    }
    for text in ["5432", "production", "DB_PASSWORD", "app", "postgres://app@db:5432/app", &random(9, 300)] {
        assert!(known.find(text).is_empty(), "{text}: {:?}", known.find(text));
    }
    let told = &known.find(&password)[0].stand_in;
    assert_eq!(told, "[redacted: `DB_PASSWORD` of `.env` (known, 14 characters)]");
}

#[test]
fn a_part_of_a_key_is_found_and_a_short_password_only_where_it_stands_alone() {
    let lines: Vec<String> = (0..4).map(|n| random(20 + n, 64)).collect();
    let pem = format!("-----BEGIN {k}-----\n{}\n-----END {k}-----\n", lines.join("\n"), k = "PRIVATE KEY");
    let cert = format!("-----BEGIN {k}-----\n{}\n-----END {k}-----\n", random(50, 64), k = "CERTIFICATE");
    let (_folder, known) =
        in_folder(&[("server.key", &pem), ("cert.pem", &cert), (".env", "DB_PASS=tr0ub4d\n")]);
    assert_eq!(redacted(&known, &format!("a {} b", &lines[1][3..40])), "a [-] b");
    assert!(!known.find(&lines[2]).is_empty() && known.find(&random(50, 64)).is_empty());
    assert_eq!(redacted(&known, "it is tr0ub4d, not xtr0ub4d"), "it is [-], not xtr0ub4d");
}

#[test]
fn each_kind_of_file_gives_its_secrets_and_not_the_rest() {
    let secret = |n: u32| random(100 + n, 24);
    let json = format!(
        "{{\"client_id\": \"me\", \"private_key\": \"-----BEGIN {k}-----\\n{}\\n-----END {k}-----\\n\", \"client_secret\": \"{}\"}}",
        random(90, 64),
        secret(1),
        k = "PRIVATE KEY"
    );
    let files = [
        (".netrc", format!("machine example.org\n  login me\n  password {}\n", secret(2)), secret(2)),
        (".npmrc", format!("//registry.npmjs.org/:_authToken={}\n", secret(3)), secret(3)),
        (".pypirc", format!("[pypi]\nusername = __token__\npassword = {}\n", secret(4)), secret(4)),
        (".git-credentials", format!("https://me:{}@example.org\n", secret(5)), secret(5)),
        (".pgpass", format!("localhost:5432:app:me:{}\n", secret(6)), secret(6)),
        (".aws/credentials", format!("[default]\naws_secret_access_key = {}\n", secret(7)), secret(7)),
        (
            ".docker/config.json",
            format!("{{\"auths\": {{\"x\": {{\"auth\": \"{}\"}}}}}}", secret(8)),
            secret(8),
        ),
        ("deep/er/.env.local", format!("STRIPE={}\n", secret(9)), secret(9)),
        ("prod.env", format!("A_TOKEN = \"{}\" # the token\n", secret(10)), secret(10)),
        ("gcloud/application_default_credentials.json", json, secret(1)),
    ];
    let written: Vec<(&str, &str)> = files.iter().map(|(name, text, _)| (*name, text.as_str())).collect();
    let (_folder, known) = in_folder(&written);
    for (name, text, secret) in &files {
        let shown = redacted(&known, &format!("<{secret}>"));
        assert_eq!(shown, "<[-]>", "{name}: {text}");
    }
    assert!(
        known
            .find("example.org localhost __token__ registry.npmjs.org client_secret password default")
            .is_empty()
    );
}

#[test]
fn names_tell_secrets_from_the_rest() {
    for name in [
        "DB_PASSWORD",
        "GITHUB_TOKEN",
        "githubToken",
        "api-key",
        "AWS_SECRET_ACCESS_KEY",
        "PGPASSWORD",
        "MYSQL_PASS",
        "clientSecret",
        "ENCRYPTION_KEY",
        "STRIPE_KEY",
        "_authToken",
        "SENTRY_DSN",
    ] {
        assert!(values::is_secret_name(name), "{name}");
    }
    for name in [
        "TOKENIZERS_PARALLELISM",
        "MAX_TOKENS",
        "SECRETARY",
        "PATH",
        "PWD",
        "OLDPWD",
        "SSH_AUTH_SOCK",
        "PASSENGERS",
        "TOKEN_FILE",
        "PASSWORD_LENGTH",
        "SECRET_NAME",
        "PUBLIC_KEY",
        "SORT_KEY",
        "KEY",
        "MONKEY",
        "AUTHOR",
        "COMPASS",
        "BYPASS_CACHE",
        "KEYBOARD",
    ] {
        assert!(!values::is_secret_name(name), "{name}");
    }
}

#[test]
fn the_hosts_secret_variables_are_known_and_others_are_not() {
    let (token, other) = (random(5, 30), random(6, 30));
    let variables = [
        ("MY_TOKEN", token.as_str()),
        ("INVOCATION_ID", &other),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("DB_PASSWORD", "postgres"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let known = Known::new(None, variables);
    assert_eq!(known.find(&token)[0].stand_in, "[redacted: the variable `MY_TOKEN` (known, 30 characters)]");
    assert!(known.find(&format!("{other} false postgres")).is_empty());
}

#[test]
fn what_looks_made_up_is_a_secret_in_a_secret_file_and_a_placeholder_is_none() {
    let made_up = [
        "sk-proj-abcdefghijklmnop1234567890XYZ",
        "test-Passw0rd-example",
        "todo0123456789xxxx",
        "fake.sample.9",
    ];
    let placeholders = [
        "your-api-key-here",
        "changeme",
        "<token>",
        "${TOKEN}",
        "xxxxxxxxxxxx",
        "replace_me_with_your_own_secret",
    ];
    let lines =
        made_up.iter().chain(&placeholders).enumerate().map(|(n, value)| format!("A{n}_TOKEN={value}\n"));
    let (_folder, known) = in_folder(&[(".env", &lines.collect::<String>())]);
    for value in made_up {
        assert_eq!(redacted(&known, &format!("it is {value}")), "it is [-]");
    }
    for value in placeholders {
        assert!(known.find(value).is_empty(), "{value}");
    }
}

fn later(path: &Path) {
    let now = std::time::SystemTime::now() - Duration::from_secs(1);
    fs::File::open(path).unwrap().set_modified(now).unwrap();
}

#[test]
fn a_file_that_comes_changes_or_goes_is_noticed() {
    let (folder, known) = in_folder(&[("src/a.rs", "")]);
    let (one, two) = (random(7, 20), random(8, 20));
    known.held.lock().unwrap().rest = 0;
    let found = |text: &str| !known.find(text).is_empty();
    assert!(!found(&one));
    let path = folder.path().join("src/.env");
    fs::write(&path, format!("A_TOKEN={one}\n")).unwrap();
    assert!(found(&one) && !found(&two));
    fs::write(&path, format!("A_TOKEN={two}\n")).unwrap();
    later(&path);
    assert!(found(&two) && found(&one), "the old one may still turn up");
    fs::remove_file(&path).unwrap();
    assert!(found(&two) && found(&one));
}

#[test]
fn hostile_trees_and_files_cost_no_more_than_their_bound() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join(".env")).unwrap();
    fs::write(folder.path().join("big.env"), vec![b'x'; 2 << 20]).unwrap();
    fs::write(folder.path().join(".env.bin"), [0, 159, 146, 150]).unwrap();
    fs::write(folder.path().join(".env.`\n"), format!("A_TOKEN={}\n", random(11, 20))).unwrap();
    let known = Known::new(Some(folder.path().to_owned()), []);
    assert!(known.find("nothing").is_empty());
    assert_eq!(
        known.find(&random(11, 20))[0].stand_in,
        "[redacted: `A_TOKEN` of `.env.` (known, 20 characters)]"
    );
    assert!(Known::new(Some("/nowhere".into()), []).find("x").is_empty());
}
