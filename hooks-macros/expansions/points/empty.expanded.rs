///The event of [`OPEN`].
#[derive(Clone, Copy, Debug, OPEN::__core::__private::serde::Serialize)]
#[serde(crate = "OPEN::__core::__private::serde")]
struct Open {}
hookspec::__owned_twin! {
    [{ OPEN::__core::__private::serde } { OPEN::__core::__private::schemars }
    "OPEN::__core::__private::serde" "OPEN::__core::__private::schemars"] #[doc =
    "The event of [`OPEN`] without borrows, for background hooks and the wire."] struct
    OpenOwned {}
}
impl hookspec::Point for OPEN::Point {
    type Event<'e> = Open;
    type Owned = OpenOwned;
    type Verdict = hookspec::Messages;
    const INFO: &'static hookspec::PointInfo = &hookspec::PointInfo {
        name: "OPEN",
        wire: "bakery.open",
        aliases: &[],
        docs: "No fields, for this crate only.",
        verdict: "Messages",
        fields: &[],
        transient: false,
        sync: false,
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
    };
    fn own(event: &Self::Event<'_>) -> Self::Owned {
        let _ = event;
        OpenOwned {}
    }
    fn lend(owned: &Self::Owned) -> Self::Event<'_> {
        let _ = owned;
        Open {}
    }
    fn with<'s, 'l: 's>(
        event: &Open,
        value: ::core::option::Option<&'s <Self::Verdict as hookspec::Verdict>::Fold>,
    ) -> Open {
        let _ = value;
        *event
    }
    fn linked() -> &'static [hookspec::Entry<Self>] {
        OPEN::__linked()
    }
}
/// No fields, for this crate only.
#[allow(non_snake_case)]
mod OPEN {
    #[doc(hidden)]
    pub use hookspec as __core;
    #[doc(hidden)]
    pub(super) type Event<'e> = <Point as __core::Point>::Event<'e>;
    /// The hook point as a type.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Point;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "the parameter is a `{Self}`, and what it binds to is a `{T}`",
        label = "write `{T}` here",
        note = "`OPEN` has no fields"
    )]
    pub(super) trait OpenParameter<T: ?::core::marker::Sized>: ::core::marker::Sized {
        fn bind(value: &T) -> &Self;
    }
    #[diagnostic::do_not_recommend]
    impl<T> OpenParameter<T> for T {
        #[inline(always)]
        fn bind(value: &T) -> &T {
            value
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T> OpenParameter<[__core::__private::Nobody]> for T {
        fn bind(_: &[__core::__private::Nobody]) -> &T {
            __core::__private::absent()
        }
    }
    #[doc(hidden)]
    pub(super) use OpenParameter as Parameter;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be returned from a `OPEN` hook",
        label = "not what `OPEN` takes",
        note = "`OPEN` takes `()`, `Message`, `Flow`",
        note = "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "a text for the model is `Message::system(text)`",
        note = "nothing can be refused or rewritten at `OPEN`: `hookspec points` lists the points where it can be"
    )]
    pub(super) trait OpenReturn: ::core::marker::Sized {
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>);
    }
    #[diagnostic::do_not_recommend]
    impl<R: __core::IntoOutcome<<Point as __core::Point>::Verdict>> OpenReturn for R {
        #[inline(always)]
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>) {
            __core::IntoOutcome::into_outcome(self, out);
        }
    }
    #[doc(hidden)]
    pub(super) use OpenReturn as Return;
    #[doc(hidden)]
    #[allow(unsafe_code)]
    #[cfg(not(miri))]
    #[__core::__private::linkme::distributed_slice]
    #[linkme(crate = __core::__private::linkme)]
    pub(super) static __HOOKSPEC_hookspec_macros_OPEN: [__core::Entry<Point>] = [..];
    #[doc(hidden)]
    #[cfg(not(miri))]
    pub(super) use __HOOKSPEC_hookspec_macros_OPEN as __SLICE;
    #[cfg(not(miri))]
    pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
        &__HOOKSPEC_hookspec_macros_OPEN
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
/// No fields, for this crate only.
const OPEN: OPEN::Point = OPEN::Point;
#[doc(hidden)]
#[allow(non_local_definitions)]
#[macro_export]
macro_rules! hook_point_OPEN {
    (@ items $($items:tt)*) => {
        $($items)*
    };
    (@ field $field:ident $($access:tt)*) => {
        { hookspec::__private::no_field_impl! { $field "OPEN"[] }
        hookspec::__private::absent() }
    };
    (@ changed $field:ident $word:tt) => {
        { hookspec::__private::no_field_impl! { $field "OPEN"[] }
        hookspec::__private::absent() }
    };
    (@ async $word:tt) => {};
    (@ blocking $word:tt) => {};
    (@ fail_open $word:tt) => {
        hookspec::__private::refusal_impl! { $word
        "`fail_open` is for gates: `OPEN` decides nothing, so a failure denies nothing; leave it out"
        }
    };
    ($($anything:tt)*) => {
        ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!`"
        }
    };
}
#[allow(unused_imports)]
use hook_point_OPEN as OPEN;
