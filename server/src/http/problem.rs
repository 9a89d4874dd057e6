//! Errors as clients get them: problem details (RFC 9457), with gptme's `error` beside.

use std::panic::AssertUnwindSafe;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hookspec_agent::engine::OpenError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::live::Refusal;
use crate::store::StoreError;

/// An error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The status, once more.
    status: u16,
    /// What kind of problem it is.
    title: String,
    /// What happened, and what to do about it.
    detail: String,
    /// The same, where gptme's clients look.
    error: String,
    #[serde(skip)]
    #[schema(ignore)]
    retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            status: status.as_u16(),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            error: detail.clone(),
            detail,
            retry_after: None,
        }
    }

    pub(crate) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// Too much at once; to be tried again after so many seconds.
    pub(crate) fn too_many(seconds: u64, detail: impl Into<String>) -> Self {
        Self { retry_after: Some(seconds), ..Self::new(StatusCode::TOO_MANY_REQUESTS, detail) }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry = self.retry_after;
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let status = match &error {
            StoreError::NotFound(_) => StatusCode::NOT_FOUND,
            StoreError::Exists(_) => StatusCode::CONFLICT,
            StoreError::BadId(_) => StatusCode::UNPROCESSABLE_ENTITY,
            _ => {
                tracing::error!(%error, "the store failed");
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        Self::new(status, error.to_string())
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal {
            Refusal::Store(error) => return error.into(),
            Refusal::Running | Refusal::Ending => StatusCode::CONFLICT,
            Refusal::Message { .. }
            | Refusal::Outside(_)
            | Refusal::Workspace(_)
            | Refusal::Model(_)
            | Refusal::Open(OpenError::Model(_) | OpenError::NoModel | OpenError::Workspace { .. }) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Refusal::NoMessage(_) | Refusal::NoHook(_) => StatusCode::NOT_FOUND,
            Refusal::Full(_) | Refusal::Closing => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Busy => StatusCode::TOO_MANY_REQUESTS,
            Refusal::NotStored | Refusal::Open(_) | Refusal::Log(_) | Refusal::State(_) => {
                tracing::error!(error = %refusal, "a session failed");
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        let again = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS].contains(&status);
        Self { retry_after: again.then_some(1), ..Self::new(status, refusal.to_string()) }
    }
}

/// A handler that panicked, as a problem; what it said goes to the log only.
pub(crate) async fn caught(work: impl Future<Output = Response>) -> Response {
    use futures_util::FutureExt;
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("a request's handler panicked");
        let detail = "The server has a bug; its log has more.";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail).into_response()
    })
}
