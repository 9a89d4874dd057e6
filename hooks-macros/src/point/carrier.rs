//! The point's macro: `FILE_POST_SAVE! { … }`, which `#[hook]` puts all of its work into.
//!
//! It is what a hook's point is resolved by, once; and it answers, while the hook is expanded, for what only the declaration
//! knows: its fields, and which hooks may listen.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::Path;

use crate::written::plain;

use super::parse::{Declaration, Field};
use super::{subject, words};

pub(super) fn expand(core: &Path, point: &Declaration) -> TokenStream {
    let Declaration { vis, name, .. } = point;
    let title = name.to_string();
    // The name stands at the crate's root, so two points of one name in a crate are refused, in these words.
    let carrier = format_ident!("hook_point_{name}", span = name.span());
    let fields = fields(point);
    // A type that is written as in the declaration is taken as it is; of any other the compiler is asked whether it is the same,
    // which costs it more.
    let known = point.fields.iter().map(|field| {
        let (name, ty) = (&field.name, &field.ty);
        let asked = words::field_trait(point, name);
        quote! {
            (@field #name $event:ident $field:ident {#ty} [$($point:tt)*]) => { $event.$field };
            (@field #name $event:ident $field:ident {$($ty:tt)*} [$($point:tt)*]) => {
                *<$($ty)* as $($point)*::#asked<_>>::bind(&$event.$field)
            };
        }
    });
    let event = words::event_trait(point);
    let unknown = quote_spanned!(name.span()=> { #core::__private::no_field_impl! { $field #title [#(#fields)*] } #core::__private::absent() });
    let changed = point.fields.iter().map(|field| {
        let (name, why) = (&field.name, lent(point, field));
        quote!((@changed #name $word:tt) => { { #core::__private::refusal_impl! { $word #why } #core::__private::absent() } };)
    });
    let asynchronous = answer(core, "async", sync_refusal(point, "an `async fn` hook"));
    let around = |hook: &str, why: &str| {
        point.is_around().then(|| format!("{hook} cannot listen at `{title}`: {why}"))
    };
    let blocking = sync_refusal(point, "a `blocking` hook")
        .or_else(|| copy_refusal(point, "a `blocking` hook"))
        .or_else(|| {
            around("a `blocking` hook", "it runs on another thread than the work; make it an `async fn`, or a plain `fn`, and leave `blocking` out")
        });
    let blocking = answer(core, "blocking", blocking);
    let background = copy_refusal(point, "a `background` hook").or_else(|| {
        around(
            "a `background` hook",
            "it runs beside the chain, where nothing is left to wrap; leave `background` out",
        )
    });
    let background = answer(core, "background", background);
    let given = next(core, point);
    let fail_open = (!point.is_gate()).then(|| {
        format!(
            "`fail_open` is for gates: `{title}` decides nothing, so a failure denies nothing; leave it out"
        )
    });
    let fail_open = answer(core, "fail_open", fail_open);
    let tools = answer(core, "tools", subject::refusal(point, "tools"));
    let paths = answer(core, "paths", subject::refusal(point, "paths"));
    quote_spanned! {name.span()=>
        #[doc(hidden)]
        #[allow(non_local_definitions)]
        #[macro_export]
        macro_rules! #carrier {
            (@hook $($hook:tt)*) => { #core::__hook! { $($hook)* } };
            #(#known)*
            (@field $field:ident $($access:tt)*) => { #unknown };
            (@event $event:ident {$($ty:tt)*} [$($point:tt)*]) => {
                *<$($ty)* as $($point)*::#event<_>>::bind(&$event)
            };
            (@session $session:ident {&Session} [$($point:tt)*]) => { $session };
            (@session $session:ident {$($ty:tt)*} [$($point:tt)*]) => {
                *<$($ty)* as #core::__private::SessionParameter<_>>::bind(&$session)
            };
            #(#changed)*
            (@changed $field:ident $word:tt) => { #unknown };
            #asynchronous
            #blocking
            #background
            #given
            #fail_open
            #tools
            #paths
            ($($anything:tt)*) => { ::core::compile_error! { #USE } };
        }
        #[allow(unused_imports)]
        #vis use #carrier as #name;
    }
}

/// The arm for a hook's `next`: what it is given, or why there is none.
fn next(core: &Path, point: &Declaration) -> TokenStream {
    if point.is_around() {
        return quote! {
            (@next $word:tt $($access:tt)*) => { $($access)* };
            (@around $gives:ident $($access:tt)*) => { $($access)* };
        };
    }
    let why = format!(
        "`next` is the rest of a chain around work, and `{}` wraps none: leave it out, or listen at a point whose verdict is `Around<T>`",
        point.name
    );
    let wraps = format!(
        "`{}` wraps no work: fire it, with `fire!(session, {} {{ … }}).await` or `fire_now!`",
        point.name, point.name
    );
    quote! {
        (@around future $($access:tt)*) => { { ::core::compile_error! { #wraps } ::core::future::pending::<#core::__private::Wrapped<()>>() } };
        (@around value $($access:tt)*) => { { ::core::compile_error! { #wraps } #core::__private::absent::<#core::__private::Wrapped<()>>() } };
        (@next $word:tt $($access:tt)*) => { { #core::__private::refusal_impl! { $word #why } #core::__private::absent() } };
    }
}

const USE: &str = "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`";

/// `path: &Path`, as a hook would write it.
pub(super) fn fields(point: &Declaration) -> Vec<String> {
    point.fields.iter().map(|field| format!("{}: {}", field.name, plain(&field.ty))).collect()
}

/// What is said of a hook that takes the field by `&mut`.
fn lent(point: &Declaration, field: &Field) -> String {
    let (name, ty) = (&point.name, plain(&field.ty));
    if field.fold.is_some() && point.is_around() {
        return format!(
            "an event is lent, not changed: take `{ty}`, and hand the changed one on with `next.with(changed)`"
        );
    }
    if field.fold.is_some() {
        return format!("an event is lent, not changed: take `{ty}` and return `Fold(changed)`");
    }
    let folded = point.folded().map(|field| field.name.to_string());
    let what = if point.is_gate() { "what is decided on" } else { "what happened" };
    let there = match (folded, words::neighbours(&name.to_string()).1) {
        (Some(folded), _) if point.is_around() => {
            format!("of `{name}` only `{folded}` can be changed, with `next.with(changed)`")
        }
        (Some(folded), _) => format!("of `{name}` only `{folded}` can be changed, with `Fold`"),
        (None, Some(rewrites)) => {
            format!("{what} cannot be changed here: `{rewrites}` is the point for that")
        }
        (None, None) => format!("{what} cannot be changed here"),
    };
    format!("an event is lent, not changed: take `{ty}`; {there}")
}

/// Why a point that hosts without a runtime fire refuses a hook that needs one.
fn sync_refusal(point: &Declaration, hook: &str) -> Option<String> {
    let name = &point.name;
    point.has_flag("sync").then(|| {
        format!("{hook} cannot listen at `{name}`: it is `sync`, fired by hosts without an async runtime; make the hook a plain `fn` that runs in the chain")
    })
}

/// Why a point whose event cannot be copied refuses a hook that runs on a copy.
fn copy_refusal(point: &Declaration, hook: &str) -> Option<String> {
    let name = &point.name;
    point.has_flag("local").then(|| {
        format!("{hook} runs on a copy of the event, and that of `{name}` cannot be copied: the point is `local`; let the hook run in the chain, as a plain `fn` or an `async fn`")
    })
}

/// One arm: nothing where such a hook may listen, the refusal at the user's word where not.
fn answer(core: &Path, word: &str, refusal: Option<String>) -> TokenStream {
    let word: TokenStream = word.parse().unwrap_or_default();
    match refusal {
        None => quote!((@#word $word:tt) => {};),
        Some(why) => quote!((@#word $word:tt) => { #core::__private::refusal_impl! { $word #why } };),
    }
}
