//! A secret in the forms in which it may come out, and the search for it.
//!
//! What is searched loses everything but letters and digits first, so that spaces, line breaks, columns and separators hide nothing. Each
//! stretch of twelve characters of a secret counts: as it is, backwards, shifted by thirteen letters, as base64 (in whichever alignment),
//! base32, hexadecimal, octal and decimal numbers.

use aho_corasick::{AhoCorasick, MatchKind};

/// So many characters of a secret are the secret: what redaction shows is shorter, and chance does not make them.
const STRETCH: usize = 12;

#[derive(Debug)]
pub struct Needles {
    finder: AhoCorasick,
    forms: Vec<&'static str>,
}

impl Needles {
    pub fn new(secrets: &[&str]) -> Self {
        let (mut needles, mut forms) = (Vec::new(), Vec::new());
        for secret in secrets {
            let letters: Vec<u8> = secret.bytes().filter(u8::is_ascii_alphanumeric).collect();
            // Behind a prefix that everybody knows.
            let from =
                if secret.len() > letters.len() { 4.min(letters.len().saturating_sub(STRETCH)) } else { 0 };
            for stretch in letters[from..].windows(STRETCH) {
                for (form, needle) in encodings(stretch) {
                    needles.push(needle);
                    forms.push(form);
                }
            }
        }
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&needles).unwrap();
        Self { finder, forms }
    }

    /// In which form a secret is in there.
    pub fn find(&self, bytes: &[u8]) -> Option<&'static str> {
        if let Some(found) = self.finder.find(bytes) {
            return Some(self.forms[found.pattern().as_usize()]);
        }
        self.finder.find(&bare(bytes)).map(|found| self.forms[found.pattern().as_usize()])
    }
}

/// Only letters and digits, without the escapes of JSON.
fn bare(bytes: &[u8]) -> Vec<u8> {
    let mut left = Vec::with_capacity(bytes.len());
    let mut bytes = bytes.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            // `\n`, `\t`, `\"`, however often JSON was put into JSON; four digits of `\u001b` are left in, which is one break.
            b'\\' => {
                let mut next = bytes.next();
                while next == Some(b'\\') {
                    next = bytes.next();
                }
            }
            byte if byte.is_ascii_alphanumeric() => left.push(byte),
            _ => {}
        }
    }
    left
}

fn encodings(stretch: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let numbers = |base: fn(u8) -> String| stretch.iter().map(|byte| base(*byte)).collect::<String>();
    let rotated = |byte: &u8| match byte {
        b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
        other => *other,
    };
    let mut forms = vec![
        ("plain", stretch.to_vec()),
        ("backwards", stretch.iter().rev().copied().collect()),
        ("by rot13", stretch.iter().map(rotated).collect()),
        ("as hexadecimal numbers", numbers(|byte| format!("{byte:02x}")).into_bytes()),
        ("as hexadecimal numbers", numbers(|byte| format!("{byte:02X}")).into_bytes()),
        ("as octal numbers", numbers(|byte| format!("{byte:03o}")).into_bytes()),
        ("as decimal numbers", numbers(|byte| byte.to_string()).into_bytes()),
        ("as binary numbers", numbers(|byte| format!("{byte:08b}")).into_bytes()),
        (
            "as base64",
            digits(stretch, 6, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
        ),
    ];
    // Its groups are of five: of twelve characters ten stand in two.
    forms.push(("as base32", digits(&stretch[..10], 5, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")));
    forms
}

/// The bits in groups, by an alphabet.
fn digits(bytes: &[u8], width: usize, alphabet: &[u8]) -> Vec<u8> {
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    bits.chunks_exact(width)
        .map(|group| alphabet[group.iter().fold(0, |number, bit| number << 1 | usize::from(*bit))])
        .collect()
}

#[test]
fn a_secret_is_found_however_a_program_prints_it() {
    let secret = "k3Jq9ZtB7xW4w8sD2fGh5LmN6pQrS1tUvXyZaBcD";
    let needles = Needles::new(&[secret]);
    let commands = [
        "cat s",
        "rev s",
        "base64 s",
        "base64 -w 20 s",
        "(echo -n x; cat s) | base64",
        "(echo -n xy; cat s) | base64",
        "xxd s",
        "xxd -p s",
        "od -c s",
        "od -An -b s",
        "od -An -tu1 s",
        "od -x --endian=big s",
        "hexdump -C s",
        "base32 s",
        "tr a-zA-Z n-za-mN-ZA-M < s",
        "sed 's/./& /g' s",
        "fold -w 3 s",
        "xxd -b -c 64 s",
        "cut -c 5-20 s",
        "python3 -c 'print(list(open(\"s\",\"rb\").read()))'",
        "python3 -c 'print(ascii(\",\".join(open(\"s\").read())))'",
        "python3 -c 'import json; print(json.dumps(json.dumps(\"\\n\".join(open(\"s\").read()))))'",
    ];
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s"), secret).unwrap();
    for command in commands {
        let output = std::process::Command::new("bash")
            .args(["-c", command])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            needles.find(&output.stdout).is_some(),
            "{command}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    for harmless in
        ["k3Jq9Zt…", "[redacted: a token (`k3Jq`, 40 characters)]", &"abcdefghijklmnop".repeat(200)]
    {
        assert_eq!(needles.find(harmless.as_bytes()), None, "{harmless}");
    }
}
