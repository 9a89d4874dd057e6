//! Whether a server is ready: what it says of itself, twice.
//!
//! `GET /health` alone proves nothing, since whoever holds the port may answer it. `/v1/models` says which model is served, and
//! the caller adds that its own child is alive.

use std::time::Duration;

use serde::Deserialize;

/// What a server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// Nobody answers yet.
    Starting,
    /// It is there and loads its model.
    Loading,
    /// It serves the model.
    Ready,
    /// It serves something else.
    Other(Vec<String>),
    /// It answers as no model server does.
    Odd(String),
}

#[derive(Deserialize)]
struct Models {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// Asks servers. Nothing goes through a proxy, and redirects are not followed.
pub(crate) struct Prober(ureq::Agent);

impl Prober {
    pub(crate) fn new() -> Self {
        let config = ureq::Agent::config_builder()
            // As the original: a server that is busy loading may take its time, but not more than this.
            .timeout_global(Some(Duration::from_secs(2)))
            .max_redirects(0)
            .http_status_as_error(false)
            .proxy(None)
            .build();
        Self(config.into())
    }

    /// Asks the server at `address` whether it serves `alias`.
    pub(crate) fn ask(&self, address: &str, alias: &str) -> Health {
        let Ok(health) = self.0.get(format!("http://{address}/health")).call() else {
            return Health::Starting;
        };
        match health.status().as_u16() {
            200 => self.ask_models(address, alias),
            503 => Health::Loading,
            other => Health::Odd(format!("it answers /health with status {other}")),
        }
    }

    fn ask_models(&self, address: &str, alias: &str) -> Health {
        let answer = self.0.get(format!("http://{address}/v1/models")).call();
        let text = match answer {
            Err(error) => return Health::Odd(format!("it does not answer /v1/models: {error}")),
            Ok(answer) if answer.status().as_u16() == 503 => return Health::Loading,
            Ok(mut answer) => answer.body_mut().with_config().limit(1 << 20).read_to_string(),
        };
        match text.map(|text| serde_json::from_str::<Models>(&text)) {
            Ok(Ok(models)) => {
                let ids: Vec<String> = models.data.into_iter().map(|model| model.id).collect();
                if ids.iter().any(|id| id == alias) { Health::Ready } else { Health::Other(ids) }
            }
            _ => Health::Odd("its answer to /v1/models is not a list of models".to_owned()),
        }
    }
}
