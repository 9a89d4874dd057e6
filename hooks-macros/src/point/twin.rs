//! The event as a struct, its owned twin, and the ways from one to the other. A `local` point has no twin: its event may hold
//! what can neither be copied nor written down.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Path;

use super::parse::Declaration;
use super::types::{has_borrow, lend_field, own_field, owned_type, with_lifetime};

/// What the point's declaration makes of its fields.
pub(super) struct Twin {
    /// The structs, and what they implement.
    pub(super) items: TokenStream,
    /// `Owned` of the point, and the two ways.
    pub(super) ways: TokenStream,
    /// `<'a>`, or nothing where the event borrows nothing.
    borrows: bool,
}

impl Twin {
    /// The event's generics with that lifetime.
    pub(super) fn applied(&self, lifetime: TokenStream) -> TokenStream {
        if self.borrows { quote!(<#lifetime>) } else { quote!() }
    }
}

pub(super) fn expand(core: &Path, point: &Declaration, event: &Ident) -> Twin {
    let Declaration { vis, name, .. } = point;
    let borrows = point.fields.iter().any(|field| has_borrow(&field.ty));
    let generics = if borrows { quote!(<'a>) } else { quote!() };
    let title = format!("The event of [`{name}`].");
    let fields = point.fields.iter().map(|field| {
        let (attrs, name, ty) = (&field.attrs, &field.name, with_lifetime(&field.ty));
        quote!(#(#attrs)* pub #name: #ty)
    });
    let plain = quote!(#vis struct #event #generics { #(#fields,)* });
    let (items, ways) = if point.has_flag("local") {
        local(core, point, event, &generics, &quote!(#[doc = #title] #[derive(Clone, Copy)] #plain))
    } else {
        let serde_text = format!("{name}::__core::__private::serde");
        let plain = quote! {
            #[doc = #title]
            #[derive(Clone, Copy, Debug, #name::__core::__private::serde::Serialize)]
            #[serde(crate = #serde_text)]
            #plain
        };
        with_twin(core, point, event, &serde_text, &plain)
    };
    Twin { items, ways, borrows }
}

fn with_twin(
    core: &Path,
    point: &Declaration,
    event: &Ident,
    serde_text: &str,
    plain: &TokenStream,
) -> (TokenStream, TokenStream) {
    let Declaration { vis, name, .. } = point;
    let owned = format_ident!("{event}Owned", span = name.span());
    let owned_title = format!("The event of [`{name}`] without borrows, for background hooks and the wire.");
    let schemars_text = format!("{name}::__core::__private::schemars");
    let owned_fields = point.fields.iter().map(|field| {
        let (attrs, name, ty) = (&field.attrs, &field.name, owned_type(&field.ty));
        quote!(#(#attrs)* pub #name: #ty)
    });
    let own_fields = point.fields.iter().map(own_field);
    let lend_fields = point.fields.iter().map(lend_field);
    let items = quote! {
        #plain

        #core::__owned_twin! {
            [{ #name::__core::__private::serde } { #name::__core::__private::schemars } #serde_text #schemars_text]
            #[doc = #owned_title]
            #vis struct #owned { #(#owned_fields,)* }
        }
    };
    let ways = quote! {
        type Owned = #owned;
        fn own(event: &Self::Event<'_>) -> ::core::option::Option<Self::Owned> {
            let _ = event;
            ::core::option::Option::Some(#owned { #(#own_fields,)* })
        }
        fn lend(owned: &Self::Owned) -> Self::Event<'_> {
            let _ = owned;
            #event { #(#lend_fields,)* }
        }
    };
    (items, ways)
}

fn local(
    core: &Path,
    point: &Declaration,
    event: &Ident,
    generics: &TokenStream,
    plain: &TokenStream,
) -> (TokenStream, TokenStream) {
    let name = point.name.to_string();
    let shown = event.to_string();
    let items = quote! {
        #plain
        impl #generics ::core::fmt::Debug for #event #generics {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#shown).finish_non_exhaustive()
            }
        }
        impl #generics #core::__private::serde::Serialize for #event #generics {
            fn serialize<S: #core::__private::serde::Serializer>(
                &self,
                _: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                ::core::result::Result::Err(#core::__private::no_wire_form(#name))
            }
        }
    };
    let ways = quote! {
        type Owned = #core::__private::Never;
        fn own(_: &Self::Event<'_>) -> ::core::option::Option<Self::Owned> {
            ::core::option::Option::None
        }
        fn lend(owned: &Self::Owned) -> Self::Event<'_> {
            match *owned {}
        }
    };
    (items, ways)
}
