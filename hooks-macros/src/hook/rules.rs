//! Rules about a hook as a whole: which options go together, and which go with its function.

use crate::errors::Errors;
use crate::options::Opts;
use crate::signature;

use super::parse::{Bound, Hook, Place};

pub(crate) fn check(hook: &Hook, written: &Opts, errors: &mut Errors) {
    signature::check_error(&hook.function.sig.output, errors);
    let is_async = hook.function.sig.asyncness.is_some();
    if let (Some(_), Some(blocking)) = (written.get("background"), written.get("blocking")) {
        errors.at(
            &blocking.key,
            "`blocking` and `background` exclude each other: a background hook may block anyway",
        );
    } else if let (true, Some(blocking)) = (is_async, written.get("blocking")) {
        errors.at(
            &blocking.key,
            "`blocking` is for plain functions; an `async fn` yields, so give it a `timeout` instead",
        );
    }
    if let Some(timeout) = written.get("timeout")
        && hook.options.place == Place::Inline
        && !is_async
    {
        let around = hook.params.iter().any(|bound| matches!(bound, Bound::Next(..)));
        let remedy =
            if around { "make it an `async fn`" } else { "make it an `async fn`, or add `blocking`" };
        let message = format!("a sync hook cannot be cut off: {remedy}; `budget` warns when it is slow");
        errors.at(&timeout.key, message);
    }
    if let (Some(fail_open), Place::Background) = (written.get("fail_open"), hook.options.place) {
        errors.at(
            &fail_open.key,
            "a `background` hook decides nothing, so its failure denies nothing: leave `fail_open` out",
        );
    }
}
