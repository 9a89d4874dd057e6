//! What rustc says where a hook's parameter or return does not fit: two traits beside each point, with the point's own
//! fields and verdict in their messages.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::written::plain;

use super::carrier::fields;
use super::parse::Declaration;

pub(super) fn traits(point: &Declaration, event: &Ident, inner_vis: &TokenStream) -> TokenStream {
    // Names that no other point's have, or rustc would tell of those.
    let (parameter, returned) = (format_ident!("{event}Parameter"), format_ident!("{event}Return"));
    let name = &point.name;
    let has = match &*fields(point) {
        [] => format!("`{name}` has no fields"),
        fields => format!("the fields of `{name}` are `{}`", fields.join("`, `")),
    };
    let refused = format!("`{{Self}}` cannot be returned from a `{name}` hook");
    let (label, takes) = (format!("not what `{name}` takes"), takes(point));
    quote! {
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
            message = "the parameter is a `{Self}`, and what it binds to is a `{T}`",
            label = "write `{T}` here",
            note = #has
        )]
        #inner_vis trait #parameter<T: ?::core::marker::Sized>: ::core::marker::Sized {
            fn bind(value: &T) -> &Self;
        }
        #[diagnostic::do_not_recommend]
        impl<T> #parameter<T> for T {
            #[inline(always)]
            fn bind(value: &T) -> &T {
                value
            }
        }
        // A second way, from a type that no value has: with one alone rustc would take it before it looked at the value.
        #[diagnostic::do_not_recommend]
        impl<T> #parameter<[__core::__private::Nobody]> for T {
            fn bind(_: &[__core::__private::Nobody]) -> &T {
                __core::__private::absent()
            }
        }
        #[doc(hidden)]
        #inner_vis use #parameter as Parameter;

        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
            message = #refused,
            label = #label,
            #(note = #takes),*
        )]
        #inner_vis trait #returned: ::core::marker::Sized {
            fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>);
        }
        #[diagnostic::do_not_recommend]
        impl<R: __core::IntoOutcome<<Point as __core::Point>::Verdict>> #returned for R {
            #[inline(always)]
            fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>) {
                __core::IntoOutcome::into_outcome(self, out);
            }
        }
        #[doc(hidden)]
        #inner_vis use #returned as Return;
    }
}

/// What a hook may return here, and how the common mistakes are mended.
fn takes(point: &Declaration) -> Vec<String> {
    let name = &point.name;
    let mut own: Vec<String> = point
        .verdict
        .iter()
        .map(plain)
        .filter(|verdict| verdict != "Messages")
        .map(|verdict| format!(", `{verdict}`"))
        .collect();
    own.insert(0, format!("`{name}` takes `()`, `Message`, `Flow`"));
    let also = "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`";
    let mut said = vec![own.concat(), also.to_owned()];
    said.push(if point.is_gate() {
        "`Gate::deny(\"why\")` refuses, `Gate::Allow` or `()` does not; a text for the model is `Message::system(text)`".to_owned()
    } else {
        "a text for the model is `Message::system(text)`".to_owned()
    });
    said
}
