//! The point's macro: `FILE_POST_SAVE! { … }`, which `#[hook]` puts all of its work into.
//!
//! It is what a hook's point is resolved by, once; and it answers, while the hook is expanded, for what only the declaration
//! knows: its fields, and which hooks may listen.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Path;

use crate::written::plain;

use super::parse::{Declaration, Field};
use super::words;

pub(super) fn expand(core: &Path, point: &Declaration) -> TokenStream {
    let Declaration { vis, name, .. } = point;
    let title = name.to_string();
    // The name stands at the crate's root, so two points of one name in a crate are refused, in these words.
    let carrier = format_ident!("hook_point_{name}", span = name.span());
    let fields = fields(point);
    let known = point.fields.iter().map(|field| {
        let field: &Ident = &field.name;
        quote!((@field #field $($access:tt)*) => { $($access)* };)
    });
    let unknown = quote_spanned!(name.span()=> { #core::__private::no_field_impl! { $field #title [#(#fields)*] } #core::__private::absent() });
    let changed = point.fields.iter().map(|field| {
        let (name, why) = (&field.name, lent(point, field));
        quote!((@changed #name $word:tt) => { { #core::__private::refusal_impl! { $word #why } #core::__private::absent() } };)
    });
    let asynchronous = answer(core, "async", sync_refusal(point, "an `async fn` hook"));
    let blocking = answer(core, "blocking", sync_refusal(point, "a `blocking` hook"));
    let fail_open = (!point.is_gate()).then(|| {
        format!(
            "`fail_open` is for gates: `{title}` decides nothing, so a failure denies nothing; leave it out"
        )
    });
    let fail_open = answer(core, "fail_open", fail_open);
    quote_spanned! {name.span()=>
        #[doc(hidden)]
        #[allow(non_local_definitions)]
        #[macro_export]
        macro_rules! #carrier {
            (@items $($items:tt)*) => { $($items)* };
            #(#known)*
            (@field $field:ident $($access:tt)*) => { #unknown };
            #(#changed)*
            (@changed $field:ident $word:tt) => { #unknown };
            #asynchronous
            #blocking
            #fail_open
            ($($anything:tt)*) => { ::core::compile_error! { #USE } };
        }
        #[allow(unused_imports)]
        #vis use #carrier as #name;
    }
}

const USE: &str = "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!`";

/// `path: &Path`, as a hook would write it.
pub(super) fn fields(point: &Declaration) -> Vec<String> {
    point.fields.iter().map(|field| format!("{}: {}", field.name, plain(&field.ty))).collect()
}

/// What is said of a hook that takes the field by `&mut`.
fn lent(point: &Declaration, field: &Field) -> String {
    let (name, ty) = (&point.name, plain(&field.ty));
    if field.fold.is_some() {
        return format!("an event is lent, not changed: take `{ty}` and return `Fold(changed)`");
    }
    let folded = point.fields.iter().find(|field| field.fold.is_some()).map(|field| field.name.to_string());
    let what = if point.is_gate() { "what is decided on" } else { "what happened" };
    let there = match (folded, words::neighbours(&name.to_string()).1) {
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

/// One arm: nothing where such a hook may listen, the refusal at the user's word where not.
fn answer(core: &Path, word: &str, refusal: Option<String>) -> TokenStream {
    let word: TokenStream = word.parse().unwrap_or_default();
    match refusal {
        None => quote!((@#word $word:tt) => {};),
        Some(why) => quote!((@#word $word:tt) => { #core::__private::refusal_impl! { $word #why } };),
    }
}
