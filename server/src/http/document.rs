//! The OpenAPI document: what the handlers say of themselves, and what is true of all of them.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(title = "hookspec", description = "Sessions of an agent whose every moment is a hook point."),
    modifiers(&Bearer),
    security(("token" = []))
)]
pub(super) struct Document;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

fn problem(description: &str) -> RefOr<Response> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build()
        .into()
}

/// Every failure of every operation is a problem.
pub(super) fn complete(document: &mut utoipa::openapi::OpenApi) {
    let items = document.paths.paths.values_mut();
    let operations = items.flat_map(|item| {
        [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch]
            .into_iter()
            .flatten()
    });
    for operation in operations {
        let responses = &mut operation.responses.responses;
        for (status, response) in responses.iter_mut().filter(|(status, _)| !status.starts_with('2')) {
            *response = problem(match status.as_str() {
                "404" => "There is no such thing, or it belongs to somebody else.",
                "409" => "Not while a turn runs, or it is there or answered already.",
                "422" => "The request is understood and cannot be done.",
                "429" => "Too much at once; try again later.",
                _ => "It cannot be done.",
            });
        }
        responses.insert("default".to_owned(), problem("Any other failure."));
    }
}
