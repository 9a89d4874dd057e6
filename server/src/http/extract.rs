//! What handlers ask for, with our errors instead of axum's.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::problem::Problem;

/// A JSON body.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

/// A body of text.
#[derive(Debug)]
pub(crate) struct Text(pub(crate) String);

impl<S: Send + Sync> FromRequest<S> for Text {
    type Rejection = Problem;
    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = String::from_request(request, state).await;
        read.map(Self).map_err(|rejection| Problem::new(rejection.status(), rejection.body_text()))
    }
}

/// The variable parts of a path.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

/// A query.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;
    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = axum::Json::<T>::from_request(request, state).await;
        read.map(|axum::Json(value)| Self(value)).map_err(|rejection| {
            let status = match &rejection {
                // A body that is JSON and not what was asked for.
                JsonRejection::JsonDataError(_) => StatusCode::UNPROCESSABLE_ENTITY,
                other => other.status(),
            };
            Problem::new(status, rejection.body_text())
        })
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        read.map(|axum::extract::Path(value)| Self(value)).map_err(|rejection: PathRejection| {
            Problem::not_found(format!("The path leads nowhere: {}.", rejection.body_text()))
        })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        read.map(|axum::extract::Query(value)| Self(value))
            .map_err(|rejection: QueryRejection| Problem::bad(rejection.body_text()))
    }
}
