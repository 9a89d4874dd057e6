//! What the function that the dispatcher calls does: it fetches what the user's function asks for, calls it, and hands on what it said.
//!
//! Words that are resolved (`__event`, `__out`) have the macro's own span, or `macro_rules!` around the user's tokens would
//! make them unknown; the user's spans only point.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ReturnType, Type, TypeReference};

use crate::signature::{Param, has_impl};
use crate::written::{nameless, pointing_at};

use super::parse::{Bound, Hook, Place};

pub(crate) fn call(hook: &Hook) -> TokenStream {
    if hook.function.sig.asyncness.is_some() { async_call(hook) } else { sync_call(hook) }
}

/// A local word of the macro's own.
fn word(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// What the user's function is called with.
fn arguments(hook: &Hook) -> Vec<TokenStream> {
    let arguments = hook.params.iter().map(|bound| match bound {
        Bound::Field(param) => field(hook, param),
        Bound::Event(ty) => whole(hook, "event", "__event", ty),
        Bound::Session(ty) => whole(hook, "session", "__session", ty),
        Bound::Next(word, ty) => next(hook, word, ty),
        Bound::State(..) => quote!(&mut *__state),
        Bound::Settings(_) => quote!(&*__settings),
    });
    arguments.collect()
}

/// The point's macro knows its fields: it gives the access for one of them, and an error that lists them for any other.
fn field(hook: &Hook, param: &Param) -> TokenStream {
    let point = &hook.point;
    let span = pointing_at(param.ident.span());
    let field = if syn::parse_str::<Ident>(&param.name).is_ok() {
        Ident::new(&param.name, span)
    } else {
        Ident::new_raw(&param.name, span)
    };
    // The user's own token, for the error.
    let mut written = field.clone();
    written.set_span(param.ident.span());
    if let Type::Reference(TypeReference { mutability: Some(word), .. }) = &param.ty {
        return quote!(#point! { @changed #written #word });
    }
    let (event, field) = (pointing("__event", &param.ty), pointing(&field.to_string(), &param.ty));
    let ty = nameless(&param.ty, &hook.function.sig.generics);
    quote!(#point! { @field #written #event #field {#ty} [#point] })
}

/// The event, or the session: the point's macro gives what it is asked for, or an error at the type that the user wrote.
fn whole(hook: &Hook, what: &str, value: &str, ty: &Type) -> TokenStream {
    let point = &hook.point;
    let (what, value) = (word(what), pointing(value, ty));
    let ty = nameless(ty, &hook.function.sig.generics);
    quote!(#point! { @#what #value {#ty} [#point] })
}

/// The rest of the chain, where the point has one to give.
fn next(hook: &Hook, word: &Ident, ty: &Type) -> TokenStream {
    let point = &hook.point;
    let named = nameless(ty, &hook.function.sig.generics);
    let given = quote_spanned!(ty.span()=> <#named as __core::__private::GivenNext<_>>::given);
    quote!(#point! { @next #word #given(__next) })
}

/// Which of the functions that the dispatcher calls it is: with the rest of the chain, or without.
fn kind(hook: &Hook, plain: &str) -> Ident {
    let has_next = hook.params.iter().any(|bound| matches!(bound, Bound::Next(..)));
    word(&if has_next { format!("{plain}_around") } else { plain.to_owned() })
}

/// A word of the macro's own that stands, for errors, where the user wrote a type.
fn pointing(name: &str, ty: &Type) -> Ident {
    let span = pointing_at(ty.span());
    if let Some(raw) = name.strip_prefix("r#") { Ident::new_raw(raw, span) } else { Ident::new(name, span) }
}

/// Fetches the state, without which the hook does not run now: what is given then is `none`.
fn state(hook: &Hook, none: &TokenStream) -> TokenStream {
    let state = hook.params.iter().find_map(|bound| match bound {
        Bound::State(ty, _) => Some(ty),
        _ => None,
    });
    let Some(ty) = state else { return TokenStream::new() };
    quote! {
        let ::core::option::Option::Some(mut __state) = __out.state::<#ty>(__session, &__ORIGIN) else {
            return #none;
        };
    }
}

/// Fetches the settings.
fn settings(hook: &Hook) -> TokenStream {
    let settings = hook.params.iter().find_map(|bound| match bound {
        Bound::Settings(ty) => Some(ty),
        _ => None,
    });
    match settings {
        Some(ty) => {
            quote!(let __settings = __core::Session::settings_of::<#ty>(__session, &__ORIGIN);)
        }
        None => TokenStream::new(),
    }
}

/// Hands what the user's function returned to the outcome, spanned so that a wrong type is reported at the
/// user's return type.
fn conversion(hook: &Hook, call: &TokenStream) -> TokenStream {
    let function = &hook.function;
    let out = word("__out");
    let give = match (&function.sig.output, hook.options.place) {
        (ReturnType::Default, _) => return call.clone(),
        (ReturnType::Type(_, ty), place) => {
            let written = if has_impl(quote!(#ty)) {
                quote_spanned!(ty.span()=> _)
            } else {
                nameless(ty, &function.sig.generics)
            };
            match place {
                Place::Background => {
                    quote_spanned!(ty.span()=> <#written as __core::__private::BackgroundReturn>::observe)
                }
                _ => {
                    let point = &hook.point;
                    quote_spanned!(ty.span()=> <#written as #point::Return>::give)
                }
            }
        }
    };
    quote!(#give(#call, #out))
}

fn sync_call(hook: &Hook) -> TokenStream {
    let function = &hook.function.sig.ident;
    let arguments = arguments(hook);
    let (state, settings) = (state(hook, &quote!(())), settings(hook));
    let converted = conversion(hook, &quote!(#function(#(#arguments),*)));
    let kind = kind(hook, "sync");
    quote!(#kind { #state #settings #converted; })
}

fn async_call(hook: &Hook) -> TokenStream {
    let function = &hook.function.sig.ident;
    let arguments = arguments(hook);
    let (state, settings) = (state(hook, &quote!(::core::option::Option::None)), settings(hook));
    let converted = conversion(hook, &quote!(#function(#(#arguments),*).await));
    let event = if hook.params.iter().any(|bound| matches!(bound, Bound::Event(_))) {
        quote!(let __event = &__event;)
    } else {
        TokenStream::new()
    };
    // A future that cannot go to another thread is told of at the function's name, not at the attribute.
    let span = pointing_at(function.span());
    let body = quote!(#event #settings #converted;);
    let future = quote_spanned!(span=> __core::__private::an_async_hook_must_be_send(async move { #body }));
    let kind = kind(hook, "async");
    quote!(#kind { #state ::core::option::Option::Some(::std::boxed::Box::pin(#future)) })
}
