#[hookspec::__private::placed]
impl HookPoint {
    points! {
        #[doc = "The event of [`OPEN`]."] #[derive(Clone, Copy, Debug,
        OPEN::__core::__private::serde::Serialize)] #[serde(crate =
        "OPEN::__core::__private::serde")] struct Open {} hookspec::__owned_twin! { [{
        OPEN::__core::__private::serde } { OPEN::__core::__private::schemars }
        "OPEN::__core::__private::serde" "OPEN::__core::__private::schemars"] #[doc =
        "The event of [`OPEN`] without borrows, for background hooks and the wire."]
        struct OpenOwned {} } impl hookspec::__private::Point for OPEN::Point { type
        Event < 'e > = Open; type Verdict = hookspec::__private::Messages; const INFO : &
        'static hookspec::__private::PointInfo = & hookspec::__private::PointInfo { name
        : "OPEN", wire : "bakery.open", aliases : & [], docs :
        "No fields, for this crate only.", verdict : "Messages", fields : & [], transient
        : false, sync : false, local : false, filters : & [], package :
        env!("CARGO_PKG_NAME"), file : file!(), line : line!(), }; type Owned =
        OpenOwned; fn own(event : & Self::Event < '_ >) -> ::core::option::Option <
        Self::Owned > { let _ = event; ::core::option::Option::Some(OpenOwned {}) } fn
        lend(owned : & Self::Owned) -> Self::Event < '_ > { let _ = owned; Open {} } fn
        with < 's, 'l : 's > (event : & Open, value : ::core::option::Option < & 's <
        Self::Verdict as hookspec::__private::Verdict > ::Fold >,) -> Open { let _ =
        value; * event } fn subject < 's > (event : & 's Self::Event < '_ >) ->
        hookspec::__private::Subject < 's > { let _ = event;
        hookspec::__private::Subject::default() } } #[doc =
        " No fields, for this crate only."] #[allow(non_snake_case)] mod OPEN {
        #[doc(hidden)] pub use hookspec as __core; #[doc(hidden)] pub (super) type Event
        < 'e > = < Point as __core::__private::Point > ::Event < 'e >; #[doc(hidden)] pub
        (super) type Out = __core::__private::Outcome << Point as
        __core::__private::Point > ::Verdict >; #[doc = r" The hook point as a type."]
        #[derive(Clone, Copy, Debug)] pub (super) struct Point; __core::__parameter! {
        pub (super) OpenAsAWhole
        "the event of `OPEN` is `&Open`, and here it is taken as `{Self}`"
        "write `event: &Open`" "`OPEN` has no fields" } #[doc(hidden)]
        #[diagnostic::on_unimplemented(message =
        "`{Self}` cannot be returned from a `OPEN` hook", label =
        "not what `OPEN` takes", note = "`OPEN` takes `()`, `Message`, `Flow`", note =
        "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "a text for the model is `Message::system(text)`", note =
        "nothing can be refused or rewritten at `OPEN`: `hookspec points` lists the points where it can be")]
        pub (super) trait OpenReturn : ::core::marker::Sized { fn give(self, out : & mut
        __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >); }
        #[diagnostic::do_not_recommend] impl < R : __core::__private::IntoOutcome <<
        Point as __core::__private::Point > ::Verdict > > OpenReturn for R {
        #[inline(always)] fn give(self, out : & mut __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >) {
        __core::__private::IntoOutcome::into_outcome(self, out); } } #[doc(hidden)] pub
        (super) use OpenReturn as Return; const _ : () = {
        #[gathered[__core::__private::POINTS]] static __ENTRY : & 'static dyn
        __core::__private::AnyPoint = & __core::__private::PointOf:: < Point > ::new();
        }; } #[doc = " No fields, for this crate only."] const OPEN : OPEN::Point =
        OPEN::Point; #[doc(hidden)] #[allow(non_local_definitions)] #[macro_export]
        macro_rules! hook_point_OPEN { (@ hook $($hook : tt)*) => { hookspec::__hook! {
        $($hook)* } }; (@ field $field : ident $($access : tt)*) => { {
        hookspec::__private::no_field_impl! { $field "OPEN"[] }
        hookspec::__private::absent() } }; (@ event $event : ident { $($ty : tt)* }
        [$($point : tt)*]) => { * < $($ty)* as $($point)* ::OpenAsAWhole < _ >> ::bind(&
        $event) }; (@ session $session : ident { & Session } [$($point : tt)*]) => {
        $session }; (@ session $session : ident { $($ty : tt)* } [$($point : tt)*]) => {
        * < $($ty)* as hookspec::__private::SessionParameter < _ >> ::bind(& $session) };
        (@ changed $field : ident $word : tt) => { { hookspec::__private::no_field_impl!
        { $field "OPEN"[] } hookspec::__private::absent() } }; (@ async $word : tt) =>
        {}; (@ blocking $word : tt) => {}; (@ background $word : tt) => {}; (@ around
        future $($access : tt)*) => { { ::core::compile_error! {
        "`OPEN` wraps no work: fire it, with `fire!(session, OPEN { … }).await` or `fire_now!`"
        } ::core::future::pending:: < hookspec::__private::Wrapped < () >> () } }; (@
        around value $($access : tt)*) => { { ::core::compile_error! {
        "`OPEN` wraps no work: fire it, with `fire!(session, OPEN { … }).await` or `fire_now!`"
        } hookspec::__private::absent:: < hookspec::__private::Wrapped < () >> () } }; (@
        next $word : tt $($access : tt)*) => { { hookspec::__private::refusal_impl! {
        $word
        "`next` is the rest of a chain around work, and `OPEN` wraps none: leave it out, or listen at a point whose verdict is `Around<T>`"
        } hookspec::__private::absent() } }; (@ fail_open $word : tt) => {
        hookspec::__private::refusal_impl! { $word
        "`fail_open` is for gates: `OPEN` decides nothing, so a failure denies nothing; leave it out"
        } }; (@ tools $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `OPEN` has none, so leave `tools` out"
        } }; (@ paths $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`paths` is for points that are about files, which have `path: &Path` or a list `&[PathBuf]`: `OPEN` has neither, so leave `paths` out"
        } }; ($($anything : tt)*) => { ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`"
        } }; } #[allow(unused_imports)] use hook_point_OPEN as OPEN;
    }
}
