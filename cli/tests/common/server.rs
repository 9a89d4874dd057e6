//! `hookspec serve` as a process, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

pub const TOKEN: &str = "ann-ann-ann-ann-ann";

pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookspec"));
    command
        .arg("serve")
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("HOOKSPEC_HOME", folder.join("home"));
    command
}

/// A server, killed when the test is done with it.
pub struct Server {
    pub child: Child,
    pub link: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn start(folder: &Path, args: &[&str]) -> Server {
    let mut child = command(folder)
        .args(["--listen", "127.0.0.1:0", "--model", "replay:script.jsonl"])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut link = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
    assert!(link.starts_with("http://127.0.0.1:"), "{link:?}");
    Server { child, link: link.trim().to_owned() }
}

pub fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script.jsonl"), r#"{"text":"hello","repeat":true}"#).unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, format!("ann {TOKEN}\n")).unwrap();
    std::fs::set_permissions(&tokens, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    folder
}

impl Server {
    pub fn address(&self) -> &str {
        self.link.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }
}

/// One request; `None` where the server is gone.
pub fn ask(address: &str, token: &str, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "{method} /api/v2{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    Some((status, answer.split_once("\r\n\r\n")?.1.to_owned()))
}

impl Server {
    /// A request that is to succeed.
    pub fn good(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, text) = ask(self.address(), TOKEN, method, path, &body.to_string()).unwrap();
        assert_eq!(status, 200, "{method} {path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Waits until a conversation rests, for a while; gives it.
    pub fn rested(&self, id: &str) -> Value {
        for _ in 0..600 {
            let whole = self.good("GET", &format!("/conversations/{id}"), &Value::Null);
            if whole["generating"] == false {
                return whole;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{id} never rested");
    }
}
