//! What an event is about: the fields by which hooks may be filtered, `tools = […]` and `paths = […]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Path, Type};

use super::parse::{Declaration, Field};

/// By what hooks at this point may be filtered.
pub(super) fn filters(point: &Declaration) -> Vec<&'static str> {
    let tools = tool(point).map(|_| "tools");
    let paths = path(point).map(|_| "paths");
    tools.into_iter().chain(paths).collect()
}

/// The body of `Point::subject`.
pub(super) fn of_event(core: &Path, point: &Declaration) -> TokenStream {
    let fields: Vec<&Ident> = tool(point).into_iter().chain(path(point)).map(|field| &field.name).collect();
    if fields.is_empty() {
        return quote! {
            let _ = event;
            #core::__private::Subject::default()
        };
    }
    quote! {
        #[allow(unused_imports)]
        use #core::__private::{Silent as _, Tells as _};
        let mut subject = #core::__private::Subject::default();
        #((&#core::__private::Field(event.#fields)).tell(&mut subject);)*
        subject
    }
}

/// Why a hook here cannot have that filter.
pub(super) fn refusal(point: &Declaration, filter: &str) -> Option<String> {
    let name = &point.name;
    match filter {
        _ if filters(point).contains(&filter) => None,
        "tools" => Some(format!(
            "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `{name}` has none, so leave `tools` out"
        )),
        _ => Some(format!(
            "`paths` is for points that are about files, which have `path: &Path` or a list `&[PathBuf]`: `{name}` has neither, so leave `paths` out"
        )),
    }
}

fn tool(point: &Declaration) -> Option<&Field> {
    point.fields.iter().find(|field| field.name == "tool_use" && is(lent(&field.ty), "ToolUse"))
}

/// `path: &Path`, or else the one list of paths.
fn path(point: &Declaration) -> Option<&Field> {
    let named = point.fields.iter().find(|field| field.name == "path" && is(lent(&field.ty), "Path"));
    let mut lists = point.fields.iter().filter(|field| match lent(&field.ty) {
        Some(Type::Slice(list)) => is(Some(&list.elem), "PathBuf"),
        _ => false,
    });
    named.or_else(|| lists.next().filter(|_| lists.next().is_none()))
}

fn lent(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() => Some(&reference.elem),
        _ => None,
    }
}

fn is(ty: Option<&Type>, name: &str) -> bool {
    let Some(Type::Path(path)) = ty else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == name && last.arguments.is_none())
}
