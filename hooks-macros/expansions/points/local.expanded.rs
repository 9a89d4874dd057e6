#[hookspec::__private::placed]
impl HookPoint {
    points! {
        #[doc = "The event of [`ASK`]."] #[derive(Clone, Copy)] pub struct Ask < 'a > {
        #[doc = " What it asks about."] pub thing : & 'a MyThing, pub times : u32, } impl
        < 'a > ::core::fmt::Debug for Ask < 'a > { fn fmt(& self, f : & mut
        ::core::fmt::Formatter < '_ >) -> ::core::fmt::Result { f.debug_struct("Ask")
        .finish_non_exhaustive() } } impl < 'a > hookspec::__private::serde::Serialize
        for Ask < 'a > { fn serialize < S : hookspec::__private::serde::Serializer > (&
        self, _ : S,) -> ::core::result::Result < S::Ok, S::Error > {
        ::core::result::Result::Err(hookspec::__private::no_wire_form("ASK")) } } impl
        hookspec::__private::Point for ASK::Point { type Event < 'e > = Ask < 'e >; type
        Verdict = hookspec::__private::Gate; const INFO : & 'static
        hookspec::__private::PointInfo = & hookspec::__private::PointInfo { name : "ASK",
        wire : "ask", aliases : & [], docs : "Before the host asks.", verdict : "Gate",
        fields : & [hookspec::__private::FieldInfo { name : "thing", ty : "&MyThing",
        docs : "What it asks about." }, hookspec::__private::FieldInfo { name : "times",
        ty : "u32", docs : "" }], transient : false, sync : false, local : true, filters
        : & [], package : env!("CARGO_PKG_NAME"), file : file!(), line : line!(), }; type
        Owned = hookspec::__private::Never; fn own(_ : & Self::Event < '_ >) ->
        ::core::option::Option < Self::Owned > { ::core::option::Option::None } fn
        lend(owned : & Self::Owned) -> Self::Event < '_ > { match * owned {} } fn with <
        's, 'l : 's > (event : & Ask < 'l >, value : ::core::option::Option < & 's <
        Self::Verdict as hookspec::__private::Verdict > ::Fold >,) -> Ask < 's > { let _
        = value; * event } fn subject < 's > (event : & 's Self::Event < '_ >) ->
        hookspec::__private::Subject < 's > { let _ = event;
        hookspec::__private::Subject::default() } } #[doc = " Before the host asks."]
        #[allow(non_snake_case)] pub mod ASK { #[doc(hidden)] pub use hookspec as __core;
        #[doc(hidden)] pub type Event < 'e > = < Point as __core::__private::Point >
        ::Event < 'e >; #[doc(hidden)] pub type Out = __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >; #[doc = r" The hook point as a type."]
        #[derive(Clone, Copy, Debug)] pub struct Point; __core::__parameter! { pub
        AskThingField "`thing` is `&MyThing` at `ASK`, and here it is taken as `{Self}`"
        "write `thing: &MyThing`"
        "the fields of `ASK` are `thing: &MyThing`, `times: u32`" } __core::__parameter!
        { pub AskTimesField "`times` is `u32` at `ASK`, and here it is taken as `{Self}`"
        "write `times: u32`" "the fields of `ASK` are `thing: &MyThing`, `times: u32`" }
        __core::__parameter! { pub AskAsAWhole
        "the event of `ASK` is `&Ask<'_>`, and here it is taken as `{Self}`"
        "write `event: &Ask<'_>`"
        "the fields of `ASK` are `thing: &MyThing`, `times: u32`" } #[doc(hidden)]
        #[diagnostic::on_unimplemented(message =
        "`{Self}` cannot be returned from a `ASK` hook", label = "not what `ASK` takes",
        note = "`ASK` takes `()`, `Message`, `Flow`, `Gate`", note =
        "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note =
        "`Gate::deny(\"why\")` refuses, `Gate::Allow` or `()` does not; a text for the model is `Message::system(text)`",
        note =
        "nothing is rewritten at `ASK`: `hookspec points` lists the points where it can be")]
        pub trait AskReturn : ::core::marker::Sized { fn give(self, out : & mut
        __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >); }
        #[diagnostic::do_not_recommend] impl < R : __core::__private::IntoOutcome <<
        Point as __core::__private::Point > ::Verdict > > AskReturn for R {
        #[inline(always)] fn give(self, out : & mut __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >) {
        __core::__private::IntoOutcome::into_outcome(self, out); } } #[doc(hidden)] pub
        use AskReturn as Return; const _ : () = { #[gathered[__core::__private::POINTS]]
        static __ENTRY : & 'static dyn __core::__private::AnyPoint = &
        __core::__private::PointOf:: < Point > ::new(); }; } #[doc =
        " Before the host asks."] pub const ASK : ASK::Point = ASK::Point; #[doc(hidden)]
        #[allow(non_local_definitions)] #[macro_export] macro_rules! hook_point_ASK { (@
        hook $($hook : tt)*) => { hookspec::__hook! { $($hook)* } }; (@ field thing
        $event : ident $field : ident { & MyThing } [$($point : tt)*]) => { $event .
        $field }; (@ field thing $event : ident $field : ident { $($ty : tt)* } [$($point
        : tt)*]) => { * < $($ty)* as $($point)* ::AskThingField < _ >> ::bind(& $event .
        $field) }; (@ field times $event : ident $field : ident { u32 } [$($point :
        tt)*]) => { $event . $field }; (@ field times $event : ident $field : ident {
        $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)* ::AskTimesField
        < _ >> ::bind(& $event . $field) }; (@ field $field : ident $($access : tt)*) =>
        { { hookspec::__private::no_field_impl! { $field "ASK"["thing: &MyThing"
        "times: u32"] } hookspec::__private::absent() } }; (@ event $event : ident {
        $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)* ::AskAsAWhole <
        _ >> ::bind(& $event) }; (@ session $session : ident { & Session } [$($point :
        tt)*]) => { $session }; (@ session $session : ident { $($ty : tt)* } [$($point :
        tt)*]) => { * < $($ty)* as hookspec::__private::SessionParameter < _ >> ::bind(&
        $session) }; (@ changed thing $word : tt) => { {
        hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&MyThing`; what is decided on cannot be changed here"
        } hookspec::__private::absent() } }; (@ changed times $word : tt) => { {
        hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `u32`; what is decided on cannot be changed here"
        } hookspec::__private::absent() } }; (@ changed $field : ident $word : tt) => { {
        hookspec::__private::no_field_impl! { $field "ASK"["thing: &MyThing"
        "times: u32"] } hookspec::__private::absent() } }; (@ async $word : tt) => {}; (@
        blocking $word : tt) => { hookspec::__private::refusal_impl! { $word
        "a `blocking` hook runs on a copy of the event, and that of `ASK` cannot be copied: the point is `local`; let the hook run in the chain, as a plain `fn` or an `async fn`"
        } }; (@ background $word : tt) => { hookspec::__private::refusal_impl! { $word
        "a `background` hook runs on a copy of the event, and that of `ASK` cannot be copied: the point is `local`; let the hook run in the chain, as a plain `fn` or an `async fn`"
        } }; (@ around future $($access : tt)*) => { { ::core::compile_error! {
        "`ASK` wraps no work: fire it, with `fire!(session, ASK { … }).await` or `fire_now!`"
        } ::core::future::pending:: < hookspec::__private::Wrapped < () >> () } }; (@
        around value $($access : tt)*) => { { ::core::compile_error! {
        "`ASK` wraps no work: fire it, with `fire!(session, ASK { … }).await` or `fire_now!`"
        } hookspec::__private::absent:: < hookspec::__private::Wrapped < () >> () } }; (@
        next $word : tt $($access : tt)*) => { { hookspec::__private::refusal_impl! {
        $word
        "`next` is the rest of a chain around work, and `ASK` wraps none: leave it out, or listen at a point whose verdict is `Around<T>`"
        } hookspec::__private::absent() } }; (@ fail_open $word : tt) => {}; (@ tools
        $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `ASK` has none, so leave `tools` out"
        } }; (@ paths $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`paths` is for points that are about files, which have `path: &Path` or a list `&[PathBuf]`: `ASK` has neither, so leave `paths` out"
        } }; ($($anything : tt)*) => { ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`"
        } }; } #[allow(unused_imports)] pub use hook_point_ASK as ASK;
    }
}
