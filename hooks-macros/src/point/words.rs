//! What rustc says where a hook's parameter or return does not fit: two traits beside each point, with the point's own
//! fields and verdict in their messages.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::core_points::NEIGHBOURS;
use crate::written::plain;

use super::carrier::fields;
use super::expand::camel;
use super::parse::Declaration;
use super::types::has_borrow;

/// The trait by which a parameter of that field is asked for its type. Names that no other point's have, or rustc would tell of
/// those.
pub(super) fn field_trait(point: &Declaration, field: &Ident) -> Ident {
    let field = field.to_string().to_ascii_uppercase();
    let field = camel(field.strip_prefix("R#").unwrap_or(&field));
    format_ident!("{}{field}Field", camel(&point.name.to_string()))
}

/// The trait by which the parameter `event` is asked for its type.
pub(super) fn event_trait(point: &Declaration) -> Ident {
    format_ident!("{}AsAWhole", camel(&point.name.to_string()))
}

pub(super) fn traits(point: &Declaration, event: &Ident, inner_vis: &TokenStream) -> TokenStream {
    let returned = format_ident!("{event}Return");
    let name = &point.name;
    let fields = fields(point);
    let has = match &*fields {
        [] => format!("`{name}` has no fields"),
        fields => format!("the fields of `{name}` are `{}`", fields.join("`, `")),
    };
    let asked = point.fields.iter().zip(&fields).map(|(field, written)| {
        let asked = field_trait(point, &field.name);
        let (field, ty) = (&field.name, plain(&field.ty));
        let message = format!("`{field}` is `{ty}` at `{name}`, and here it is taken as `{{Self}}`");
        let label = format!("write `{written}`");
        quote!(__core::__parameter! { #inner_vis #asked #message #label #has })
    });
    let whole = event_trait(point);
    let elided = if point.fields.iter().any(|field| has_borrow(&field.ty)) { "<'_>" } else { "" };
    let message = format!("the event of `{name}` is `&{event}{elided}`, and here it is taken as `{{Self}}`");
    let label = format!("write `event: &{event}{elided}`");
    let refused = format!("`{{Self}}` cannot be returned from a `{name}` hook");
    let in_place = point.folds_message().then(|| quote!(+ __core::__private::InPlace));
    let (not, takes) = (format!("not what `{name}` takes"), takes(point));
    quote! {
        #(#asked)*
        __core::__parameter! { #inner_vis #whole #message #label #has }

        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
            message = #refused,
            label = #not,
            #(note = #takes),*
        )]
        #inner_vis trait #returned: ::core::marker::Sized {
            fn give(self, out: &mut __core::__private::Outcome<<Point as __core::__private::Point>::Verdict>);
        }
        #[diagnostic::do_not_recommend]
        impl<R: __core::__private::IntoOutcome<<Point as __core::__private::Point>::Verdict> #in_place> #returned for R {
            #[inline(always)]
            fn give(self, out: &mut __core::__private::Outcome<<Point as __core::__private::Point>::Verdict>) {
                __core::__private::IntoOutcome::into_outcome(self, out);
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
    let message = if point.folds_message() { "" } else { ", `Message`" };
    own.insert(0, format!("`{name}` takes `()`{message}, `Flow`"));
    let also = "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`";
    let mut said = vec![own.concat(), also.to_owned()];
    said.push(if point.folds_message() {
        "a bare `Message` would be added, not put in place: return `Fold(message)` to replace it, `Vec<Message>` to add one".to_owned()
    } else if point.is_around() {
        "`Around(result)` stands in place of what the work gave; with `()` what `next` gave is handed on, and what was not run is run".to_owned()
    } else if point.is_gate() {
        "`Gate::deny(\"why\")` refuses, `Gate::Allow` or `()` does not; a text for the model is `Message::system(text)`".to_owned()
    } else {
        "a text for the model is `Message::system(text)`".to_owned()
    });
    said.extend(elsewhere(point));
    said
}

/// Where that is done which cannot be done at this point.
fn elsewhere(point: &Declaration) -> Option<String> {
    let name = point.name.to_string();
    let what = match (point.is_gate(), point.has_fold()) {
        _ if point.is_around() => return None,
        (true, true) => return None,
        (false, false) => "nothing can be refused or rewritten",
        (false, true) => "nothing can be refused",
        (true, false) => "nothing is rewritten",
    };
    let (gate, fold) = neighbours(&name);
    let there = match (gate, fold) {
        (Some(gate), Some(fold)) if gate == fold => format!("`{gate}` is the point for that"),
        (Some(gate), Some(fold)) => format!("`{gate}` is the gate, `{fold}` the point that rewrites"),
        (Some(gate), None) => format!("`{gate}` is the gate"),
        (None, Some(fold)) => format!("`{fold}` is the point that rewrites"),
        (None, None) => "`hookspec points` lists the points where it can be".to_owned(),
    };
    Some(format!("{what} at `{name}`: {there}"))
}

/// The gate and the point that rewrites, for core's own points; those of other crates have none that is known.
pub(super) fn neighbours(point: &str) -> (Option<&'static str>, Option<&'static str>) {
    let core = std::env::var("CARGO_PKG_NAME").is_ok_and(|package| package == "hookspec");
    let found = NEIGHBOURS.iter().find(|(name, ..)| core && *name == point);
    found.map_or((None, None), |(_, gate, fold)| (*gate, *fold))
}
