///The event of [`ASK`].
#[derive(Clone, Copy, Debug, ASK::__core::__private::serde::Serialize)]
#[serde(crate = "ASK::__core::__private::serde")]
pub struct Ask<'a> {
    /// Who is asked.
    pub baker: Option<&'a str>,
}
hookspec::__owned_twin! {
    [{ ASK::__core::__private::serde } { ASK::__core::__private::schemars }
    "ASK::__core::__private::serde" "ASK::__core::__private::schemars"] #[doc =
    "The event of [`ASK`] without borrows, for background hooks and the wire."] pub
    struct AskOwned { #[doc = " Who is asked."] pub baker : ::core::option::Option <
    ::std::string::String >, }
}
impl hookspec::Point for ASK::Point {
    type Event<'e> = Ask<'e>;
    type Owned = AskOwned;
    type Verdict = hookspec::First<Answer>;
    const INFO: &'static hookspec::PointInfo = &hookspec::PointInfo {
        name: "ASK",
        wire: "bakery.ask",
        aliases: &[],
        docs: "The first answer counts.",
        verdict: "First<Answer>",
        fields: &[
            hookspec::FieldInfo {
                name: "baker",
                ty: "Option<&str>",
                docs: "Who is asked.",
            },
        ],
        transient: false,
        sync: false,
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
    };
    fn own(event: &Self::Event<'_>) -> Self::Owned {
        let _ = event;
        AskOwned {
            baker: event.baker.map(<str as ::std::borrow::ToOwned>::to_owned),
        }
    }
    fn lend(owned: &Self::Owned) -> Self::Event<'_> {
        let _ = owned;
        Ask {
            baker: owned.baker.as_ref().map(::std::borrow::Borrow::<str>::borrow),
        }
    }
    fn with<'s, 'l: 's>(
        event: &Ask<'l>,
        value: ::core::option::Option<&'s <Self::Verdict as hookspec::Verdict>::Fold>,
    ) -> Ask<'s> {
        let _ = value;
        *event
    }
    fn linked() -> &'static [hookspec::Entry<Self>] {
        ASK::__linked()
    }
}
/// The first answer counts.
#[allow(non_snake_case)]
pub mod ASK {
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
        note = "the fields of `ASK` are `baker: Option<&str>`"
    )]
    pub trait AskParameter<T: ?::core::marker::Sized>: ::core::marker::Sized {
        fn bind(value: &T) -> &Self;
    }
    #[diagnostic::do_not_recommend]
    impl<T> AskParameter<T> for T {
        #[inline(always)]
        fn bind(value: &T) -> &T {
            value
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T> AskParameter<[__core::__private::Nobody]> for T {
        fn bind(_: &[__core::__private::Nobody]) -> &T {
            __core::__private::absent()
        }
    }
    #[doc(hidden)]
    pub use AskParameter as Parameter;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be returned from a `ASK` hook",
        label = "not what `ASK` takes",
        note = "`ASK` takes `()`, `Message`, `Flow`, `First<Answer>`",
        note = "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "a text for the model is `Message::system(text)`",
        note = "nothing can be refused or rewritten at `ASK`: `hookspec points` lists the points where it can be"
    )]
    pub trait AskReturn: ::core::marker::Sized {
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>);
    }
    #[diagnostic::do_not_recommend]
    impl<R: __core::IntoOutcome<<Point as __core::Point>::Verdict>> AskReturn for R {
        #[inline(always)]
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>) {
            __core::IntoOutcome::into_outcome(self, out);
        }
    }
    #[doc(hidden)]
    pub use AskReturn as Return;
    #[doc(hidden)]
    #[allow(unsafe_code)]
    #[cfg(not(miri))]
    #[__core::__private::linkme::distributed_slice]
    #[linkme(crate = __core::__private::linkme)]
    pub static __HOOKSPEC_hookspec_macros_ASK: [__core::Entry<Point>] = [..];
    #[doc(hidden)]
    #[cfg(not(miri))]
    pub use __HOOKSPEC_hookspec_macros_ASK as __SLICE;
    #[cfg(not(miri))]
    pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
        &__HOOKSPEC_hookspec_macros_ASK
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
/// The first answer counts.
pub const ASK: ASK::Point = ASK::Point;
#[doc(hidden)]
#[allow(non_local_definitions)]
#[macro_export]
macro_rules! hook_point_ASK {
    (@ items $($items:tt)*) => {
        $($items)*
    };
    (@ field baker $($access:tt)*) => {
        $($access)*
    };
    (@ field $field:ident $($access:tt)*) => {
        { hookspec::__private::no_field_impl! { $field "ASK"["baker: Option<&str>"] }
        hookspec::__private::absent() }
    };
    (@ changed baker $word:tt) => {
        { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `Option<&str>`; what happened cannot be changed here"
        } hookspec::__private::absent() }
    };
    (@ changed $field:ident $word:tt) => {
        { hookspec::__private::no_field_impl! { $field "ASK"["baker: Option<&str>"] }
        hookspec::__private::absent() }
    };
    (@ async $word:tt) => {};
    (@ blocking $word:tt) => {};
    (@ fail_open $word:tt) => {
        hookspec::__private::refusal_impl! { $word
        "`fail_open` is for gates: `ASK` decides nothing, so a failure denies nothing; leave it out"
        }
    };
    ($($anything:tt)*) => {
        ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!`"
        }
    };
}
#[allow(unused_imports)]
pub use hook_point_ASK as ASK;
