//! What models share that were opened with the same options.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use genai::Client;

/// Connections and certificates for models. Clones share them, and so do models that were opened with clones of the same
/// [`ModelOptions`](crate::models::ModelOptions): a client of its own costs each session of a server a tenth of a megabyte.
#[derive(Clone, Default)]
pub struct Connections(Arc<[OnceLock<Shared>; 2]>);

struct Shared {
    connect_timeout: Duration,
    client: Client,
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connections")
    }
}

impl Connections {
    /// The client for servers on this machine, or for others, made when the first one needs it.
    pub(super) fn client(&self, local: bool, connect_timeout: Duration) -> Result<Client, String> {
        let place = &self.0[usize::from(local)];
        if let Some(shared) = place.get().filter(|shared| shared.connect_timeout == connect_timeout) {
            return Ok(shared.client.clone());
        }
        let client = build(local, connect_timeout)?;
        // Where another has been faster, or waits for another time, this one stays the caller's own.
        let _ = place.set(Shared { connect_timeout, client: client.clone() });
        Ok(client)
    }
}

fn build(local: bool, connect_timeout: Duration) -> Result<Client, String> {
    let mut http = reqwest::Client::builder()
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("hookspec/", env!("CARGO_PKG_VERSION")));
    if local {
        http = http.no_proxy();
    }
    let http = http.build().map_err(|error| {
        format!("the HTTP client can't be built ({error}); check the system's certificates.")
    })?;
    Client::builder().with_reqwest(http).build().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_client_for_each_side_and_another_timeout_has_its_own() {
        let one = Connections::default();
        let other = one.clone();
        let second = Duration::from_secs(1);
        one.client(true, second).unwrap();
        assert!(other.0[1].get().is_some() && other.0[0].get().is_none());
        other.client(true, 2 * second).unwrap();
        assert!(one.0[1].get().is_some_and(|shared| shared.connect_timeout == second));
        other.client(false, second).unwrap();
        assert!(one.0[0].get().is_some());
    }
}
