//! From a checked hook to an entry in the point's slice.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, ReturnType};

use crate::signature::{cfgs, docs};

use super::parse::{Bound, Hook, HookOptions, Place};

pub(crate) fn expand(hook: &Hook, item: &TokenStream) -> TokenStream {
    let Hook { point, function, options, .. } = hook;
    let cfgs = cfgs(&function.attrs);
    // All of the import carries the user's span, or rustc would underline the whole attribute.
    let span = point.span();
    let import = quote_spanned!(span=> use #point as __point;);
    let call = if function.sig.asyncness.is_some() { async_call(hook) } else { sync_call(hook) };
    let origin = origin(hook);
    let options_tokens = option_tokens(options);
    let settings = hook.params.iter().find_map(|bound| match bound {
        Bound::Settings(ty) => Some(ty),
        _ => None,
    });
    let settings = match settings {
        Some(ty) => quote!(::core::option::Option::Some(__core::SettingsSpec::of::<#ty>())),
        None => quote!(::core::option::Option::None),
    };
    let on_error = match &options.on_error {
        Some(path) => quote!(::core::option::Option::Some(#path)),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        #item

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            #import
            use __point::__core as __core;
            type __P = __point::Point;
            type __V = <__P as __core::Point>::Verdict;
            __core::__gathered!([__point::__SLICE] __core::Entry<__P> = __core::Entry::new(
                #origin,
                #options_tokens,
                #call,
                #settings,
                #on_error,
            ));
        };
    }
}

fn origin(hook: &Hook) -> TokenStream {
    let function = hook.function.sig.ident.to_string();
    let function = function.strip_prefix("r#").unwrap_or(&function);
    let docs = docs(&hook.function.attrs);
    let name = match &hook.options.name {
        Some(name) => quote!(::core::option::Option::Some(#name)),
        None => quote!(::core::option::Option::None),
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
    if let Some(priority) = &options.priority {
        fields.push(quote!(priority: #priority));
    }
    if let Some(enabled) = options.enabled {
        fields.push(quote!(enabled: #enabled));
    }
    if !options.modes.is_empty() {
        let modes = options.modes.iter().map(camel);
        fields.push(quote!(modes: &[#(__core::Mode::#modes),*]));
    }
    match options.place {
        Place::Inline => {}
        Place::Blocking => fields.push(quote!(placement: __core::Placement::Blocking)),
        Place::Background => fields.push(quote!(placement: __core::Placement::Background)),
    }
    if let Some(nanos) = options.timeout {
        fields
            .push(quote!(timeout: ::core::option::Option::Some(::core::time::Duration::from_nanos(#nanos))));
    }
    if let Some(nanos) = options.budget {
        fields.push(quote!(budget: ::core::option::Option::Some(::core::time::Duration::from_nanos(#nanos))));
    }
    if let Some(failures) = options.quarantine {
        fields.push(quote!(quarantine: ::core::option::Option::Some(#failures)));
    }
    if let Some(tool) = &options.tool {
        fields.push(quote!(tool: ::core::option::Option::Some(#tool)));
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
        ReturnType::Type(_, ty) if nameable && !has_impl(quote!(#ty)) => {
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

/// Whether a type cannot be written out because `impl Trait` is somewhere in it.
fn has_impl(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "impl",
        TokenTree::Group(group) => has_impl(group.stream()),
        _ => false,
    })
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
