//! From a checked hook to its row.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::options::Limit;
use crate::signature::{cfgs, docs};
use crate::ungroup;
use crate::written::pointing_at;

use super::call;
use super::parse::{Bound, Hook, HookOptions, Place};

/// The function as it stands, and beside it everything else in one call of the point's own macro: where the point is not
/// known, rustc has that to tell and nothing more; and the point answers for what only it knows.
///
/// What every hook has is written by core's `__hook!`, which costs the compiler less than tokens that come from here.
pub(crate) fn expand(hook: &Hook, item: &TokenStream) -> TokenStream {
    let Hook { point, function, options, .. } = hook;
    let cfgs = cfgs(&function.attrs);
    let (name, docs) = (plain_name(hook), docs(&function.attrs));
    let priority = match &options.priority {
        Some(priority) => {
            let priority = ungroup::bracketed(priority);
            quote!({ #priority })
        }
        None => quote!(0),
    };
    let call = call::call(hook);
    let more = more(hook);
    let beside = beside(hook, !more.is_empty());
    // A name of its own for each point, so that two attributes may stand on one function; and where the function's name is, since
    // between methods, where no static can stand, rustc tells that there.
    let listens = point.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let entry = format_ident!("__{name}_at_{listens}", span = pointing_at(function.sig.ident.span()));
    quote! {
        #item
        #(#cfgs)*
        #point! { @hook #entry [#point] #name #docs #priority [#more] [__event __session __next __out] { #beside } #call }
    }
}

/// The function's name without `r#`.
fn plain_name(hook: &Hook) -> String {
    let name = hook.function.sig.ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// What stands beside the call: what the point is asked, and what few hooks have need of.
fn beside(hook: &Hook, has_more: bool) -> TokenStream {
    let point = &hook.point;
    let asked = questions(hook);
    let once_named = named_once(hook);
    let is_async = hook.function.sig.asyncness.is_some();
    let has_next = hook.params.iter().any(|bound| matches!(bound, Bound::Next(..)));
    let core = (has_more || is_async || has_next).then(|| quote!(use #point::__core;));
    // Named only where the call asks whose state or settings it gets.
    let names_itself = hook.params.iter().any(|bound| matches!(bound, Bound::State(..) | Bound::Settings(_)));
    let origin = names_itself.then(|| {
        let origin = origin(hook);
        quote!(const __ORIGIN: __core::__private::Origin = #origin;)
    });
    quote!(#core #asked #once_named #origin)
}

/// The fields of `More` that are not what they mostly are.
fn more(hook: &Hook) -> TokenStream {
    let Hook { options, params, .. } = hook;
    let mut out = TokenStream::new();
    if let Some(name) = &options.name {
        out.extend(quote!(name: ::core::option::Option::Some(#name),));
    }
    let settled = option_tokens(options);
    if !settled.is_empty() {
        out.extend(quote!(options: __core::Options { #settled ..__core::Options::DEFAULT },));
    }
    for bound in params {
        out.extend(match bound {
            Bound::Settings(ty) => {
                quote!(settings: __core::__settings!(#ty),)
            }
            Bound::State(ty, None) => {
                quote!(state: ::core::option::Option::Some(__core::__private::StateSpec::of::<#ty>()),)
            }
            Bound::State(ty, Some(key)) => {
                quote!(state: ::core::option::Option::Some(__core::__private::StateSpec::of::<#ty>().saved_as(#key)),)
            }
            _ => continue,
        });
    }
    if let Some(path) = &options.on_error {
        out.extend(quote!(on_error: {
            const __ON_ERROR: fn(&__core::__private::Failure, &__core::Session) = #path;
            ::core::option::Option::Some(__ON_ERROR)
        },));
    }
    out
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
    let function = plain_name(hook);
    let name = match &hook.options.name {
        Some(name) => quote!(::core::option::Option::Some(#name)),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        __core::__private::Origin {
            function: #function,
            name: #name,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: "",
        }
    }
}

/// The options that are given, but for the priority, as fields.
fn option_tokens(options: &HookOptions) -> TokenStream {
    let mut fields = Vec::new();
    for (key, texts) in &options.lists {
        let key = Ident::new(key, Span::call_site());
        fields.push(quote!(#key: &[#(#texts),*]));
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
        Place::Blocking => fields.push(quote!(placement: __core::__private::Placement::Blocking)),
        Place::Background => fields.push(quote!(placement: __core::__private::Placement::Background)),
    }
    match options.timeout {
        None => {}
        Some(Limit::Never) => fields.push(quote!(timeout: __core::__private::Timeout::Never)),
        Some(Limit::After(nanos)) => {
            fields.push(quote!(timeout: __core::__private::Timeout::After(::core::time::Duration::from_nanos(#nanos))));
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
    quote!(#(#fields,)*)
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
