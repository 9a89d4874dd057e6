//! Borrowed and owned: what a field's type is in the event, and what in its twin.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{GenericArgument, Lifetime, PathArguments, Type};

use super::parse::Field;

pub(super) fn has_borrow(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) => true,
        Type::Path(path) => path.path.segments.iter().any(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => {
                arguments.args.iter().any(|argument| match argument {
                    GenericArgument::Type(ty) => has_borrow(ty),
                    GenericArgument::Lifetime(_) => true,
                    _ => false,
                })
            }
            _ => false,
        }),
        Type::Tuple(tuple) => tuple.elems.iter().any(has_borrow),
        Type::Slice(slice) => has_borrow(&slice.elem),
        Type::Array(array) => has_borrow(&array.elem),
        _ => false,
    }
}

/// The type with `'a` wherever a lifetime was left out.
pub(super) fn with_lifetime(ty: &Type) -> Type {
    let mut ty = ty.clone();
    add_lifetime(&mut ty);
    ty
}

fn add_lifetime(ty: &mut Type) {
    let lifetime = || Lifetime::new("'a", Span::call_site());
    match ty {
        Type::Reference(reference) => {
            if reference.lifetime.as_ref().is_none_or(|held| held.ident == "_") {
                reference.lifetime = Some(lifetime());
            }
            add_lifetime(&mut reference.elem);
        }
        Type::Path(path) => {
            for segment in &mut path.path.segments {
                if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                    for argument in &mut arguments.args {
                        match argument {
                            GenericArgument::Type(ty) => add_lifetime(ty),
                            GenericArgument::Lifetime(held) if held.ident == "_" => *held = lifetime(),
                            _ => {}
                        }
                    }
                }
            }
        }
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(add_lifetime),
        Type::Slice(slice) => add_lifetime(&mut slice.elem),
        Type::Array(array) => add_lifetime(&mut array.elem),
        _ => {}
    }
}

/// How a field is borrowed: not at all, directly, or inside an `Option`.
enum Borrow<'t> {
    No,
    Ref(&'t Type),
    OptionRef(&'t Type),
}

fn borrow(ty: &Type) -> Borrow<'_> {
    if let Type::Reference(reference) = ty {
        return Borrow::Ref(&reference.elem);
    }
    if let Type::Path(path) = ty
        && let Some(segment) = path.path.segments.last()
        && segment.ident == "Option"
        && let PathArguments::AngleBracketed(arguments) = &segment.arguments
        && let Some(GenericArgument::Type(Type::Reference(reference))) = arguments.args.first()
    {
        return Borrow::OptionRef(&reference.elem);
    }
    Borrow::No
}

/// What a borrowed type is when it is owned. The common ones are spelled out, for readable docs.
fn owned_of(ty: &Type) -> TokenStream {
    if let Type::Slice(slice) = ty {
        let element = &slice.elem;
        return quote!(::std::vec::Vec<#element>);
    }
    if let Type::Path(path) = ty
        && let Some(segment) = path.path.segments.last()
    {
        if segment.ident == "str" {
            return quote!(::std::string::String);
        }
        if segment.ident == "Path" {
            return quote!(::std::path::PathBuf);
        }
    }
    quote!(<#ty as ::std::borrow::ToOwned>::Owned)
}

pub(super) fn owned_type(ty: &Type) -> TokenStream {
    match borrow(ty) {
        Borrow::No => quote!(#ty),
        Borrow::Ref(inner) => owned_of(inner),
        Borrow::OptionRef(inner) => {
            let inner = owned_of(inner);
            quote!(::core::option::Option<#inner>)
        }
    }
}

pub(super) fn own_field(field: &Field) -> TokenStream {
    let name = &field.name;
    match borrow(&field.ty) {
        Borrow::No => quote!(#name: ::core::clone::Clone::clone(&event.#name)),
        Borrow::Ref(inner) => {
            quote!(#name: <#inner as ::std::borrow::ToOwned>::to_owned(event.#name))
        }
        Borrow::OptionRef(inner) => {
            quote!(#name: event.#name.map(<#inner as ::std::borrow::ToOwned>::to_owned))
        }
    }
}

pub(super) fn lend_field(field: &Field) -> TokenStream {
    let name = &field.name;
    match borrow(&field.ty) {
        Borrow::No => quote!(#name: ::core::clone::Clone::clone(&owned.#name)),
        Borrow::Ref(inner) => quote!(#name: ::std::borrow::Borrow::<#inner>::borrow(&owned.#name)),
        Borrow::OptionRef(inner) => {
            quote!(#name: owned.#name.as_ref().map(::std::borrow::Borrow::<#inner>::borrow))
        }
    }
}
