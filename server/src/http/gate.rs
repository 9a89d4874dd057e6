//! The way in: each request's name, origin, token and rate, before any handler sees it.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::host::Host;
use crate::store::Owner;

use super::problem::{Problem, caught};

/// What every answer says to browsers: nothing from elsewhere is loaded, and nobody frames the page.
const HEADERS: &[(HeaderName, &str)] = &[
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Looks at the names: who is called, and by which page.
pub(crate) async fn names(State(host): State<Arc<Host>>, request: Request, next: Next) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let foreign =
        origin.as_ref().filter(|origin| origin.to_str().is_ok_and(|origin| host.origins.is_foreign(origin)));
    let foreign = foreign.cloned();
    let mut response = match allowed(&host, &request) {
        Err(problem) => problem.into_response(),
        Ok(()) if foreign.is_some() && request.method() == Method::OPTIONS => preflight(),
        Ok(()) => caught(next.run(request)).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = foreign {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

fn allowed(host: &Host, request: &Request) -> Result<(), Problem> {
    let forbidden = |detail: &str| Err(Problem::new(StatusCode::FORBIDDEN, detail));
    let text = |name| request.headers().get_all(name).iter().map(|value| value.to_str().unwrap_or("?"));
    let mut names = text(header::HOST);
    let (Some(name), None) = (names.next(), names.next()) else {
        return Err(Problem::bad("The request needs one Host header."));
    };
    if !host.origins.is_ours(name) {
        return forbidden("This server is not called by that name: start it with --host-name to add one.");
    }
    for origin in text(header::ORIGIN) {
        if !host.origins.may_call(origin, name) {
            return forbidden(
                "Pages of that origin may not use this server: start it with --origin to let one in.",
            );
        }
    }
    Ok(())
}

fn preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, PUT, POST, PATCH, DELETE"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, last-event-id"),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// The token that a request brings: in its header, or in the page's cookie.
fn token<'a>(headers: &'a HeaderMap, cookie: &str) -> Option<(&'a str, bool)> {
    if let Some(given) = headers.get(header::AUTHORIZATION) {
        return given.to_str().ok()?.strip_prefix("Bearer ").map(|token| (token.trim(), false));
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == cookie).map(|(_, token)| (token, true))
}

/// Looks at the token and at how often its owner asks.
pub(crate) async fn token_and_rate(
    State(host): State<Arc<Host>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let entered = enter(&host, from, &request);
    match entered {
        Ok(owner) => {
            request.extensions_mut().insert(owner);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

fn enter(host: &Host, from: SocketAddr, request: &Request) -> Result<Owner, Problem> {
    let unauthorized = |detail: &str| Problem::new(StatusCode::UNAUTHORIZED, detail);
    let Some((token, by_cookie)) = token(request.headers(), &host.cookie) else {
        return Err(unauthorized(
            "A token is needed: send it as `Authorization: Bearer TOKEN`, or open the printed link.",
        ));
    };
    let owner = known(host, from, token)?;
    // A browser sends the cookie along with whatever a page makes it send; only our own page says where it is from.
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if by_cookie && changes && !request.headers().contains_key(header::ORIGIN) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "With a cookie, a change needs an Origin header."));
    }
    host.rates
        .request(&owner)
        .map_err(|seconds| Problem::too_many(seconds, "Too many requests: send them more slowly."))?;
    Ok(owner)
}

/// Whose token this is; wrong ones are counted by address.
pub(crate) fn known(host: &Host, from: SocketAddr, token: &str) -> Result<Owner, Problem> {
    // A right token is let in whatever its neighbours at the same address try: nobody is locked out by others.
    if let Some(owner) = host.tokens.owner(token) {
        return Ok(owner.clone());
    }
    Err(match host.rates.failed(from.ip()) {
        Ok(()) => Problem::new(StatusCode::UNAUTHORIZED, "That token is not known here."),
        Err(seconds) => Problem::too_many(seconds, "Too many wrong tokens came from your address."),
    })
}
