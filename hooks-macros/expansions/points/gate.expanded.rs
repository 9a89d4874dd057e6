///The event of [`BAKE`].
#[derive(Clone, Copy, Debug, BAKE::__core::__private::serde::Serialize)]
#[serde(crate = "BAKE::__core::__private::serde")]
pub(crate) struct Bake {
    /// Temperature.
    pub degrees: u32,
}
hookspec::__owned_twin! {
    [{ BAKE::__core::__private::serde } { BAKE::__core::__private::schemars }
    "BAKE::__core::__private::serde" "BAKE::__core::__private::schemars"] #[doc =
    "The event of [`BAKE`] without borrows, for background hooks and the wire."] pub
    (crate) struct BakeOwned { #[doc = " Temperature."] pub degrees : u32, }
}
impl hookspec::Point for BAKE::Point {
    type Event<'e> = Bake;
    type Owned = BakeOwned;
    type Verdict = hookspec::Gate;
    const INFO: &'static hookspec::PointInfo = &hookspec::PointInfo {
        name: "BAKE",
        wire: "bake.pre",
        aliases: &[],
        docs: "Fired by programs without a runtime.",
        verdict: "Gate",
        fields: &[
            hookspec::FieldInfo {
                name: "degrees",
                ty: "u32",
                docs: "Temperature.",
            },
        ],
        transient: false,
        sync: true,
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
    };
    fn own(event: &Self::Event<'_>) -> Self::Owned {
        let _ = event;
        BakeOwned {
            degrees: ::core::clone::Clone::clone(&event.degrees),
        }
    }
    fn lend(owned: &Self::Owned) -> Self::Event<'_> {
        let _ = owned;
        Bake {
            degrees: ::core::clone::Clone::clone(&owned.degrees),
        }
    }
    fn with<'s, 'l: 's>(
        event: &Bake,
        value: ::core::option::Option<&'s <Self::Verdict as hookspec::Verdict>::Fold>,
    ) -> Bake {
        let _ = value;
        *event
    }
    fn linked() -> &'static [hookspec::Entry<Self>] {
        BAKE::__linked()
    }
}
/// Fired by programs without a runtime.
#[allow(non_snake_case)]
pub(crate) mod BAKE {
    #[doc(hidden)]
    pub use hookspec as __core;
    #[doc(hidden)]
    pub(crate) type Event<'e> = <Point as __core::Point>::Event<'e>;
    /// The hook point as a type.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Point;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "the parameter is a `{Self}`, and what it binds to is a `{T}`",
        label = "write `{T}` here",
        note = "the fields of `BAKE` are `degrees: u32`"
    )]
    pub(crate) trait BakeParameter<T: ?::core::marker::Sized>: ::core::marker::Sized {
        fn bind(value: &T) -> &Self;
    }
    #[diagnostic::do_not_recommend]
    impl<T> BakeParameter<T> for T {
        #[inline(always)]
        fn bind(value: &T) -> &T {
            value
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T> BakeParameter<[__core::__private::Nobody]> for T {
        fn bind(_: &[__core::__private::Nobody]) -> &T {
            __core::__private::absent()
        }
    }
    #[doc(hidden)]
    pub(crate) use BakeParameter as Parameter;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be returned from a `BAKE` hook",
        label = "not what `BAKE` takes",
        note = "`BAKE` takes `()`, `Message`, `Flow`, `Gate`",
        note = "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "`Gate::deny(\"why\")` refuses, `Gate::Allow` or `()` does not; a text for the model is `Message::system(text)`",
        note = "nothing is rewritten at `BAKE`: `hookspec points` lists the points where it can be"
    )]
    pub(crate) trait BakeReturn: ::core::marker::Sized {
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>);
    }
    #[diagnostic::do_not_recommend]
    impl<R: __core::IntoOutcome<<Point as __core::Point>::Verdict>> BakeReturn for R {
        #[inline(always)]
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>) {
            __core::IntoOutcome::into_outcome(self, out);
        }
    }
    #[doc(hidden)]
    pub(crate) use BakeReturn as Return;
    #[doc(hidden)]
    #[allow(unsafe_code)]
    #[cfg(not(miri))]
    #[__core::__private::linkme::distributed_slice]
    #[linkme(crate = __core::__private::linkme)]
    pub(crate) static __HOOKSPEC_hookspec_macros_BAKE: [__core::Entry<Point>] = [..];
    #[doc(hidden)]
    #[cfg(not(miri))]
    pub(crate) use __HOOKSPEC_hookspec_macros_BAKE as __SLICE;
    #[cfg(not(miri))]
    pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
        &__HOOKSPEC_hookspec_macros_BAKE
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
/// Fired by programs without a runtime.
pub(crate) const BAKE: BAKE::Point = BAKE::Point;
#[doc(hidden)]
#[allow(non_local_definitions)]
#[macro_export]
macro_rules! hook_point_BAKE {
    (@ items $($items:tt)*) => {
        $($items)*
    };
    (@ field degrees $($access:tt)*) => {
        $($access)*
    };
    (@ field $field:ident $($access:tt)*) => {
        { hookspec::__private::no_field_impl! { $field "BAKE"["degrees: u32"] }
        hookspec::__private::absent() }
    };
    (@ changed degrees $word:tt) => {
        { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `u32`; what is decided on cannot be changed here"
        } hookspec::__private::absent() }
    };
    (@ changed $field:ident $word:tt) => {
        { hookspec::__private::no_field_impl! { $field "BAKE"["degrees: u32"] }
        hookspec::__private::absent() }
    };
    (@ async $word:tt) => {
        hookspec::__private::refusal_impl! { $word
        "an `async fn` hook cannot listen at `BAKE`: it is `sync`, fired by hosts without an async runtime; make the hook a plain `fn` that runs in the chain"
        }
    };
    (@ blocking $word:tt) => {
        hookspec::__private::refusal_impl! { $word
        "a `blocking` hook cannot listen at `BAKE`: it is `sync`, fired by hosts without an async runtime; make the hook a plain `fn` that runs in the chain"
        }
    };
    (@ fail_open $word:tt) => {};
    ($($anything:tt)*) => {
        ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!`"
        }
    };
}
#[allow(unused_imports)]
pub(crate) use hook_point_BAKE as BAKE;
