//! What a model of this machine holds, as its server says.
//!
//! Of `ollama/NAME` and `custom:NAME` no table can know: the user has pulled or built them. Ollama tells it (`POST /api/show`, what
//! `ollama show` prints): the `num_ctx` of the model's parameters, which is what it is run with, else the length that it was trained
//! for. llama.cpp's server tells it at `/props`. It is asked where the session's calls go: at the address that a hook gave the model, else
//! at `OLLAMA_HOST` or `CUSTOM_BASE_URL`, else at the usual port of this machine. Plain HTTP/1.0, so that an answer ends with
//! its connection; no proxy, no redirect, no key.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use hookspec::Session;
use serde_json::{Value, json};

/// A question takes at most so long.
const PATIENCE: Duration = Duration::from_secs(2);
/// To be connected with; a server of this machine answers at once.
const CONNECT: Duration = Duration::from_millis(500);
/// Bytes of an answer that are read.
const MOST: u64 = 8 * 1024 * 1024;

/// A model that runs on a server of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalModel {
    name: String,
    /// Host and port.
    address: String,
}

/// What was learned of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Learned {
    /// So many tokens.
    Context(u64),
    /// The server is there and does not tell.
    Silent,
    /// Nobody is there.
    Absent,
}

impl LocalModel {
    /// The session's model, if it is one.
    pub(crate) fn of(session: &Session) -> Option<Self> {
        let model = session.model();
        let (name, variable, usual) = match model.strip_prefix("ollama/") {
            Some(name) => (name, "OLLAMA_HOST", "127.0.0.1:11434"),
            None => {
                let name = model.strip_prefix("custom:").or_else(|| model.strip_prefix("custom/"))?;
                (name, "CUSTOM_BASE_URL", "127.0.0.1:8080")
            }
        };
        let said = session.model_address(&model).or_else(|| std::env::var(variable).ok());
        let said = said.filter(|address| !address.trim().is_empty());
        let address = said.map_or_else(|| Some(usual.to_owned()), |text| host_and_port(&text, usual))?;
        Some(Self { name: name.to_owned(), address })
    }

    /// Asks its server.
    pub(crate) fn ask(&self) -> Learned {
        let until = Instant::now() + PATIENCE;
        let body = json!({ "model": self.name }).to_string();
        match self.exchange("POST", "/api/show", &body, until) {
            None => return Learned::Absent,
            Some((200, text)) => {
                if let Some(context) = shown(&text) {
                    return Learned::Context(context);
                }
            }
            Some(_) => {}
        }
        let props = self.exchange("GET", "/props", "", until).filter(|(status, _)| *status == 200);
        props.and_then(|(_, text)| props_context(&text)).map_or(Learned::Silent, Learned::Context)
    }

    /// Status and content; `None` where nobody answers in time.
    fn exchange(&self, method: &str, path: &str, body: &str, until: Instant) -> Option<(u16, String)> {
        let left = || until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        let address = self.address.to_socket_addrs().ok()?.next()?;
        let mut stream = TcpStream::connect_timeout(&address, CONNECT.min(left()?)).ok()?;
        stream.set_write_timeout(left()).ok()?;
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok()?;
        let mut bytes = Vec::new();
        let mut chunk = vec![0; 64 * 1024];
        while bytes.len() as u64 <= MOST {
            // A server that says a little now and then must not be listened to for ever.
            stream.set_read_timeout(Some(left()?)).ok()?;
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => bytes.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let (head, content) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, content.to_owned()))
    }
}

/// Of a base URL, or of what `OLLAMA_HOST` says: a host, perhaps a port. `None` for what is no plain HTTP.
fn host_and_port(text: &str, usual: &str) -> Option<String> {
    let text = text.trim();
    if text.starts_with("https://") {
        return None;
    }
    let text = text.strip_prefix("http://").unwrap_or(text);
    let host = text.split('/').next().filter(|host| !host.is_empty() && !host.contains('@'))?;
    let host = host.replacen("0.0.0.0", "127.0.0.1", 1);
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let port = usual.rsplit_once(':').map_or("80", |(_, port)| port);
    Some(if has_port { host } else { format!("{host}:{port}") })
}

