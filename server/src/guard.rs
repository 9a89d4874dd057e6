//! Who is let in: the names under which the server may be called, the pages that may call it, and how often.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::host::Bounds;
use crate::store::Owner;

/// The names of this server, and the foreign pages that may use it.
///
/// A page that has a name of its own point to this machine (DNS rebinding) sends that name as `Host`, so a name
/// that is not ours is refused, whatever address it came in by.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    /// `host` or `host:port`, lower case.
    names: Vec<String>,
    port: u16,
    /// `scheme://host[:port]` of pages beside our own.
    foreign: Vec<String>,
}

impl Origins {
    /// For a server that listens on `port` and is called by these names beside those of the machine itself.
    #[must_use]
    pub(crate) fn new(port: u16, names: &[String], foreign: &[String]) -> Self {
        let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = own.into_iter().chain(names.iter().map(|name| name.to_lowercase())).collect();
        let foreign = foreign.iter().map(|origin| origin.trim_end_matches('/').to_lowercase()).collect();
        Self { names, port, foreign }
    }

    /// Whether `Host` is a name of ours.
    #[must_use]
    pub(crate) fn is_ours(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (&*host, Some(80)),
        };
        self.names.contains(&host) || port == Some(self.port) && self.names.iter().any(|own| own == name)
    }

    /// Whether a page of this origin may call the server that was called as `host`.
    #[must_use]
    pub(crate) fn may_call(&self, origin: &str, host: &str) -> bool {
        let origin = origin.to_lowercase();
        let own = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
        own == Some(&*host.to_lowercase()) || self.is_foreign(&origin)
    }

    /// Whether it is a page of another place that was let in.
    #[must_use]
    pub(crate) fn is_foreign(&self, origin: &str) -> bool {
        self.foreign.iter().any(|allowed| *allowed == origin.to_lowercase())
    }
}

/// How often each may ask.
#[derive(Debug)]
pub(crate) struct Rates {
    owners: Buckets<Owner>,
    failures: Buckets<IpAddr>,
}

impl Rates {
    /// As the bounds say.
    #[must_use]
    pub(crate) fn new(bounds: &Bounds) -> Self {
        let (requests, failures) =
            (f64::from(bounds.requests_per_second), f64::from(bounds.failures_per_minute));
        Self {
            owners: Buckets::new(requests, 5.0 * requests),
            failures: Buckets::new(failures / 60.0, failures),
        }
    }

    /// Counts a request. `Err`: seconds until the next one is taken.
    ///
    /// # Errors
    /// If there were too many.
    pub(crate) fn request(&self, owner: &Owner) -> Result<(), u64> {
        self.owners.take(owner, 1.0)
    }

    /// Counts a wrong token. `Err`: seconds until the next one is looked at.
    ///
    /// # Errors
    /// If there were too many from that address.
    pub(crate) fn failed(&self, address: IpAddr) -> Result<(), u64> {
        self.failures.take(&address, 1.0)
    }
}

/// Token buckets, one a key; full ones are forgotten.
#[derive(Debug)]
struct Buckets<K> {
    per_second: f64,
    most: f64,
    levels: Mutex<HashMap<K, (f64, Instant)>>,
}

/// More keys than that are swept.
const SWEEP: usize = 4096;

impl<K: Hash + Eq + Clone> Buckets<K> {
    fn new(per_second: f64, most: f64) -> Self {
        Self { per_second, most, levels: Mutex::default() }
    }

    fn level(&self, (level, at): (f64, Instant), now: Instant) -> f64 {
        (level + now.saturating_duration_since(at).as_secs_f64() * self.per_second).min(self.most)
    }

    fn take(&self, key: &K, cost: f64) -> Result<(), u64> {
        let now = Instant::now();
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if levels.len() > SWEEP {
            levels.retain(|_, bucket| self.level(*bucket, now) < self.most);
        }
        let level = levels.get(key).map_or(self.most, |bucket| self.level(*bucket, now));
        if level < cost {
            return Err(self.wait(cost - level));
        }
        levels.insert(key.clone(), (level - cost, now));
        Ok(())
    }

    fn wait(&self, missing: f64) -> u64 {
        if self.per_second <= 0.0 {
            return 60;
        }
        // A delay of whole seconds, small and positive.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let seconds = (missing / self.per_second).ceil().clamp(1.0, 3600.0) as u64;
        seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_are_ours() {
        let origins = Origins::new(5700, &["box.example".into(), "proxy.example:443".into()], &[]);
        for ours in [
            "localhost:5700",
            "127.0.0.1:5700",
            "[::1]:5700",
            "LOCALHOST:5700",
            "box.example:5700",
            "box.example",
            "proxy.example:443",
        ] {
            assert!(origins.is_ours(ours), "{ours}");
        }
        for not in [
            "",
            "evil.example:5700",
            "localhost:5701",
            "127.0.0.1.evil.example:5700",
            "proxy.example:5700:1",
            "evil.example",
        ] {
            assert!(!origins.is_ours(not), "{not}");
        }
    }

    #[test]
    fn a_page_calls_only_the_server_it_came_from_unless_let_in() {
        let origins = Origins::new(5700, &[], &["https://chat.example/".into()]);
        assert!(origins.may_call("http://localhost:5700", "localhost:5700"));
        assert!(origins.may_call("https://chat.example", "localhost:5700"));
        for not in
            ["http://evil.example", "null", "", "http://localhost:5701", "http://chat.example", "file://"]
        {
            assert!(!origins.may_call(not, "localhost:5700"), "{not}");
        }
    }

    #[test]
    fn who_asks_too_often_waits_and_others_do_not() {
        let rates =
            Rates::new(&Bounds { requests_per_second: 1, failures_per_minute: 2, ..Bounds::default() });
        let (ann, ben) = (Owner("ann".into()), Owner("ben".into()));
        for _ in 0..5 {
            rates.request(&ann).unwrap();
        }
        assert!(rates.request(&ann).is_err());
        rates.request(&ben).unwrap();
        let address = "127.0.0.1".parse().unwrap();
        rates.failed(address).unwrap();
        rates.failed(address).unwrap();
        assert!(rates.failed(address).unwrap_err() >= 1);
    }
}
