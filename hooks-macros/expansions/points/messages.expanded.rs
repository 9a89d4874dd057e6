///The event of [`SAVED`].
#[derive(Clone, Copy, Debug, SAVED::__core::__private::serde::Serialize)]
#[serde(crate = "SAVED::__core::__private::serde")]
pub struct Saved<'a> {
    /// Absolute path of the file.
    pub path: &'a Path,
    /// Whether the file did not exist before.
    pub created: bool,
}
hookspec::__owned_twin! {
    [{ SAVED::__core::__private::serde } { SAVED::__core::__private::schemars }
    "SAVED::__core::__private::serde" "SAVED::__core::__private::schemars"] #[doc =
    "The event of [`SAVED`] without borrows, for background hooks and the wire."] pub
    struct SavedOwned { #[doc = " Absolute path of the file."] pub path :
    ::std::path::PathBuf, #[doc = " Whether the file did not exist before."] pub created
    : bool, }
}
impl hookspec::Point for SAVED::Point {
    type Event<'e> = Saved<'e>;
    type Owned = SavedOwned;
    type Verdict = hookspec::Messages;
    const INFO: &'static hookspec::PointInfo = &hookspec::PointInfo {
        name: "SAVED",
        wire: "file.saved",
        aliases: &["post_save"],
        docs: "After a tool has written a file.",
        verdict: "Messages",
        fields: &[
            hookspec::FieldInfo {
                name: "path",
                ty: "&Path",
                docs: "Absolute path of the file.",
            },
            hookspec::FieldInfo {
                name: "created",
                ty: "bool",
                docs: "Whether the file did not exist before.",
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
        SavedOwned {
            path: <Path as ::std::borrow::ToOwned>::to_owned(event.path),
            created: ::core::clone::Clone::clone(&event.created),
        }
    }
    fn lend(owned: &Self::Owned) -> Self::Event<'_> {
        let _ = owned;
        Saved {
            path: ::std::borrow::Borrow::<Path>::borrow(&owned.path),
            created: ::core::clone::Clone::clone(&owned.created),
        }
    }
    fn with<'s, 'l: 's>(
        event: &Saved<'l>,
        value: ::core::option::Option<&'s <Self::Verdict as hookspec::Verdict>::Fold>,
    ) -> Saved<'s> {
        let _ = value;
        *event
    }
    fn linked() -> &'static [hookspec::Entry<Self>] {
        SAVED::__linked()
    }
}
/// After a tool has written a file.
#[allow(non_snake_case)]
pub mod SAVED {
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
        note = "the fields of `SAVED` are `path: &Path`, `created: bool`"
    )]
    pub trait SavedParameter<T: ?::core::marker::Sized>: ::core::marker::Sized {
        fn bind(value: &T) -> &Self;
    }
    #[diagnostic::do_not_recommend]
    impl<T> SavedParameter<T> for T {
        #[inline(always)]
        fn bind(value: &T) -> &T {
            value
        }
    }
    #[diagnostic::do_not_recommend]
    impl<T> SavedParameter<[__core::__private::Nobody]> for T {
        fn bind(_: &[__core::__private::Nobody]) -> &T {
            __core::__private::absent()
        }
    }
    #[doc(hidden)]
    pub use SavedParameter as Parameter;
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be returned from a `SAVED` hook",
        label = "not what `SAVED` takes",
        note = "`SAVED` takes `()`, `Message`, `Flow`",
        note = "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "a text for the model is `Message::system(text)`",
        note = "nothing can be refused or rewritten at `SAVED`: `hookspec points` lists the points where it can be"
    )]
    pub trait SavedReturn: ::core::marker::Sized {
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>);
    }
    #[diagnostic::do_not_recommend]
    impl<R: __core::IntoOutcome<<Point as __core::Point>::Verdict>> SavedReturn for R {
        #[inline(always)]
        fn give(self, out: &mut __core::Outcome<<Point as __core::Point>::Verdict>) {
            __core::IntoOutcome::into_outcome(self, out);
        }
    }
    #[doc(hidden)]
    pub use SavedReturn as Return;
    #[doc(hidden)]
    #[allow(unsafe_code)]
    #[cfg(not(miri))]
    #[__core::__private::linkme::distributed_slice]
    #[linkme(crate = __core::__private::linkme)]
    pub static __HOOKSPEC_hookspec_macros_SAVED: [__core::Entry<Point>] = [..];
    #[doc(hidden)]
    #[cfg(not(miri))]
    pub use __HOOKSPEC_hookspec_macros_SAVED as __SLICE;
    #[cfg(not(miri))]
    pub(super) fn __linked() -> &'static [__core::Entry<Point>] {
        &__HOOKSPEC_hookspec_macros_SAVED
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
/// After a tool has written a file.
pub const SAVED: SAVED::Point = SAVED::Point;
#[doc(hidden)]
#[allow(non_local_definitions)]
#[macro_export]
macro_rules! hook_point_SAVED {
    (@ items $($items:tt)*) => {
        $($items)*
    };
    (@ field path $($access:tt)*) => {
        $($access)*
    };
    (@ field created $($access:tt)*) => {
        $($access)*
    };
    (@ field $field:ident $($access:tt)*) => {
        { hookspec::__private::no_field_impl! { $field "SAVED"["path: &Path"
        "created: bool"] } hookspec::__private::absent() }
    };
    (@ changed path $word:tt) => {
        { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&Path`; what happened cannot be changed here"
        } hookspec::__private::absent() }
    };
    (@ changed created $word:tt) => {
        { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `bool`; what happened cannot be changed here"
        } hookspec::__private::absent() }
    };
    (@ changed $field:ident $word:tt) => {
        { hookspec::__private::no_field_impl! { $field "SAVED"["path: &Path"
        "created: bool"] } hookspec::__private::absent() }
    };
    (@ async $word:tt) => {};
    (@ blocking $word:tt) => {};
    (@ fail_open $word:tt) => {
        hookspec::__private::refusal_impl! { $word
        "`fail_open` is for gates: `SAVED` decides nothing, so a failure denies nothing; leave it out"
        }
    };
    ($($anything:tt)*) => {
        ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!`"
        }
    };
}
#[allow(unused_imports)]
pub use hook_point_SAVED as SAVED;
