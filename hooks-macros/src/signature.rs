//! What hooks and tools have in common as functions, and the rules for both.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericArgument, GenericParam, Ident, Item, Lit, Meta, Pat,
    PathArguments, ReturnType, Signature, Type, TypeParamBound, TypeTraitObject, Visibility,
};

use crate::errors::Errors;
use crate::ungroup;

/// One parameter.
pub(crate) struct Param {
    /// The name as written.
    pub(crate) ident: Ident,
    /// The name without a leading underscore or `r#`.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) attrs: Vec<Attribute>,
}

/// A function of which only what stands before the body is looked at: what is wrong in the body is rustc's to tell, and reading it
/// would cost more than all the rest.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) sig: Signature,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let sig = input.parse()?;
        Ok(Self { attrs, sig })
    }
}

impl Function {
    /// Reads the item that the attribute `what` stands on.
    pub(crate) fn read(item: &TokenStream, what: &str, example: &str, errors: &mut Errors) -> Option<Self> {
        let (head, has_body) = head(item);
        match syn::parse2::<Self>(head) {
            Ok(function) => {
                if !has_body {
                    errors.at(&function.sig.ident, format!("`{what}` goes on a function with a body"));
                    return None;
                }
                Some(function)
            }
            Err(error) => {
                match syn::parse2::<Item>(item.clone()) {
                    Ok(Item::Fn(_)) | Err(_) => errors.add(error),
                    Ok(other) => errors
                        .at(first_line(&other), format!("`{what}` goes on a function, as in `{example}`")),
                }
                None
            }
        }
    }
}

/// What stands before a body, and whether there is one.
fn head(item: &TokenStream) -> (TokenStream, bool) {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let has_body = matches!(tokens.last(), Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Brace);
    let ends = has_body || matches!(tokens.last(), Some(TokenTree::Punct(end)) if end.as_char() == ';');
    if ends {
        tokens.pop();
    }
    (tokens.into_iter().collect(), has_body)
}

/// An item up to its body, without attributes: what is underlined of it.
fn first_line(item: &Item) -> TokenStream {
    let parse = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>()
    };
    let rest = parse.parse2(quote!(#item)).unwrap_or_default();
    rest.into_iter()
        .take_while(|token| !matches!(token, TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace))
        .collect()
}

/// Checks that a function can be called by generated code, and gives its parameters.
pub(crate) fn params(function: &Function, what: &str, errors: &mut Errors) -> Vec<Param> {
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
    if let Some(abi) = &signature.abi {
        errors.at(abi, format!("a {what} is a plain Rust function: leave the ABI out"));
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(
            variadic,
            format!("a {what} takes a fixed number of parameters, each with a name and a type"),
        );
    }
    let mut params = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(receiver) => errors.at(
                receiver,
                format!("a {what} is a plain function, not a method: nobody has a `self` to call it with; move it out of the `impl`"),
            ),
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                    let ty = ungroup::ty((*typed.ty).clone());
                    if has_impl(quote!(#ty)) {
                        errors.at(&ty, format!("a {what} cannot be generic: name the concrete type"));
                    }
                    let written = pattern.ident.to_string();
                    let name = written.strip_prefix("r#").unwrap_or(&written);
                    params.push(Param {
                        ident: pattern.ident.clone(),
                        name: name.trim_start_matches('_').to_owned(),
                        ty,
                        attrs: typed.attrs.clone(),
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

/// `Box<dyn Error>` in a type, where it is not `Send + Sync`: such an error cannot be kept.
pub(crate) fn unsendable_error(ty: &Type) -> Option<&TypeTraitObject> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types = || {
        arguments.args.iter().filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ungroup::first(ty)),
            _ => None,
        })
    };
    if last.ident == "Box" {
        let Type::TraitObject(object) = types().next()? else { return None };
        let names: Vec<String> = object
            .bounds
            .iter()
            .filter_map(|bound| match bound {
                TypeParamBound::Trait(bound) => {
                    bound.path.segments.last().map(|segment| segment.ident.to_string())
                }
                _ => None,
            })
            .collect();
        let whole = ["Send", "Sync"].iter().all(|name| names.iter().any(|held| held == name));
        return (names.iter().any(|name| name == "Error") && !whole).then_some(object);
    }
    types().find_map(unsendable_error)
}

/// Complains of an error type that cannot be kept.
pub(crate) fn check_error(output: &ReturnType, errors: &mut Errors) {
    if let ReturnType::Type(_, ty) = output
        && let Some(object) = unsendable_error(ungroup::first(ty))
    {
        errors.at(object, "an error travels between threads: write `Box<dyn Error + Send + Sync>`");
    }
}

/// Whether a type cannot be written out because `impl Trait` is somewhere in it.
pub(crate) fn has_impl(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "impl",
        TokenTree::Group(group) => has_impl(group.stream()),
        _ => false,
    })
}

/// The documentation comment as one text.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match ungroup::expr(&meta.value) {
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
    quote! { #item #errors }
}
