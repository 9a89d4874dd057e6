//! What only looks like a credential: ordinary sources, escapes, names.

use super::*;

/// Of ordinary files so many have something in them that is taken for a credential.
#[test]
#[ignore = "reads some thousand files of other crates"]
fn slow_false_alarms_are_counted_over_the_sources_of_our_dependencies() {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap();
    let mut folders = vec![home.join("registry/src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if [
                "rs", "toml", "md", "lock", "json", "yml", "yaml", "sh", "py", "js", "txt", "html", "c", "h",
            ]
            .contains(&kind.as_str())
            {
                files.push(path);
            }
        }
    }
    files.sort();
    // Every so many-th, so that each crate has some: the same on each machine that has the same dependencies.
    let step = (files.len() / 4000).max(1);
    let (mut looked, mut alarms) = (0, Vec::new());
    for path in files.iter().step_by(step) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        looked += 1;
        let found = table().unwrap().credentials(&text).unwrap();
        alarms.extend(found.iter().map(|found| {
            format!("{}:{}: {} {}", path.display(), found.line, found.rule.id, &found.value(&text))
        }));
    }
    println!("{looked} files, {} false alarms:\n{}", alarms.len(), alarms.join("\n"));
    assert!(looked >= 700, "{looked}");
    assert!(alarms.len() <= looked / 700, "{} in {looked}:\n{}", alarms.len(), alarms.join("\n"));
}

#[test]
fn colours_and_escapes_hide_nothing() {
    let key = token("ghp_", 36);
    for text in [
        format!("\u{1b}[1;32m{key}\u{1b}[0m"),
        format!("{{\"text\": \"first\\n{key}\\nlast\"}}"),
        format!("a\\t{key}"),
        format!("é\u{1b}[31m\nTOKEN\u{1b}[0m={key}"),
    ] {
        assert!(!result(&session(""), &text).contains(&key), "{text}");
        assert!(!redacted(&text).contains(&key), "{text}");
    }
    assert_eq!(redacted("plain \\n \u{1b}[1mtext"), "plain \\n \u{1b}[1mtext");
}

#[test]
fn what_only_looks_like_a_secret_passes() {
    let integrity = format!("\"integrity\": \"sha512-{}==\"", random(86, ALNUM));
    let minified = format!(
        "var a=function(t,e){{return t.token=e.token||n(t.key,\"{}\")}},s={{secret:u.secret,password:p}};",
        random(8, ALNUM)
    );
    for text in [
        "TOKENIZERS_PARALLELISM=false",
        "export TOKENIZERS_PARALLELISM=true",
        "ssl_certificate /etc/ssl/cert.pem; key_file = \"tests/fixtures/server.key\"",
        "id = \"550e8400-e29b-41d4-a716-446655440000\"",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  README.md",
        "checksum = \"8bd4d4a9e5a2b5c3f7d1e6f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0\"",
        "commit 1234567890abcdef1234567890abcdef12345678",
        &integrity,
        &minified,
        "password: string;\n  token?: string | undefined;",
        "let secret = std::env::var(\"SECRET\")?;",
        "  api_key=os.getenv('OPENAI_API_KEY'),",
        "secrets: ${{ secrets.GITHUB_TOKEN }}",
        "max_tokens=4096 num_tokens=1024 token_count: 128",
        "if token == Token::OpenBrace2 { password = read_password_from_tty1(); }",
        "passwordResetTokenExpiresInMinutes = defaultPasswordResetMinutes30",
        "Authorization: Bearer ${TOKEN}",
        "http://localhost:8080/?key=value&sort=asc",
    ] {
        assert_eq!(ids(text), [""; 0], "{text}");
    }
}

#[test]
fn honest_sources_pass() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("../hooks-core/src"), root.join("data")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert_eq!(ids(&text), [""; 0], "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 30);
}
