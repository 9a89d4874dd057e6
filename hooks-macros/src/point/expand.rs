//! From a declaration to the event, its owned twin, the module and the constant.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Path, Type, Visibility};

use crate::signature::docs;
use crate::written::plain;

use super::parse::Declaration;
use super::twin::{self, Twin};
use super::types::{has_borrow, owned_type};
use super::{carrier, subject, words};

pub(crate) fn expand(core: &Path, point: &Declaration) -> TokenStream {
    let Declaration { attrs, vis, name, .. } = point;
    let event = format_ident!("{}", camel(&name.to_string()), span = name.span());
    let twin = twin::expand(core, point, &event);
    let (on_e, on_s, on_l) = (twin.applied(quote!('e)), twin.applied(quote!('s)), twin.applied(quote!('l)));
    let Twin { items, ways, .. } = &twin;

    let inner_vis = seen_from_inside(vis);
    let info = info(core, point);
    let verdict_type = verdict(core, point);
    let with = with_fold(point);
    let subject = subject::of_event(core, point);
    let carrier = carrier::expand(core, point);
    let words = words::traits(point, &event, &inner_vis);
    let of = if point.is_around() { quote!(around) } else { quote!(new) };
    let next = point.is_around().then(|| {
        quote! {
            /// The rest of the chain and the work behind it, as a hook gets it.
            #inner_vis type Next<'a> = __core::__private::Next<'a, <Point as __core::__private::Point>::Verdict>;
        }
    });
    quote! {
        #items

        impl #core::__private::Point for #name::Point {
                type Event<'e> = #event #on_e;
                type Verdict = #verdict_type;
                const INFO: &'static #core::__private::PointInfo = &#info;

                #ways
                fn with<'s, 'l: 's>(
                    event: &#event #on_l,
                    value: ::core::option::Option<&'s <Self::Verdict as #core::__private::Verdict>::Fold>,
                ) -> #event #on_s {
                    #with
                }
                fn subject<'s>(event: &'s Self::Event<'_>) -> #core::__private::Subject<'s> {
                    #subject
                }
            }

        #(#attrs)*
        #[allow(non_snake_case)]
        #vis mod #name {
            #[doc(hidden)]
            pub use #core as __core;
            // By way of the trait, not of `super`: in a function's body that is not where the event stands.
            #[doc(hidden)]
            #inner_vis type Event<'e> = <Point as __core::__private::Point>::Event<'e>;
            #[doc(hidden)]
            #inner_vis type Out = __core::__private::Outcome<<Point as __core::__private::Point>::Verdict>;

            /// The hook point as a type.
            #[derive(Clone, Copy, Debug)]
            #inner_vis struct Point;
            #words
            #next

            const _: () = {
                __core::__gathered!([__core::__private::POINTS] &'static dyn __core::__private::AnyPoint = &__core::__private::PointOf::<Point>::#of());
            };
        }

        #(#attrs)*
        #vis const #name: #name::Point = #name::Point;

        #carrier
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

/// The verdict as a type. `Gate + Fold<T>` becomes the pair, and so does `Around<T>` with what its hooks may change.
/// The verdicts are a closed set, so their bare names always mean hookspec's.
fn verdict(core: &Path, point: &Declaration) -> TokenStream {
    let parts: Vec<_> = point
        .verdict
        .iter()
        .map(|ty| match ty {
            Type::Path(path) if path.path.segments.len() == 1 => quote!(#core::__private::#ty),
            _ => quote!(#ty),
        })
        .collect();
    match (&*parts, point.folded()) {
        ([around], Some(field)) if point.is_around() => {
            let input = owned_type(&field.ty);
            quote!((#around, #core::__private::Fold<#input>))
        }
        ([one], _) => quote!(#one),
        _ => quote!((#(#parts),*)),
    }
}

fn with_fold(point: &Declaration) -> TokenStream {
    match point.folded() {
        Some(field) if point.has_fold() || point.is_around() => {
            let name = &field.name;
            let rest = (point.fields.len() > 1).then(|| quote!(..*event));
            // A small value is copied, as the event's own is.
            let lent = if has_borrow(&field.ty) { quote!(value) } else { quote!(*value) };
            quote! {
                match value {
                    ::core::option::Option::Some(value) => Self::Event { #name: #lent, #rest },
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
    let [transient, sync, local] = ["transient", "sync", "local"].map(|flag| point.has_flag(flag));
    let filters = subject::filters(point);
    let fields = point.fields.iter().map(|field| {
        let name = field.name.to_string();
        let ty = plain(&field.ty);
        let docs = crate::signature::docs(&field.attrs);
        quote!(#core::__private::FieldInfo { name: #name, ty: #ty, docs: #docs })
    });
    quote! {
        #core::__private::PointInfo {
            name: #name,
            wire: #wire,
            aliases: &[#(#aliases),*],
            docs: #docs,
            verdict: #verdict,
            fields: &[#(#fields),*],
            transient: #transient,
            sync: #sync,
            local: #local,
            filters: &[#(#filters),*],
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
        }
    }
}

/// `FILE_POST_SAVE` as a type would be named.
pub(super) fn camel(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().into_iter().chain(letters.map(|c| c.to_ascii_lowercase())).collect::<Vec<_>>()
        })
        .collect()
}
