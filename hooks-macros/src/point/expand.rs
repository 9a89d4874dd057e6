//! From a declaration to the event, its owned twin, the module and the constant.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, Path, Type, Visibility};

use crate::signature::docs;
use crate::written::plain;

use super::parse::Declaration;
use super::types::{has_borrow, lend_field, own_field, owned_type, with_lifetime};
use super::{carrier, words};

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
    // program: so the name holds the package, the point and its place.
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let package: String = package.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let slice = format_ident!("__HOOKSPEC_{package}_{name}{}", place(name), span = Span::call_site());
    let inner_vis = seen_from_inside(vis);
    let title = format!("The event of [`{name}`].");
    let owned_title = format!("The event of [`{name}`] without borrows, for background hooks and the wire.");
    let serde_text = format!("{name}::__core::__private::serde");
    let schemars_text = format!("{name}::__core::__private::schemars");
    let info = info(core, point);
    let verdict_type = verdict(core, point);
    let with = with_fold(point);
    let carrier = carrier::expand(core, point);
    let words = words::traits(point, &event, &inner_vis);
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
            // By way of the trait, not of `super`: in a function's body that is not where the event stands.
            #[doc(hidden)]
            #inner_vis type Event<'e> = <Point as __core::Point>::Event<'e>;

            /// The hook point as a type.
            #[derive(Clone, Copy, Debug)]
            #inner_vis struct Point;
            #words

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

        #carrier
    }
}

/// Where the declaration stands, for a name: a second point of one name shall be refused once, and not for its slice too.
fn place(name: &Ident) -> String {
    if proc_macro::is_available() {
        let span = name.span().unwrap();
        format!("_{}_{}", span.line(), span.column())
    } else {
        String::new()
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

fn camel(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().chain(letters.map(|c| c.to_ascii_lowercase())).collect::<Vec<_>>()
        })
        .collect()
}
