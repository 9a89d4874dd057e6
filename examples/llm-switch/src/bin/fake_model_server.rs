//! A model server without a model, for tests: it takes llama-server's arguments and answers as that does.
//!
//! What else it does is said by `--fake`, any number of times:
//!
//! | word | what |
//! |---|---|
//! | `delay=MS` | listens only after so many milliseconds |
//! | `loading=N` | answers the first N questions about its health with 503 |
//! | `never-ready` | answers all of them so |
//! | `exit=CODE` | complains and ends at once |
//! | `ignore-term` | does not end when it is asked to |
//! | `alias=NAME` | serves NAME, whatever `--alias` says |
//! | `say=TEXT` | answers TEXT |
//! | `starts=FILE` | adds a line to FILE: its alias and its pid |
//! | `helper=FILE` | starts a process and writes that one's pid to FILE |

use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};

#[derive(Debug, Default)]
struct Fake {
    host: String,
    port: u16,
    alias: String,
    say: Option<String>,
    delay: u64,
    loading: AtomicU32,
    exit: Option<u8>,
    ignore_term: bool,
    starts: Option<String>,
    helper: Option<String>,
}

impl Fake {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut fake = Self { host: "127.0.0.1".into(), port: 8080, ..Self::default() };
        let mut other_alias = None;
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} wants a value"));
            let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
            match arg.as_str() {
                "--host" => fake.host = value()?,
                "--port" => fake.port = value()?.parse().map_err(|error| format!("--port: {error}"))?,
                "--alias" => fake.alias = value()?,
                "--fake" => {
                    let word = value()?;
                    match word.split_once('=').unwrap_or((&word, "")) {
                        ("delay", ms) => fake.delay = number(ms)?.into(),
                        ("loading", count) => fake.loading = number(count)?.into(),
                        ("never-ready", _) => fake.loading = u32::MAX.into(),
                        ("exit", code) => {
                            fake.exit = Some(code.parse().map_err(|error| format!("exit={code}: {error}"))?);
                        }
                        ("ignore-term", _) => fake.ignore_term = true,
                        ("alias", name) => other_alias = Some(name.to_owned()),
                        ("say", text) => fake.say = Some(text.to_owned()),
                        ("starts", file) => fake.starts = Some(file.to_owned()),
                        ("helper", file) => fake.helper = Some(file.to_owned()),
                        _ => return Err(format!("--fake does not know {word}")),
                    }
                }
                // The real server's, with their values.
                "-m"
                | "-c"
                | "-ngl"
                | "-np"
                | "-fa"
                | "-ctk"
                | "-ctv"
                | "--temp"
                | "--top-p"
                | "--top-k"
                | "--min-p"
                | "--presence-penalty"
                | "--repeat-penalty"
                | "--frequency-penalty" => {
                    value()?;
                }
                "--jinja" => {}
                _ => return Err(format!("there is no argument {arg}")),
            }
        }
        fake.alias = other_alias.unwrap_or(fake.alias);
        Ok(fake)
    }

    fn model(&self) -> Value {
        json!({ "id": self.alias, "object": "model", "created": 0, "owned_by": "nobody" })
    }

    /// Status, type of content and content.
    fn answer(&self, path: &str) -> (&'static str, &'static str, String) {
        let json = "application/json";
        match path {
            "/health" => {
                let left = self
                    .loading
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                match left {
                    Ok(_) => (
                        "503 Service Unavailable",
                        json,
                        json!({ "error": { "message": "Loading model" } }).to_string(),
                    ),
                    Err(_) => ("200 OK", json, json!({ "status": "ok" }).to_string()),
                }
            }
            "/v1/models" => ("200 OK", json, json!({ "object": "list", "data": [self.model()] }).to_string()),
            "/v1/chat/completions" => ("200 OK", "text/event-stream", self.stream()),
            _ => ("404 Not Found", json, json!({ "error": { "message": "no such path" } }).to_string()),
        }
    }

    /// An answer as chat completions stream it.
    fn stream(&self) -> String {
        let text = self.say.clone().unwrap_or_else(|| format!("This is {}.", self.alias));
        let chunk = |delta: Value, reason: Value| {
            json!({
                "id": "fake", "object": "chat.completion.chunk", "created": 0, "model": self.alias,
                "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
            })
        };
        let mut last = chunk(json!({}), json!("stop"));
        last["usage"] = json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 });
        let first = chunk(json!({ "role": "assistant", "content": text }), Value::Null);
        format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n")
    }
}

fn main() -> ExitCode {
    let run = Fake::read(std::env::args().skip(1)).and_then(|fake| {
        if let Some(code) = fake.exit {
            eprintln!("error: failed to load model (the fake server was told to fail)");
            return Ok(ExitCode::from(code));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let served = runtime.and_then(|runtime| runtime.block_on(serve(fake)));
        served.map(|()| ExitCode::SUCCESS).map_err(|error| error.to_string())
    });
    run.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

async fn serve(fake: Fake) -> std::io::Result<()> {
    let mut term = fake.ignore_term.then(|| signal(SignalKind::terminate())).transpose()?;
    if let Some(file) = &fake.starts {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
        writeln!(file, "{} {}", fake.alias, std::process::id())?;
    }
    if let Some(file) = &fake.helper {
        let helper = Command::new("sleep").arg("600").spawn()?;
        std::fs::write(file, helper.id().to_string())?;
    }
    tokio::time::sleep(Duration::from_millis(fake.delay)).await;
    let listener = TcpListener::bind((fake.host.as_str(), fake.port)).await?;
    eprintln!("listening on {}", listener.local_addr()?);
    writeln!(std::io::stdout(), "the fake model server is ready")?;
    let fake = Arc::new(fake);
    loop {
        let asked = async {
            match &mut term {
                Some(term) => term.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                let fake = Arc::clone(&fake);
                tokio::spawn(async move { talk(&fake, stream).await });
            }
            _ = asked => eprintln!("asked to end, and not doing so"),
        }
    }
}

/// One request, one answer.
async fn talk(fake: &Fake, stream: TcpStream) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let (mut path, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        } else if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    // Read, so that closing does not cut the answer off.
    tokio::io::copy(&mut (&mut stream).take(length), &mut tokio::io::sink()).await?;
    let (status, kind, content) = fake.answer(&path);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        content.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(content.as_bytes()).await?;
    stream.shutdown().await
}
