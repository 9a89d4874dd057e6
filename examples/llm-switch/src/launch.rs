//! How one model's server is started, and how it is reached: the file's words as arguments and addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{Config, Entry, Server};

/// Everything that a start needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) key: String,
    pub(crate) alias: String,
    /// What the host calls the model.
    pub(crate) model: String,
    pub(crate) program: String,
    /// All arguments but host and port.
    pub(crate) args: Vec<String>,
    pub(crate) gguf: PathBuf,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) context: u32,
    pub(crate) patience: Duration,
    pub(crate) idle: Option<Duration>,
    /// A program that lies there is not run by its bare name.
    pub(crate) not_under: Option<PathBuf>,
}

impl Launch {
    /// The launch of the model `key`, which is in `config`. Relative paths in there are taken from `folder`.
    pub(crate) fn of(
        config: &Config,
        (key, entry): (&str, &Entry),
        folder: &Path,
        workspace: Option<&Path>,
    ) -> Self {
        let Server { binary, models_dir, host, port, start_seconds, idle_seconds, .. } = &config.server;
        let alias = entry.alias.clone().unwrap_or_else(|| key.to_owned());
        let gguf = folder.join(at_home(models_dir)).join(at_home(Path::new(&entry.gguf)));
        let program = match binary.contains('/') {
            true => folder.join(at_home(Path::new(binary))).to_string_lossy().into_owned(),
            false => binary.clone(), // looked for on `PATH` when it is started
        };
        Self {
            key: key.to_owned(),
            args: arguments(&config.server, entry, &alias, &gguf),
            alias,
            model: entry.spec(key),
            program,
            gguf,
            host: host.clone(),
            port: *port,
            context: entry.context(),
            patience: Duration::from_secs((*start_seconds).max(1)),
            idle: (*idle_seconds > 0).then(|| Duration::from_secs(*idle_seconds)),
            not_under: workspace.map(Path::to_owned),
        }
    }

    /// Whether a server that was started for `other` does for this one. The key is compared and not what the server calls
    /// itself, which may be another name.
    pub(crate) fn same_server(&self, other: &Self) -> bool {
        self.key == other.key
            && self.program == other.program
            && self.args == other.args
            && self.host == other.host
            && self.port == other.port
    }

    /// Whether the file says the same of both, up to what a failure may depend on.
    pub(crate) fn as_written(&self, other: &Self) -> bool {
        self.same_server(other) && self.gguf == other.gguf && self.patience == other.patience
    }
}

/// The server's arguments, but for host and port.
fn arguments(server: &Server, entry: &Entry, alias: &str, gguf: &Path) -> Vec<String> {
    let mut args: Vec<String> = Vec::new();
    let mut flag = |name: &str, value: String| args.extend([name.to_owned(), value]);
    flag("-m", gguf.to_string_lossy().into_owned());
    flag("--alias", alias.to_owned());
    flag("-c", entry.context().to_string());
    flag("-ngl", server.gpu_layers.to_string());
    flag("-np", server.parallel.to_string());
    if server.flash_attention {
        flag("-fa", "on".to_owned());
    }
    let cache = [("-ctk", &entry.kv_cache.key), ("-ctv", &entry.kv_cache.value)];
    for (name, value) in cache {
        if let Some(value) = value {
            flag(name, value.clone());
        }
    }
    for (name, number) in entry.sampling.numbers() {
        flag(name, number.to_string());
    }
    if let Some(top_k) = entry.sampling.top_k {
        flag("--top-k", top_k.to_string());
    }
    if server.jinja {
        args.push("--jinja".to_owned());
    }
    args.extend(server.args.iter().chain(&entry.args).cloned());
    args
}

/// `~` and `~/…` as a path.
pub(crate) fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Whether anybody who reaches this machine reaches a server there.
pub(crate) fn is_wildcard(host: &str) -> bool {
    bare(host).parse::<IpAddr>().is_ok_and(|address| address.is_unspecified())
}

/// Where a server that listens on `host` is asked: a server that listens everywhere is asked on this machine.
pub(crate) fn reach(host: &str, port: u16) -> String {
    let host = match bare(host).parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        Ok(IpAddr::V4(address)) => address.to_string(),
        Err(_) => host.to_owned(),
    };
    format!("{host}:{port}")
}

/// An address without the brackets that URLs want around it.
pub(crate) fn bare(host: &str) -> &str {
    host.trim_matches(['[', ']'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(text: &str) -> Launch {
        let config = Config::parse(Path::new("models.toml"), text).unwrap();
        Launch::of(&config, ("write", &config.models["write"]), Path::new("/folder"), None)
    }

    #[test]
    fn the_arguments_are_those_of_the_original() {
        let launch = launch(
            "server = { models_dir = '/models' }
            [models.write]
            gguf = 'w.gguf'
            context = 49152
            kv_cache = { key = 'q8_0', value = 'q4_0' }
            sampling = { temp = 0.7, top_p = 0.8, top_k = 20, presence_penalty = 1.5 }",
        );
        assert_eq!(
            launch.args.join(" "),
            "-m /models/w.gguf --alias write -c 49152 -ngl 99 -np 1 -fa on -ctk q8_0 -ctv q4_0 --temp 0.7 \
             --top-p 0.8 --presence-penalty 1.5 --top-k 20 --jinja"
        );
        assert_eq!((launch.host.as_str(), launch.port), ("127.0.0.1", 8080));
        assert_eq!(launch.model, "ollama/write");
    }

    #[test]
    fn a_home_is_put_in_place_of_its_sign() {
        let home = std::env::home_dir().unwrap();
        assert_eq!(at_home(Path::new("~/models")), home.join("models"));
        assert_eq!(at_home(Path::new("/~/models")), Path::new("/~/models"));
        assert_eq!(launch("[models.write]\ngguf = '/elsewhere/w.gguf'").gguf, Path::new("/elsewhere/w.gguf"));
    }

    #[test]
    fn relative_paths_are_taken_from_the_file() {
        let launch = launch("server = { binary = 'bin/x', models_dir = 'm' }\nmodels.write = { gguf = 'w' }");
        assert_eq!((launch.program.as_str(), &*launch.gguf), ("/folder/bin/x", Path::new("/folder/m/w")));
    }

    #[test]
    fn edge_10_a_server_is_asked_where_it_listens() {
        for (host, asked) in [
            ("127.0.0.1", "127.0.0.1:1"),
            ("192.168.7.2", "192.168.7.2:1"),
            ("0.0.0.0", "127.0.0.1:1"),
            ("::", "[::1]:1"),
            ("[::]", "[::1]:1"),
            ("::1", "[::1]:1"),
            ("localhost", "localhost:1"),
        ] {
            assert_eq!(reach(host, 1), asked, "{host}");
        }
    }

    #[test]
    fn edge_09_nothing_but_this_machine_is_served_unless_said() {
        assert!(!is_wildcard(&Server::default().host));
        assert!(is_wildcard("0.0.0.0") && is_wildcard("::") && is_wildcard("[::]"));
        assert!(!is_wildcard("192.168.7.2"));
    }
}
