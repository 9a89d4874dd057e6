//! The HTTP interface: gptme's paths where it has them, and ours.

mod about;
mod answers;
mod conversations;
mod document;
mod extract;
mod gate;
mod page;
mod problem;
mod steps;
mod stream;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::host::Host;

use document::{Document, complete};
use problem::Problem;

pub(crate) use conversations::branches_json;

fn api() -> OpenApiRouter<Arc<Host>> {
    let conversation = OpenApiRouter::new()
        .routes(routes!(conversations::list))
        .routes(routes!(
            conversations::create,
            conversations::read,
            conversations::post,
            conversations::delete
        ))
        .routes(routes!(conversations::edit, conversations::remove))
        .routes(routes!(conversations::fork))
        .routes(routes!(conversations::export))
        .routes(routes!(steps::step))
        .routes(routes!(answers::confirm))
        .routes(routes!(answers::respond))
        .routes(routes!(steps::interrupt))
        .routes(routes!(steps::rerun))
        .routes(routes!(steps::configure))
        .routes(routes!(stream::events))
        .routes(routes!(about::timeline))
        .routes(routes!(about::hooks_of))
        .routes(routes!(about::switch_hook));
    let server = OpenApiRouter::new()
        .routes(routes!(about::version))
        .routes(routes!(about::config))
        .routes(routes!(about::models))
        .routes(routes!(about::commands))
        .routes(routes!(about::tools))
        .routes(routes!(about::points))
        .routes(routes!(about::hooks))
        .routes(routes!(about::sessions))
        .routes(routes!(about::end_session));
    conversation.merge(server)
}

/// The whole service.
pub(crate) fn router(host: &Arc<Host>) -> Router {
    let import = OpenApiRouter::new()
        .routes(routes!(conversations::import))
        .layer(DefaultBodyLimit::max(host.bounds.import));
    let (api, mut document) = OpenApiRouter::with_openapi(Document::openapi())
        .nest("/api/v2", api().layer(DefaultBodyLimit::max(host.bounds.body)).merge(import))
        .split_for_parts();
    complete(&mut document);
    let document = Arc::new(document);
    let served = {
        let document = Arc::clone(&document);
        move || async move { Json(document) }
    };
    let nothing = || async { Problem::not_found("There is nothing of that name here.") };
    let api = api
        .route("/api/v2/openapi.json", get(served.clone()))
        .route("/api/docs/openapi.json", get(served))
        .layer(from_fn_with_state(Arc::clone(host), gate::token_and_rate));
    Router::new()
        .merge(api)
        .route("/api/v2/login", post(page::login).layer(DefaultBodyLimit::max(4096)))
        .route("/", get(page::index))
        .route("/page/{file}", get(page::file))
        .fallback(nothing)
        .method_not_allowed_fallback(|| async {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "That cannot be done here: see the OpenAPI document.",
            )
        })
        .layer(from_fn_with_state(Arc::clone(host), deadline))
        .layer(from_fn_with_state(Arc::clone(host), gate::names))
        .with_state(Arc::clone(host))
}

/// Gives up on a request that takes too long to come or to be answered.
async fn deadline(State(host): State<Arc<Host>>, request: Request, next: Next) -> Response {
    // A body that says it is too large need not come first.
    let most = if request.uri().path().ends_with("/import") { host.bounds.import } else { host.bounds.body };
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if length.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > most as u64) {
        let detail = format!("The body is larger than the {most} bytes that are taken here.");
        return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail).into_response();
    }
    let answered = tokio::time::timeout(host.bounds.request_time, next.run(request)).await;
    answered.unwrap_or_else(|_| {
        let detail =
            "The request took too long. What it asked for may still happen: look before you ask again.";
        Problem::new(StatusCode::REQUEST_TIMEOUT, detail).into_response()
    })
}