/// The context in an answer of `/api/show`.
fn shown(text: &str) -> Option<u64> {
    let shown: Value = serde_json::from_str(text).ok()?;
    let parameters = shown["parameters"].as_str().unwrap_or_default();
    let set = parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == "num_ctx").then(|| words.next()?.parse().ok()).flatten()
    });
    let trained = || {
        let info = shown["model_info"].as_object()?;
        let architecture = info.get("general.architecture").and_then(Value::as_str).unwrap_or_default();
        let own = info.get(&format!("{architecture}.context_length"));
        own.or_else(|| info.iter().find(|(key, _)| key.ends_with(".context_length")).map(|(_, value)| value))?
            .as_u64()
    };
    set.or_else(trained).filter(|context| *context > 0)
}

/// The context in an answer of llama.cpp's `/props`.
fn props_context(text: &str) -> Option<u64> {
    let props: Value = serde_json::from_str(text).ok()?;
    let own = props["default_generation_settings"]["n_ctx"].as_u64();
    own.or_else(|| props["n_ctx"].as_u64()).filter(|context| *context > 0)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::net::TcpListener;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A server of this machine that gives an answer for each path, and what it was asked.
    pub(crate) fn server(answers: Vec<(&'static str, u16, String)>) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let tell = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut bytes = Vec::new();
                let mut chunk = [0; 4096];
                let request = loop {
                    let read = stream.read(&mut chunk).unwrap();
                    bytes.extend_from_slice(&chunk[..read]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let length = head.split("Content-Length: ").nth(1).unwrap().lines().next().unwrap();
                    if body.len() >= length.parse().unwrap() {
                        break text;
                    }
                };
                let path = request.split(' ').nth(1).unwrap().to_owned();
                tell.lock().unwrap().push(request);
                let none = (404, "{}".to_owned());
                let found = answers.iter().find(|(wanted, ..)| *wanted == path);
                let (status, body) = found.map_or(none, |(_, status, body)| (*status, body.clone()));
                let _ = write!(stream, "HTTP/1.0 {status} X\r\nContent-Type: application/json\r\n\r\n{body}");
            }
        });
        (address, asked)
    }

    fn at(address: &str) -> LocalModel {
        LocalModel { name: "qwen3".into(), address: address.into() }
    }

    fn show(answer: Value) -> Learned {
        at(&server(vec![("/api/show", 200, answer.to_string())]).0).ask()
    }

    #[test]
    fn ollama_tells_what_it_shows() {
        let info =
            json!({ "general.architecture": "qwen3", "qwen3.context_length": 40960, "x.context_length": 1 });
        assert_eq!(show(json!({ "model_info": info })), Learned::Context(40_960));
        let parameters = "stop \"<|im_end|>\"\nnum_ctx                        8192\ntemperature 1";
        let both = json!({ "model_info": info, "parameters": parameters });
        assert_eq!(show(both), Learned::Context(8192), "what it is run with counts");
        assert_eq!(show(json!({ "model_info": { "llama.context_length": 2048 } })), Learned::Context(2048));
        for silent in
            [json!({}), json!([]), json!({ "model_info": { "llama.context_length": 0 } }), json!("x")]
        {
            assert_eq!(show(silent), Learned::Silent);
        }
        let (address, asked) = server(vec![("/api/show", 200, "no json".into())]);
        assert_eq!(at(&address).ask(), Learned::Silent);
        let asked = asked.lock().unwrap();
        assert!(
            asked[0].starts_with("POST /api/show HTTP/1.0\r\n")
                && asked[0].ends_with("{\"model\":\"qwen3\"}")
        );
    }

    #[test]
    fn llama_cpp_tells_its_properties() {
        let props = json!({ "default_generation_settings": { "n_ctx": 16384 } }).to_string();
        let (address, _) = server(vec![("/props", 200, props)]);
        assert_eq!(at(&address).ask(), Learned::Context(16_384));
    }

    #[test]
    fn nobody_and_a_server_that_never_ends_are_not_waited_for() {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        assert_eq!(at(&gone).ask(), Learned::Absent);
        let slow = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = slow.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = slow.accept().unwrap();
            while stream.write_all(b"HTTP/1.0 200 OK\r\n").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let began = Instant::now();
        assert_eq!(at(&address).ask(), Learned::Absent);
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    }

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, found) in [
            ("http://127.0.0.1:8081/v1", Some("127.0.0.1:8081")),
            ("0.0.0.0", Some("127.0.0.1:11434")),
            ("box", Some("box:11434")),
            ("box:99", Some("box:99")),
            ("http://[::1]:7/v1", Some("[::1]:7")),
            ("https://box/v1", None),
            ("http://me:secret@box/v1", None),
            ("http://", None),
        ] {
            assert_eq!(host_and_port(text, "127.0.0.1:11434").as_deref(), found, "{text}");
        }
    }
}
