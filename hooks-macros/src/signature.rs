//! What hooks and tools have in common as functions, and the rules for both.

use proc_macro2::TokenStream;
use syn::{Attribute, Expr, ExprLit, FnArg, GenericParam, Ident, ItemFn, Lit, Meta, Pat, Type};

use crate::errors::Errors;

/// One parameter.
pub(crate) struct Param {
    /// The name as written.
    pub(crate) ident: Ident,
    /// The name without a leading underscore or `r#`.
    pub(crate) name: String,
    pub(crate) ty: Type,
}

/// Checks that a function can be called by generated code, and gives its parameters.
pub(crate) fn params(function: &ItemFn, what: &str, errors: &mut Errors) -> Vec<Param> {
    let signature = &function.sig;
    for param in &signature.generics.params {
        match param {
            GenericParam::Lifetime(_) => {}
            other => errors.at(
                other,
                format!("a {what} cannot be generic: nobody calls it with a type; use the concrete type"),
            ),
        }
    }
    if let syn::Safety::Unsafe(unsafety) = &signature.safety {
        errors.at(unsafety, format!("a {what} cannot be `unsafe`: the dispatcher calls it like any other"));
    }
    let mut params = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(receiver) => errors.at(
                receiver,
                format!("a {what} is a plain function, not a method: nobody has a `self` to call it with"),
            ),
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                    if let Type::ImplTrait(ty) = &*typed.ty {
                        errors.at(ty, format!("a {what} cannot be generic: name the concrete type"));
                    }
                    let written = pattern.ident.to_string();
                    let name = written.strip_prefix("r#").unwrap_or(&written);
                    params.push(Param {
                        ident: pattern.ident.clone(),
                        name: name.trim_start_matches('_').to_owned(),
                        ty: (*typed.ty).clone(),
                    });
                }
                other => errors.at(
                    other,
                    format!(
                        "a {what}'s parameters bind by name: write a name here, and take it apart in the body"
                    ),
                ),
            },
        }
    }
    params
}

/// The documentation comment as one text.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<_> = lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned()).collect();
    lines.join("\n")
}

/// The `#[cfg(…)]` attributes, which generated items must share.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}

/// The user's item and the errors of the macro: an expansion that failed.
pub(crate) fn fallback(errors: TokenStream, item: &TokenStream) -> TokenStream {
    quote::quote! { #item #errors }
}
