//! From a declaration to the event, its owned twin, the module and the constant.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{GenericArgument, Lifetime, Path, PathArguments, Type, Visibility};

use crate::signature::docs;

use super::parse::{Declaration, Field};

pub(crate) fn expand(core: &Path, point: &Declaration) -> TokenStream {
    let Declaration { attrs, vis, name, .. } = point;
    let event = format_ident!("{}", camel(&name.to_string()), span = name.span());
    let owned = format_ident!("{event}Owned", span = name.span());
    let borrows = point.fields.iter().any(|field| has_borrow(&field.ty));
    let generics = if borrows { quote!(<'a>) } else { quote!() };
    let applied = |lifetime: TokenStream| if borrows { quote!(<#lifetime>) } else { quote!() };
    let (on_e, on_s, on_l) = (applied(quote!('e)), applied(quote!('s)), applied(quote!('l)));

    let event_fields = point.fields.iter().map(|field| {
        let (attrs, name, ty) = (&field.attrs, &field.name, with_lifetime(&field.ty));
        quote!(#(#attrs)* pub #name: #ty)
    });
    let owned_fields = point.fields.iter().map(|field| {
        let (attrs, name, ty) = (&field.attrs, &field.name, owned_type(&field.ty));
        quote!(#(#attrs)* pub #name: #ty)
    });
    let own_fields = point.fields.iter().map(own_field);
    let lend_fields = point.fields.iter().map(lend_field);

    // linkme makes a macro of the slice's name at the crate's root, and refuses two slices of one name in a
    // program: so the name holds the package and the point.
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let package: String = package.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let slice = format_ident!("__HOOKSPEC_{package}_{name}", span = Span::call_site());
    let inner_vis = seen_from_inside(vis);
    let title = format!("The event of [`{name}`].");
    let owned_title = format!("The event of [`{name}`] without borrows, for background hooks and the wire.");
    let serde_text = format!("{name}::__core::__private::serde");
    let schemars_text = format!("{name}::__core::__private::schemars");
    let info = info(core, point);
    let verdict_type = verdict(core, point);
    let with = with_fold(point);
    let allows_async = if point.has_flag("sync") {
        quote!()
    } else {
        quote!(impl __core::__private::AllowsAsync for Point {})
    };
    quote! {
        #[doc = #title]
        #[derive(Clone, Copy, Debug, #name::__core::__private::serde::Serialize)]
        #[serde(crate = #serde_text)]
        #vis struct #event #generics { #(#event_fields,)* }

        #core::__owned_twin! {
            [{ #name::__core::__private::serde } { #name::__core::__private::schemars } #serde_text #schemars_text]
            #[doc = #owned_title]
            #vis struct #owned { #(#owned_fields,)* }
        }

        impl #core::Point for #name::Point {
                type Event<'e> = #event #on_e;
                type Owned = #owned;
                type Verdict = #verdict_type;
                const INFO: &'static #core::PointInfo = &#info;

                fn own(event: &Self::Event<'_>) -> Self::Owned {
                    let _ = event;
                    #owned { #(#own_fields,)* }
                }
                fn lend(owned: &Self::Owned) -> Self::Event<'_> {
                    let _ = owned;
                    #event { #(#lend_fields,)* }
                }
                fn with<'s, 'l: 's>(
                    event: &#event #on_l,
                    value: ::core::option::Option<&'s <Self::Verdict as #core::Verdict>::Fold>,
                ) -> #event #on_s {
                    #with
                }
                fn linked() -> &'static [#core::Entry<Self>] {
                    #name::__linked()
                }
            }

        #(#attrs)*
        #[allow(non_snake_case)]
        #vis mod #name {
            #[doc(hidden)]
            pub use #core as __core;
            #[doc(hidden)]
            #inner_vis use super::{#event as Event, #owned as Owned};

            /// The hook point as a type.
            #[derive(Clone, Copy, Debug)]
            #inner_vis struct Point;
            #allows_async

            #[doc(hidden)]
            #[allow(unsafe_code)]
            #[cfg(not(miri))]
            #[__core::__private::linkme::distributed_slice]
            #[linkme(crate = __core::__private::linkme)]
            #inner_vis static #slice: [__core::Entry<Point>];
            #[doc(hidden)]
            #[cfg(not(miri))]
            #inner_vis use #slice as __SLICE;

            #[cfg(not(miri))]
            pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
                &#slice
            }
            #[cfg(miri)]
            pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
                &[]
            }

            #[allow(unsafe_code)]
            const _: () = {
                #[cfg_attr(not(miri), __core::__private::linkme::distributed_slice(__core::__private::POINTS))]
                #[cfg_attr(not(miri), linkme(crate = __core::__private::linkme))]
                #[cfg_attr(miri, allow(dead_code))]
                static __ROW: &dyn __core::AnyPoint = &__core::__private::PointOf::<Point>::new();
            };
        }

        #(#attrs)*
        #vis const #name: #name::Point = #name::Point;
    }
}

/// A visibility as it is written one module further in.
fn seen_from_inside(vis: &Visibility) -> TokenStream {
    match vis {
        Visibility::Inherited => quote!(pub(super)),
        Visibility::Restricted(restricted) if restricted.path.is_ident("self") => quote!(pub(super)),
        Visibility::Restricted(restricted) if restricted.path.is_ident("super") => {
            quote!(pub(in super::super))
        }
        other => quote!(#other),
    }
}

/// The verdict as a type. `Gate + Fold<T>` becomes the pair.
/// The verdicts are a closed set, so their bare names always mean hookspec's.
fn verdict(core: &Path, point: &Declaration) -> TokenStream {
    let parts: Vec<_> = point
        .verdict
        .iter()
        .map(|ty| match ty {
            Type::Path(path) if path.path.segments.len() == 1 => quote!(#core::#ty),
            _ => quote!(#ty),
        })
        .collect();
    if let [one] = &*parts { quote!(#one) } else { quote!((#(#parts),*)) }
}

fn with_fold(point: &Declaration) -> TokenStream {
    let folded = point.fields.iter().find(|field| field.fold.is_some());
    match folded {
        Some(field) if point.has_fold() => {
            let name = &field.name;
            let rest = (point.fields.len() > 1).then(|| quote!(..*event));
            quote! {
                match value {
                    ::core::option::Option::Some(value) => Self::Event { #name: value, #rest },
                    ::core::option::Option::None => *event,
                }
            }
        }
        _ => quote! { let _ = value; *event },
    }
}

fn info(core: &Path, point: &Declaration) -> TokenStream {
    let name = point.name.to_string();
    let (wire, aliases) = (&point.wire, &point.aliases);
    let docs = docs(&point.attrs);
    let verdict = point.verdict.iter().map(plain).collect::<Vec<_>>().join(" + ");
    let (transient, sync) = (point.has_flag("transient"), point.has_flag("sync"));
    let fields = point.fields.iter().map(|field| {
        let name = field.name.to_string();
        let ty = plain(&field.ty);
        let docs = crate::signature::docs(&field.attrs);
        quote!(#core::FieldInfo { name: #name, ty: #ty, docs: #docs })
    });
    quote! {
        #core::PointInfo {
            name: #name,
            wire: #wire,
            aliases: &[#(#aliases),*],
            docs: #docs,
            verdict: #verdict,
            fields: &[#(#fields),*],
            transient: #transient,
            sync: #sync,
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
        }
    }
}

/// A type as a person would write it.
fn plain(ty: &Type) -> String {
    let text = quote!(#ty).to_string();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(space) = rest.find(' ') {
        let (before, after) = rest.split_at(space);
        out.push_str(before);
        rest = &after[1..];
        let left = out.chars().last().unwrap_or(' ');
        let right = rest.chars().next().unwrap_or(' ');
        let tight =
            matches!(left, '<' | '&' | '[' | '(' | ':') || matches!(right, '<' | '>' | ']' | ')' | ',' | ':');
        if !tight || left == ',' {
            out.push(' ');
        }
    }
    out + rest
}

fn camel(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().chain(letters.map(|c| c.to_ascii_lowercase())).collect::<Vec<_>>()
        })
        .collect()
}

fn has_borrow(ty: &Type) -> bool {
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
fn with_lifetime(ty: &Type) -> Type {
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

fn owned_type(ty: &Type) -> TokenStream {
    match borrow(ty) {
        Borrow::No => quote!(#ty),
        Borrow::Ref(inner) => owned_of(inner),
        Borrow::OptionRef(inner) => {
            let inner = owned_of(inner);
            quote!(::core::option::Option<#inner>)
        }
    }
}

fn own_field(field: &Field) -> TokenStream {
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

fn lend_field(field: &Field) -> TokenStream {
    let name = &field.name;
    match borrow(&field.ty) {
        Borrow::No => quote!(#name: ::core::clone::Clone::clone(&owned.#name)),
        Borrow::Ref(inner) => quote!(#name: ::std::borrow::Borrow::<#inner>::borrow(&owned.#name)),
        Borrow::OptionRef(inner) => {
            quote!(#name: owned.#name.as_ref().map(::std::borrow::Borrow::<#inner>::borrow))
        }
    }
}
