///The event of [`KNEAD`].
#[derive(Clone, Copy, Debug, KNEAD::__core::__private::serde::Serialize)]
#[serde(crate = "KNEAD::__core::__private::serde")]
pub struct Knead<'a> {
    /// The recipe.
    pub recipe: &'a Recipe,
    /// Earlier ones.
    pub before: &'a [Recipe],
}
hookspec::__owned_twin! {
    [{ KNEAD::__core::__private::serde } { KNEAD::__core::__private::schemars }
    "KNEAD::__core::__private::serde" "KNEAD::__core::__private::schemars"] #[doc =
    "The event of [`KNEAD`] without borrows, for background hooks and the wire."] pub
    struct KneadOwned { #[doc = " The recipe."] pub recipe : < Recipe as
    ::std::borrow::ToOwned > ::Owned, #[doc = " Earlier ones."] pub before :
    ::std::vec::Vec < Recipe >, }
}
impl hookspec::Point for KNEAD::Point {
    type Event<'e> = Knead<'e>;
    type Owned = KneadOwned;
    type Verdict = (hookspec::Gate, hookspec::Fold<Recipe>);
    const INFO: &'static hookspec::PointInfo = &hookspec::PointInfo {
        name: "KNEAD",
        wire: "bakery.knead",
        aliases: &[],
        docs: "May be refused, and changed.",
        verdict: "Gate + Fold<Recipe>",
        fields: &[
            hookspec::FieldInfo {
                name: "recipe",
                ty: "&Recipe",
                docs: "The recipe.",
            },
            hookspec::FieldInfo {
                name: "before",
                ty: "&[Recipe]",
                docs: "Earlier ones.",
            },
        ],
        transient: true,
        sync: false,
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
    };
    fn own(event: &Self::Event<'_>) -> Self::Owned {
        let _ = event;
        KneadOwned {
            recipe: <Recipe as ::std::borrow::ToOwned>::to_owned(event.recipe),
            before: <[Recipe] as ::std::borrow::ToOwned>::to_owned(event.before),
        }
    }
    fn lend(owned: &Self::Owned) -> Self::Event<'_> {
        let _ = owned;
        Knead {
            recipe: ::std::borrow::Borrow::<Recipe>::borrow(&owned.recipe),
            before: ::std::borrow::Borrow::<[Recipe]>::borrow(&owned.before),
        }
    }
    fn with<'s, 'l: 's>(
        event: &Knead<'l>,
        value: ::core::option::Option<&'s <Self::Verdict as hookspec::Verdict>::Fold>,
    ) -> Knead<'s> {
        match value {
            ::core::option::Option::Some(value) => {
                Self::Event {
                    recipe: value,
                    ..*event
                }
            }
            ::core::option::Option::None => *event,
        }
    }
    fn linked() -> &'static [hookspec::Entry<Self>] {
        KNEAD::__linked()
    }
}
/// May be refused, and changed.
#[allow(non_snake_case)]
pub mod KNEAD {
    #[doc(hidden)]
    pub use hookspec as __core;
    #[doc(hidden)]
    pub type Event<'e> = <Point as __core::Point>::Event<'e>;
    /// The hook point as a type.
    #[derive(Clone, Copy, Debug)]
    pub struct Point;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "the parameter is a `{Self}`, and what it binds to is a `{T}`",
        label = "write `{T}` here",
        note = "the fields of `KNEAD` are `recipe: &Recipe`, `before: &[Recipe]`"
    )]
    pub trait KneadParameter<T: ?::core::marker::Sized>: ::core::marker::Sized {
        fn bind(value: &T) -> &Self;
    }
    #[diagnostic::do_not_recommend]
    impl<T> KneadParameter<T> for T {
        #[inline(always)]
        fn bind(value: &T) -> &T {
            value
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T> KneadParameter<[__core::__private::Nobody]> for T {
        fn bind(_: &[__core::__private::Nobody]) -> &T {
            __core::__private::absent()
        }
    }
    #[doc(hidden)]
    pub use KneadParameter as Parameter;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be returned from a `KNEAD` hook",
        label = "not what `KNEAD` takes",
        note = "`KNEAD` takes `()`, `Message`, `Flow`, `Gate`, `Fold<Recipe>`",
        note = "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "`Gate::deny(\"why\")` refuses, `Gate::Allow` or `()` does not; a text for the model is `Message::system(text)`"
    )]
    pub trait KneadReturn: ::core::marker::Sized {
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>);
    }
    #[diagnostic::do_not_recommend]
    impl<R: __core::IntoOutcome<<Point as __core::Point>::Verdict>> KneadReturn for R {
        #[inline(always)]
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>) {
            __core::IntoOutcome::into_outcome(self, out);
        }
    }
    #[doc(hidden)]
    pub use KneadReturn as Return;
    #[doc(hidden)]
    #[allow(unsafe_code)]
    #[cfg(not(miri))]
    #[__core::__private::linkme::distributed_slice]
    #[linkme(crate = __core::__private::linkme)]
    pub static __HOOKSPEC_hookspec_macros_KNEAD: [__core::Entry<Point>] = [..];
    #[doc(hidden)]
    #[cfg(not(miri))]
    pub use __HOOKSPEC_hookspec_macros_KNEAD as __SLICE;
    #[cfg(not(miri))]
    pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
        &__HOOKSPEC_hookspec_macros_KNEAD
    }
    #[cfg(miri)]
    pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
        &[]
    }
    #[allow(unsafe_code)]
    const _: () = {
        #[cfg_attr(
            not(miri),
            __core::__private::linkme::distributed_slice(__core::__private::POINTS)
        )]
        #[cfg_attr(not(miri), linkme(crate = __core::__private::linkme))]
        #[cfg_attr(miri, allow(dead_code))]
        static __ROW: &dyn __core::AnyPoint = &__core::__private::PointOf::<
            Point,
        >::new();
    };
}
/// May be refused, and changed.
pub const KNEAD: KNEAD::Point = KNEAD::Point;
#[doc(hidden)]
#[allow(non_local_definitions)]
#[macro_export]
macro_rules! hook_point_KNEAD {
    (@ items $($items:tt)*) => {
        $($items)*
    };
    (@ field recipe $($access:tt)*) => {
        $($access)*
    };
    (@ field before $($access:tt)*) => {
        $($access)*
    };
    (@ field $field:ident $($access:tt)*) => {
        { hookspec::__private::no_field_impl! { $field "KNEAD"["recipe: &Recipe"
        "before: &[Recipe]"] } hookspec::__private::absent() }
    };
    (@ changed recipe $word:tt) => {
        { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&Recipe` and return `Fold(changed)`" }
        hookspec::__private::absent() }
    };
    (@ changed before $word:tt) => {
        { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&[Recipe]`; of `KNEAD` only `recipe` can be changed, with `Fold`"
        } hookspec::__private::absent() }
    };
    (@ changed $field:ident $word:tt) => {
        { hookspec::__private::no_field_impl! { $field "KNEAD"["recipe: &Recipe"
        "before: &[Recipe]"] } hookspec::__private::absent() }
    };
    (@ async $word:tt) => {};
    (@ blocking $word:tt) => {};
    (@ fail_open $word:tt) => {};
    ($($anything:tt)*) => {
        ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!`"
        }
    };
}
#[allow(unused_imports)]
pub use hook_point_KNEAD as KNEAD;
