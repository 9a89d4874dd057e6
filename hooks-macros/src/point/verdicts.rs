//! What stands behind the arrow: which verdicts there are, and which go together.

use syn::{GenericArgument, PathArguments, Type};

use crate::errors::Errors;
use crate::nearest::nearest;
use crate::written::plain;

use super::parse::Declaration;
use super::types::owned_type;

/// Checks the verdicts one by one and together, and leaves a verdict that a point can have.
pub(super) fn check(point: &mut Declaration, errors: &mut Errors) {
    for ty in &mut point.verdict {
        check_verdict(ty, errors);
        check_owned(ty, errors);
    }
    let named = |ty: &Type, name: &str| matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name));
    match &*point.verdict {
        [_] => return,
        [gate, fold] if named(gate, "Gate") && named(fold, "Fold") => return,
        [fold, gate] if named(gate, "Gate") && named(fold, "Fold") => {
            errors.at(Sum(&point.verdict), format!("the gate stands first: write `Gate + {}`", plain(fold)));
            point.verdict.reverse();
            return;
        }
        several => {
            errors.at(Sum(several), "of the verdicts only two go together: `Gate + Fold<T>`; all others stand alone, and messages may be returned at any point");
        }
    }
    point.verdict = vec![syn::parse_quote!(Messages)];
    for field in &mut point.fields {
        field.fold = None;
    }
}

/// Several verdicts as they were written, for what is underlined.
struct Sum<'t>(&'t [Type]);

impl quote::ToTokens for Sum<'_> {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        let types = self.0;
        tokens.extend(quote::quote!(#(#types)+*));
    }
}

/// What hooks hand on is owned: of `Fold<&str>` that is told, and `Fold<String>` put in its place.
fn check_owned(ty: &mut Type, errors: &mut Errors) {
    let Type::Path(path) = ty else { return };
    let Some(last) = path
        .path
        .segments
        .last_mut()
        .filter(|last| last.ident == "Fold" || last.ident == "First" || last.ident == "Around")
    else {
        return;
    };
    let name = last.ident.clone();
    let PathArguments::AngleBracketed(arguments) = &mut last.arguments else { return };
    for argument in &mut arguments.args {
        if let GenericArgument::Type(inner) = argument
            && let Type::Reference(reference) = &*inner
        {
            let owned: Type = match &*reference.elem {
                Type::Slice(slice) => {
                    let element = &slice.elem;
                    syn::parse_quote!(Vec<#element>)
                }
                Type::Path(path) if path.path.is_ident("str") => syn::parse_quote!(String),
                Type::Path(path) if path.path.is_ident("Path") => syn::parse_quote!(PathBuf),
                other => other.clone(),
            };
            errors.at(&*inner, format!("a hook hands on what it owns: write `{name}<{}>`", plain(&owned)));
            let stands: proc_macro2::TokenStream = owned_type(inner);
            *inner = syn::parse_quote!(#stands);
        }
    }
}

const VERDICTS: &[&str] = &["Messages", "Gate", "First", "Fold", "Around"];

fn check_verdict(ty: &Type, errors: &mut Errors) {
    let name = match ty {
        Type::Path(path) if path.path.segments.len() == 1 => path.path.segments[0].ident.to_string(),
        Type::Path(_) => return,
        _ => String::new(),
    };
    if !VERDICTS.contains(&name.as_str()) {
        let near = nearest(&name, VERDICTS);
        errors.at(
            ty,
            format!("no verdict{near}\nthe verdicts are `Messages`, `Gate`, `First<T>`, `Fold<T>`, `Gate + Fold<T>` and `Around<T>`"),
        );
    }
}
