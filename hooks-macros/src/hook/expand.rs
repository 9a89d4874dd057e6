//! From a checked hook to an entry in the point's slice.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, ReturnType, Type};

use crate::signature::{cfgs, docs};

use super::parse::{Bound, Hook, HookOptions, Place};

pub(crate) fn expand(hook: &Hook, item: &TokenStream) -> TokenStream {
    let Hook { point, function, options, .. } = hook;
    let cfgs = cfgs(&function.attrs);
    let call = if function.sig.asyncness.is_some() { async_call(hook) } else { sync_call(hook) };
    let origin = origin(hook);
    let options_tokens = option_tokens(options);
    let settings = hook.params.iter().find_map(|bound| match bound {
        Bound::Settings(ty) => Some(ty),
        _ => None,
    });
    let settings = match settings {
        Some(ty) => quote!(Some(__core::SettingsSpec::of::<#ty>())),
        None => quote!(None),
    };
    let on_error = match &options.on_error {
        Some(path) => quote!(Some(#path)),
        None => quote!(None),
    };
    quote! {
        #item

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(unsafe_code, clippy::all, clippy::pedantic)]
        const _: () = {
            use ::core::option::Option::{self, None, Some};
            use #point as __point;
            use __point::__core as __core;
            type __P = __point::Point;
            type __V = <__P as __core::Point>::Verdict;
            #[cfg_attr(not(miri), __core::__private::linkme::distributed_slice(__point::__SLICE))]
            #[cfg_attr(not(miri), linkme(crate = __core::__private::linkme))]
            #[cfg_attr(miri, allow(dead_code))]
            static __ENTRY: __core::Entry<__P> = __core::Entry::new(
                #origin,
                #options_tokens,
                #call,
                #settings,
                #on_error,
            );
        };
    }
}

fn origin(hook: &Hook) -> TokenStream {
    let function = hook.function.sig.ident.to_string();
    let function = function.strip_prefix("r#").unwrap_or(&function);
    let docs = docs(&hook.function.attrs);
    let name = match &hook.options.name {
        Some(name) => quote!(Some(#name)),
        None => quote!(None),
    };
    quote! {
        __core::Origin {
            function: #function,
            name: #name,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: #docs,
        }
    }
}

fn option_tokens(options: &HookOptions) -> TokenStream {
    let mut fields = Vec::new();
    if let Some(priority) = options.priority {
        fields.push(quote!(priority: #priority));
    }
    if let Some(enabled) = options.enabled {
        fields.push(quote!(enabled: #enabled));
    }
    if !options.modes.is_empty() {
        let modes = options.modes.iter().map(|mode| camel(mode));
        fields.push(quote!(modes: &[#(__core::Mode::#modes),*]));
    }
    match options.place {
        Place::Inline => {}
        Place::Blocking => fields.push(quote!(placement: __core::Placement::Blocking)),
        Place::Background => fields.push(quote!(placement: __core::Placement::Background)),
    }
    if let Some(nanos) = options.timeout {
        fields.push(quote!(timeout: Some(::core::time::Duration::from_nanos(#nanos))));
    }
    if let Some(nanos) = options.budget {
        fields.push(quote!(budget: Some(::core::time::Duration::from_nanos(#nanos))));
    }
    if let Some(failures) = options.quarantine {
        fields.push(quote!(quarantine: Some(#failures)));
    }
    if let Some(tool) = &options.tool {
        fields.push(quote!(tool: Some(#tool)));
    }
    for (set, field) in
        [(options.once, "once"), (options.fail_open, "fail_open"), (options.confirmation, "confirmation")]
    {
        if set {
            let field = Ident::new(field, Span::call_site());
            fields.push(quote!(#field: true));
        }
    }
    if fields.is_empty() {
        quote!(__core::Options::DEFAULT)
    } else {
        quote!(__core::Options { #(#fields,)* ..__core::Options::DEFAULT })
    }
}

fn camel(word: &Ident) -> Ident {
    let text: String = word
        .to_string()
        .split('_')
        .map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect::<String>())
        })
        .collect();
    Ident::new(&text, word.span())
}

/// What the user's function is called with. A field access carries the span of the user's parameter, so that
/// rustc explains an unknown field or a wrong type there.
fn arguments(hook: &Hook) -> Vec<TokenStream> {
    let arguments = hook.params.iter().map(|bound| match bound {
        Bound::Field(param) => {
            let span = param.ident.span();
            let field = if syn::parse_str::<Ident>(&param.name).is_ok() {
                Ident::new(&param.name, span)
            } else {
                Ident::new_raw(&param.name, span)
            };
            let event = Ident::new("__event", span);
            quote_spanned!(span=> #event.#field)
        }
        Bound::Event => quote!(__event),
        Bound::Session => quote!(__session),
        Bound::State(_) => quote!(&mut *__state),
        Bound::Settings(_) => quote!(&*__settings),
    });
    arguments.collect()
}

/// Fetches the state and the settings; on failure the hook fails with `give_up`.
fn preludes(hook: &Hook, give_up: &TokenStream) -> TokenStream {
    let mut prelude = TokenStream::new();
    for bound in &hook.params {
        match bound {
            Bound::State(ty) => prelude.extend(quote! {
                let mut __state = match __core::Session::state::<#ty>(__session) {
                    ::core::result::Result::Ok(state) => state,
                    ::core::result::Result::Err(error) => {
                        __out.fail(error);
                        return #give_up;
                    }
                };
            }),
            Bound::Settings(ty) => prelude.extend(quote! {
                let __settings = __core::Session::settings::<#ty>(__session);
            }),
            _ => {}
        }
    }
    prelude
}

/// Hands what the user's function returned to the outcome, spanned so that a wrong type is reported at the
/// user's return type.
fn conversion(hook: &Hook, call: &TokenStream) -> TokenStream {
    let function = &hook.function;
    let background = hook.options.place == Place::Background;
    let nameable = function.sig.generics.params.is_empty();
    match &function.sig.output {
        ReturnType::Type(_, ty) if nameable && !matches!(**ty, Type::ImplTrait(_)) => {
            if background {
                quote_spanned!(ty.span()=> __core::__private::convert_background::<__P, #ty>(#call, __out))
            } else {
                quote_spanned!(ty.span()=> __core::__private::convert::<__V, #ty>(#call, __out))
            }
        }
        ReturnType::Default => quote!(#call),
        ReturnType::Type(..) if background => {
            quote!(__core::__private::convert_background::<__P, _>(#call, __out))
        }
        ReturnType::Type(..) => quote!(__core::__private::convert::<__V, _>(#call, __out)),
    }
}

fn sync_call(hook: &Hook) -> TokenStream {
    let function = &hook.function.sig.ident;
    let arguments = arguments(hook);
    let prelude = preludes(hook, &quote!(()));
    let converted = conversion(hook, &quote!(#function(#(#arguments),*)));
    quote! {
        __core::Call::<__P>::Sync({
            fn __call(
                __event: &<__P as __core::Point>::Event<'_>,
                __session: &__core::Session,
                __out: &mut __core::Outcome<__V>,
            ) {
                #prelude
                #converted;
            }
            __call
        })
    }
}

fn async_call(hook: &Hook) -> TokenStream {
    let function = &hook.function.sig.ident;
    let asyncness = hook.function.sig.asyncness.span();
    let arguments = arguments(hook);
    let prelude = preludes(hook, &quote!(__said));
    let awaited = quote!(#function(#(#arguments),*).await);
    let converted = conversion(hook, &awaited);
    let event = if hook.params.iter().any(|bound| matches!(bound, Bound::Event)) {
        quote!(let __event = &__event;)
    } else {
        TokenStream::new()
    };
    let check = format_ident!("allows_async", span = asyncness);
    let allowed = quote_spanned!(asyncness=> __core::__private::#check::<__P>());
    quote! {
        __core::Call::<__P>::Async({
            const _: () = #allowed;
            fn __call<'a>(
                __event: <__P as __core::Point>::Event<'a>,
                __session: &'a __core::Session,
            ) -> __core::BoxFuture<'a, __core::Outcome<__V>> {
                ::std::boxed::Box::pin(async move {
                    let mut __said = __core::Outcome::silent();
                    {
                        let __out = &mut __said;
                        #event
                        #prelude
                        #converted;
                    }
                    __said
                })
            }
            __call
        })
    }
}
