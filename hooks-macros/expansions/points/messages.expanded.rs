#[hookspec::__private::placed]
impl HookPoint {
    points! {
        #[doc = "The event of [`SAVED`]."] #[derive(Clone, Copy, Debug,
        SAVED::__core::__private::serde::Serialize)] #[serde(crate =
        "SAVED::__core::__private::serde")] pub struct Saved < 'a > { #[doc =
        " Absolute path of the file."] pub path : & 'a Path, #[doc =
        " Whether the file did not exist before."] pub created : bool, }
        hookspec::__owned_twin! { [{ SAVED::__core::__private::serde } {
        SAVED::__core::__private::schemars } "SAVED::__core::__private::serde"
        "SAVED::__core::__private::schemars"] #[doc =
        "The event of [`SAVED`] without borrows, for background hooks and the wire."] pub
        struct SavedOwned { #[doc = " Absolute path of the file."] pub path :
        ::std::path::PathBuf, #[doc = " Whether the file did not exist before."] pub
        created : bool, } } impl hookspec::__private::Point for SAVED::Point { type Event
        < 'e > = Saved < 'e >; type Verdict = hookspec::__private::Messages; const INFO :
        & 'static hookspec::__private::PointInfo = & hookspec::__private::PointInfo {
        name : "SAVED", wire : "file.saved", aliases : & ["post_save"], docs :
        "After a tool has written a file.", verdict : "Messages", fields : &
        [hookspec::__private::FieldInfo { name : "path", ty : "&Path", docs :
        "Absolute path of the file." }, hookspec::__private::FieldInfo { name :
        "created", ty : "bool", docs : "Whether the file did not exist before." }],
        transient : false, sync : false, local : false, filters : & ["paths"], package :
        env!("CARGO_PKG_NAME"), file : file!(), line : line!(), }; type Owned =
        SavedOwned; fn own(event : & Self::Event < '_ >) -> ::core::option::Option <
        Self::Owned > { let _ = event; ::core::option::Option::Some(SavedOwned { path : <
        Path as ::std::borrow::ToOwned > ::to_owned(event.path), created :
        ::core::clone::Clone::clone(& event.created), }) } fn lend(owned : & Self::Owned)
        -> Self::Event < '_ > { let _ = owned; Saved { path : ::std::borrow::Borrow:: <
        Path > ::borrow(& owned.path), created : ::core::clone::Clone::clone(& owned
        .created), } } fn with < 's, 'l : 's > (event : & Saved < 'l >, value :
        ::core::option::Option < & 's < Self::Verdict as hookspec::__private::Verdict >
        ::Fold >,) -> Saved < 's > { let _ = value; * event } fn subject < 's > (event :
        & 's Self::Event < '_ >) -> hookspec::__private::Subject < 's > {
        #[allow(unused_imports)] use hookspec::__private:: { Silent as _, Tells as _ };
        let mut subject = hookspec::__private::Subject::default(); (&
        hookspec::__private::Field(event.path)).tell(& mut subject); subject } } #[doc =
        " After a tool has written a file."] #[allow(non_snake_case)] pub mod SAVED {
        #[doc(hidden)] pub use hookspec as __core; #[doc(hidden)] pub type Event < 'e > =
        < Point as __core::__private::Point > ::Event < 'e >; #[doc(hidden)] pub type Out
        = __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >;
        #[doc = r" The hook point as a type."] #[derive(Clone, Copy, Debug)] pub struct
        Point; __core::__parameter! { pub SavedPathField
        "`path` is `&Path` at `SAVED`, and here it is taken as `{Self}`"
        "write `path: &Path`" "the fields of `SAVED` are `path: &Path`, `created: bool`"
        } __core::__parameter! { pub SavedCreatedField
        "`created` is `bool` at `SAVED`, and here it is taken as `{Self}`"
        "write `created: bool`"
        "the fields of `SAVED` are `path: &Path`, `created: bool`" } __core::__parameter!
        { pub SavedAsAWhole
        "the event of `SAVED` is `&Saved<'_>`, and here it is taken as `{Self}`"
        "write `event: &Saved<'_>`"
        "the fields of `SAVED` are `path: &Path`, `created: bool`" } #[doc(hidden)]
        #[diagnostic::on_unimplemented(message =
        "`{Self}` cannot be returned from a `SAVED` hook", label =
        "not what `SAVED` takes", note = "`SAVED` takes `()`, `Message`, `Flow`", note =
        "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "a text for the model is `Message::system(text)`", note =
        "nothing can be refused or rewritten at `SAVED`: `hookspec points` lists the points where it can be")]
        pub trait SavedReturn : ::core::marker::Sized { fn give(self, out : & mut
        __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >); }
        #[diagnostic::do_not_recommend] impl < R : __core::__private::IntoOutcome <<
        Point as __core::__private::Point > ::Verdict > > SavedReturn for R {
        #[inline(always)] fn give(self, out : & mut __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >) {
        __core::__private::IntoOutcome::into_outcome(self, out); } } #[doc(hidden)] pub
        use SavedReturn as Return; const _ : () = {
        #[gathered[__core::__private::POINTS]] static __ENTRY : & 'static dyn
        __core::__private::AnyPoint = & __core::__private::PointOf:: < Point > ::new();
        }; } #[doc = " After a tool has written a file."] pub const SAVED : SAVED::Point
        = SAVED::Point; #[doc(hidden)] #[allow(non_local_definitions)] #[macro_export]
        macro_rules! hook_point_SAVED { (@ hook $($hook : tt)*) => { hookspec::__hook! {
        $($hook)* } }; (@ field path $event : ident $field : ident { & Path } [$($point :
        tt)*]) => { $event . $field }; (@ field path $event : ident $field : ident {
        $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)* ::SavedPathField
        < _ >> ::bind(& $event . $field) }; (@ field created $event : ident $field :
        ident { bool } [$($point : tt)*]) => { $event . $field }; (@ field created $event
        : ident $field : ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as
        $($point)* ::SavedCreatedField < _ >> ::bind(& $event . $field) }; (@ field
        $field : ident $($access : tt)*) => { { hookspec::__private::no_field_impl! {
        $field "SAVED"["path: &Path" "created: bool"] } hookspec::__private::absent() }
        }; (@ event $event : ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)*
        as $($point)* ::SavedAsAWhole < _ >> ::bind(& $event) }; (@ session $session :
        ident { & Session } [$($point : tt)*]) => { $session }; (@ session $session :
        ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as
        hookspec::__private::SessionParameter < _ >> ::bind(& $session) }; (@ changed
        path $word : tt) => { { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&Path`; what happened cannot be changed here"
        } hookspec::__private::absent() } }; (@ changed created $word : tt) => { {
        hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `bool`; what happened cannot be changed here"
        } hookspec::__private::absent() } }; (@ changed $field : ident $word : tt) => { {
        hookspec::__private::no_field_impl! { $field "SAVED"["path: &Path"
        "created: bool"] } hookspec::__private::absent() } }; (@ async $word : tt) => {};
        (@ blocking $word : tt) => {}; (@ background $word : tt) => {}; (@ around future
        $($access : tt)*) => { { ::core::compile_error! {
        "`SAVED` wraps no work: fire it, with `fire!(session, SAVED { … }).await` or `fire_now!`"
        } ::core::future::pending:: < hookspec::__private::Wrapped < () >> () } }; (@
        around value $($access : tt)*) => { { ::core::compile_error! {
        "`SAVED` wraps no work: fire it, with `fire!(session, SAVED { … }).await` or `fire_now!`"
        } hookspec::__private::absent:: < hookspec::__private::Wrapped < () >> () } }; (@
        next $word : tt $($access : tt)*) => { { hookspec::__private::refusal_impl! {
        $word
        "`next` is the rest of a chain around work, and `SAVED` wraps none: leave it out, or listen at a point whose verdict is `Around<T>`"
        } hookspec::__private::absent() } }; (@ fail_open $word : tt) => {
        hookspec::__private::refusal_impl! { $word
        "`fail_open` is for gates: `SAVED` decides nothing, so a failure denies nothing; leave it out"
        } }; (@ tools $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `SAVED` has none, so leave `tools` out"
        } }; (@ paths $word : tt) => {}; ($($anything : tt)*) => { ::core::compile_error!
        {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`"
        } }; } #[allow(unused_imports)] pub use hook_point_SAVED as SAVED;
    }
}
