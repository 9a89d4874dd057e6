//! The page: files in the binary, and the exchange of a token for a cookie.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use crate::host::Host;

use super::extract::{Body, Path};
use super::gate::known;
use super::problem::Problem;

/// The files, by name; nothing else is ever read, so no name leads anywhere.
const FILES: &[(&str, &str, &str)] = &[
    ("index.html", HTML, include_str!("../../page/index.html")),
    ("icon.svg", "image/svg+xml", include_str!("../../page/icon.svg")),
    ("style.css", "text/css; charset=utf-8", include_str!("../../page/style.css")),
    ("main.js", SCRIPT, include_str!("../../page/main.js")),
    ("api.js", SCRIPT, include_str!("../../page/api.js")),
    ("dom.js", SCRIPT, include_str!("../../page/dom.js")),
    ("markdown.js", SCRIPT, include_str!("../../page/markdown.js")),
    ("marked.js", SCRIPT, include_str!("../../page/marked.js")),
    ("talk.js", SCRIPT, include_str!("../../page/talk.js")),
    ("asking.js", SCRIPT, include_str!("../../page/asking.js")),
    ("timeline.js", SCRIPT, include_str!("../../page/timeline.js")),
    ("hooks.js", SCRIPT, include_str!("../../page/hooks.js")),
];
const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page.
pub(crate) async fn index() -> Result<Response, Problem> {
    file(Path("index.html".to_owned())).await
}

/// One of its files.
pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    let found = FILES.iter().find(|(file, ..)| *file == name);
    let (_, kind, text) = found.ok_or_else(|| Problem::not_found("The page has no such file."))?;
    Ok(([(header::CONTENT_TYPE, *kind)], *text).into_response())
}

/// The token of the printed link.
#[derive(Deserialize)]
pub(crate) struct Login {
    token: String,
}

/// Exchanges a token for a cookie that scripts cannot read and other pages do not send.
pub(crate) async fn login(
    State(host): State<Arc<Host>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Body(login): Body<Login>,
) -> Result<Response, Problem> {
    if !headers.contains_key(header::ORIGIN) {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "Only a page logs in; programs send the token itself.",
        ));
    }
    let owner = known(&host, from, &login.token)?;
    // A token with other characters could add attributes of its own.
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
    if !login.token.bytes().all(plain) {
        return Err(Problem::bad("The token has characters that a cookie cannot have: choose another."));
    }
    let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", host.cookie, login.token);
    Ok(([(header::SET_COOKIE, cookie)], Json(json!({ "owner": owner.0 }))).into_response())
}
