//! From a checked hook to an entry in the point's slice.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::options::Limit;
use crate::signature::{cfgs, docs};
use crate::ungroup;

use super::call;
use super::parse::{Bound, Hook, HookOptions, Place};

/// The function as it stands, and beside it everything else in one call of the point's own macro: where the point is not
/// known, rustc has that to tell and nothing more; and the point answers for what only it knows.
pub(crate) fn expand(hook: &Hook, item: &TokenStream) -> TokenStream {
    let Hook { point, function, options, .. } = hook;
    let cfgs = cfgs(&function.attrs);
    let name = function.sig.ident.span();
    let asked = questions(hook);
    let call = call::call(hook);
    let origin = origin(hook);
    let once_named = named_once(hook);
    let option_tokens = option_tokens(options);
    // Named only where the call asks whose state or settings it gets.
    let names_itself = hook.params.iter().any(|bound| matches!(bound, Bound::State(..) | Bound::Settings(_)));
    let (origin, named_origin) = if names_itself {
        (quote!(__ORIGIN), quote!(const __ORIGIN: __core::Origin = #origin;))
    } else {
        (origin, TokenStream::new())
    };
    let settings = hook.params.iter().find_map(|bound| match bound {
        Bound::Settings(ty) => Some(ty),
        _ => None,
    });
    let settings = match settings {
        Some(ty) => quote!(::core::option::Option::Some(__core::SettingsSpec::of::<#ty>())),
        None => quote!(::core::option::Option::None),
    };
    let state = hook.params.iter().find_map(|bound| match bound {
        Bound::State(ty, key) => Some((ty, key)),
        _ => None,
    });
    let state = match state {
        Some((ty, None)) => quote!(::core::option::Option::Some(__core::StateSpec::of::<#ty>())),
        Some((ty, Some(key))) => {
            quote!(::core::option::Option::Some(__core::StateSpec::of::<#ty>().saved_as(#key)))
        }
        None => quote!(::core::option::Option::None),
    };
    let on_error = match &options.on_error {
        Some(path) => quote!({
            const __ON_ERROR: fn(&__core::Failure, &__core::Session) = #path;
            ::core::option::Option::Some(__ON_ERROR)
        }),
        None => quote!(::core::option::Option::None),
    };
    let items = quote! {
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            use #point as __point;
            use __point::__core as __core;
            type __P = __point::Point;
            type __V = <__P as __core::Point>::Verdict;
            #asked
            #once_named
            #named_origin
            __core::__gathered!([__point::__SLICE] __core::Entry<__P> = __core::Entry::new(
                #origin,
                #option_tokens,
                #call,
                #settings,
                #state,
                #on_error,
            ));
        };
    };
    // Where no item can stand, between methods, rustc refuses the one that it sees, at the function's name.
    let placed = quote_spanned!(name=> impl Hook { hook! { #items } });
    quote! {
        #item
        #(#cfgs)*
        #point! { @items #[#point::__core::__private::placed] #placed }
    }
}

/// What the point is asked: whether it takes such a hook.
fn questions(hook: &Hook) -> TokenStream {
    let point = &hook.point;
    let mut out = TokenStream::new();
    if let Some(asyncness) = &hook.function.sig.asyncness {
        out.extend(quote!(#point! { @async #asyncness }));
    }
    for word in &hook.options.asks {
        out.extend(quote!(#point! { @#word #word }));
    }
    out
}

/// A name that is written out may be given once at a point and in a crate: the second macro of that name is refused.
fn named_once(hook: &Hook) -> TokenStream {
    let Some(name) = &hook.options.name else { return TokenStream::new() };
    let Some(point) = hook.point.segments.last() else { return TokenStream::new() };
    let escaped: String = name
        .value()
        .chars()
        .map(|letter| match letter {
            '.' => "_".to_owned(),
            '-' => "__".to_owned(),
            other => other.to_string(),
        })
        .collect();
    let span = name.span();
    let once = format_ident!("hook_named_{escaped}_at_{}", point.ident, span = span);
    quote_spanned! {span=>
        #[doc(hidden)]
        #[allow(non_local_definitions)]
        #[macro_export]
        macro_rules! #once { () => {} }
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
        let priority = ungroup::bracketed(priority);
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
    match options.timeout {
        None => {}
        Some(Limit::Never) => fields.push(quote!(timeout: __core::Timeout::Never)),
        Some(Limit::After(nanos)) => {
            fields.push(quote!(timeout: __core::Timeout::After(::core::time::Duration::from_nanos(#nanos))));
        }
    }
    if let Some(nanos) = options.budget {
        fields.push(quote!(budget: ::core::option::Option::Some(::core::time::Duration::from_nanos(#nanos))));
    }
    if let Some(failures) = options.quarantine {
        fields.push(quote!(quarantine: ::core::option::Option::Some(#failures)));
    }
    if !options.aliases.is_empty() {
        let aliases = &options.aliases;
        fields.push(quote!(aliases: &[#(#aliases),*]));
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
