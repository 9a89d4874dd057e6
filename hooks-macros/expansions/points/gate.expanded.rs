#[hookspec::__private::placed]
impl HookPoint {
    points! {
        #[doc = "The event of [`BAKE`]."] #[derive(Clone, Copy, Debug,
        BAKE::__core::__private::serde::Serialize)] #[serde(crate =
        "BAKE::__core::__private::serde")] pub (crate) struct Bake { #[doc =
        " Temperature."] pub degrees : u32, } hookspec::__owned_twin! { [{
        BAKE::__core::__private::serde } { BAKE::__core::__private::schemars }
        "BAKE::__core::__private::serde" "BAKE::__core::__private::schemars"] #[doc =
        "The event of [`BAKE`] without borrows, for background hooks and the wire."] pub
        (crate) struct BakeOwned { #[doc = " Temperature."] pub degrees : u32, } } impl
        hookspec::__private::Point for BAKE::Point { type Event < 'e > = Bake; type
        Verdict = hookspec::__private::Gate; const INFO : & 'static
        hookspec::__private::PointInfo = & hookspec::__private::PointInfo { name :
        "BAKE", wire : "bake.pre", aliases : & [], docs :
        "Fired by programs without a runtime.", verdict : "Gate", fields : &
        [hookspec::__private::FieldInfo { name : "degrees", ty : "u32", docs :
        "Temperature." }], transient : false, sync : true, local : false, filters : & [],
        package : env!("CARGO_PKG_NAME"), file : file!(), line : line!(), }; type Owned =
        BakeOwned; fn own(event : & Self::Event < '_ >) -> ::core::option::Option <
        Self::Owned > { let _ = event; ::core::option::Option::Some(BakeOwned { degrees :
        ::core::clone::Clone::clone(& event.degrees), }) } fn lend(owned : & Self::Owned)
        -> Self::Event < '_ > { let _ = owned; Bake { degrees :
        ::core::clone::Clone::clone(& owned.degrees), } } fn with < 's, 'l : 's > (event
        : & Bake, value : ::core::option::Option < & 's < Self::Verdict as
        hookspec::__private::Verdict > ::Fold >,) -> Bake { let _ = value; * event } fn
        subject < 's > (event : & 's Self::Event < '_ >) -> hookspec::__private::Subject
        < 's > { let _ = event; hookspec::__private::Subject::default() } } #[doc =
        " Fired by programs without a runtime."] #[allow(non_snake_case)] pub (crate) mod
        BAKE { #[doc(hidden)] pub use hookspec as __core; #[doc(hidden)] pub (crate) type
        Event < 'e > = < Point as __core::__private::Point > ::Event < 'e >;
        #[doc(hidden)] pub (crate) type Out = __core::__private::Outcome << Point as
        __core::__private::Point > ::Verdict >; #[doc = r" The hook point as a type."]
        #[derive(Clone, Copy, Debug)] pub (crate) struct Point; __core::__parameter! {
        pub (crate) BakeDegreesField
        "`degrees` is `u32` at `BAKE`, and here it is taken as `{Self}`"
        "write `degrees: u32`" "the fields of `BAKE` are `degrees: u32`" }
        __core::__parameter! { pub (crate) BakeAsAWhole
        "the event of `BAKE` is `&Bake`, and here it is taken as `{Self}`"
        "write `event: &Bake`" "the fields of `BAKE` are `degrees: u32`" } #[doc(hidden)]
        #[diagnostic::on_unimplemented(message =
        "`{Self}` cannot be returned from a `BAKE` hook", label =
        "not what `BAKE` takes", note = "`BAKE` takes `()`, `Message`, `Flow`, `Gate`",
        note =
        "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note =
        "`Gate::deny(\"why\")` refuses, `Gate::Allow` or `()` does not; a text for the model is `Message::system(text)`",
        note =
        "nothing is rewritten at `BAKE`: `hookspec points` lists the points where it can be")]
        pub (crate) trait BakeReturn : ::core::marker::Sized { fn give(self, out : & mut
        __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >); }
        #[diagnostic::do_not_recommend] impl < R : __core::__private::IntoOutcome <<
        Point as __core::__private::Point > ::Verdict > > BakeReturn for R {
        #[inline(always)] fn give(self, out : & mut __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >) {
        __core::__private::IntoOutcome::into_outcome(self, out); } } #[doc(hidden)] pub
        (crate) use BakeReturn as Return; const _ : () = {
        #[gathered[__core::__private::POINTS]] static __ENTRY : & 'static dyn
        __core::__private::AnyPoint = & __core::__private::PointOf:: < Point > ::new();
        }; } #[doc = " Fired by programs without a runtime."] pub (crate) const BAKE :
        BAKE::Point = BAKE::Point; #[doc(hidden)] #[allow(non_local_definitions)]
        #[macro_export] macro_rules! hook_point_BAKE { (@ hook $($hook : tt)*) => {
        hookspec::__hook! { $($hook)* } }; (@ field degrees $event : ident $field : ident
        { u32 } [$($point : tt)*]) => { $event . $field }; (@ field degrees $event :
        ident $field : ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as
        $($point)* ::BakeDegreesField < _ >> ::bind(& $event . $field) }; (@ field $field
        : ident $($access : tt)*) => { { hookspec::__private::no_field_impl! { $field
        "BAKE"["degrees: u32"] } hookspec::__private::absent() } }; (@ event $event :
        ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)*
        ::BakeAsAWhole < _ >> ::bind(& $event) }; (@ session $session : ident { & Session
        } [$($point : tt)*]) => { $session }; (@ session $session : ident { $($ty : tt)*
        } [$($point : tt)*]) => { * < $($ty)* as hookspec::__private::SessionParameter <
        _ >> ::bind(& $session) }; (@ changed degrees $word : tt) => { {
        hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `u32`; what is decided on cannot be changed here"
        } hookspec::__private::absent() } }; (@ changed $field : ident $word : tt) => { {
        hookspec::__private::no_field_impl! { $field "BAKE"["degrees: u32"] }
        hookspec::__private::absent() } }; (@ async $word : tt) => {
        hookspec::__private::refusal_impl! { $word
        "an `async fn` hook cannot listen at `BAKE`: it is `sync`, fired by hosts without an async runtime; make the hook a plain `fn` that runs in the chain"
        } }; (@ blocking $word : tt) => { hookspec::__private::refusal_impl! { $word
        "a `blocking` hook cannot listen at `BAKE`: it is `sync`, fired by hosts without an async runtime; make the hook a plain `fn` that runs in the chain"
        } }; (@ background $word : tt) => {}; (@ around future $($access : tt)*) => { {
        ::core::compile_error! {
        "`BAKE` wraps no work: fire it, with `fire!(session, BAKE { … }).await` or `fire_now!`"
        } ::core::future::pending:: < hookspec::__private::Wrapped < () >> () } }; (@
        around value $($access : tt)*) => { { ::core::compile_error! {
        "`BAKE` wraps no work: fire it, with `fire!(session, BAKE { … }).await` or `fire_now!`"
        } hookspec::__private::absent:: < hookspec::__private::Wrapped < () >> () } }; (@
        next $word : tt $($access : tt)*) => { { hookspec::__private::refusal_impl! {
        $word
        "`next` is the rest of a chain around work, and `BAKE` wraps none: leave it out, or listen at a point whose verdict is `Around<T>`"
        } hookspec::__private::absent() } }; (@ fail_open $word : tt) => {}; (@ tools
        $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `BAKE` has none, so leave `tools` out"
        } }; (@ paths $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`paths` is for points that are about files, which have `path: &Path` or a list `&[PathBuf]`: `BAKE` has neither, so leave `paths` out"
        } }; ($($anything : tt)*) => { ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`"
        } }; } #[allow(unused_imports)] pub (crate) use hook_point_BAKE as BAKE;
    }
}
