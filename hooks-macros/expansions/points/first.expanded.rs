#[hookspec::__private::placed]
impl HookPoint {
    points! {
        #[doc = "The event of [`ASK`]."] #[derive(Clone, Copy, Debug,
        ASK::__core::__private::serde::Serialize)] #[serde(crate =
        "ASK::__core::__private::serde")] pub struct Ask < 'a > { #[doc =
        " Who is asked."] pub baker : Option < & 'a str >, } hookspec::__owned_twin! { [{
        ASK::__core::__private::serde } { ASK::__core::__private::schemars }
        "ASK::__core::__private::serde" "ASK::__core::__private::schemars"] #[doc =
        "The event of [`ASK`] without borrows, for background hooks and the wire."] pub
        struct AskOwned { #[doc = " Who is asked."] pub baker : ::core::option::Option <
        ::std::string::String >, } } impl hookspec::__private::Point for ASK::Point {
        type Event < 'e > = Ask < 'e >; type Verdict = hookspec::__private::First <
        Answer >; const INFO : & 'static hookspec::__private::PointInfo = &
        hookspec::__private::PointInfo { name : "ASK", wire : "bakery.ask", aliases : &
        [], docs : "The first answer counts.", verdict : "First<Answer>", fields : &
        [hookspec::__private::FieldInfo { name : "baker", ty : "Option<&str>", docs :
        "Who is asked." }], transient : false, sync : false, local : false, filters : &
        [], package : env!("CARGO_PKG_NAME"), file : file!(), line : line!(), }; type
        Owned = AskOwned; fn own(event : & Self::Event < '_ >) -> ::core::option::Option
        < Self::Owned > { let _ = event; ::core::option::Option::Some(AskOwned { baker :
        event.baker.map(< str as ::std::borrow::ToOwned > ::to_owned), }) } fn lend(owned
        : & Self::Owned) -> Self::Event < '_ > { let _ = owned; Ask { baker : owned.baker
        .as_ref().map(::std::borrow::Borrow:: < str > ::borrow), } } fn with < 's, 'l :
        's > (event : & Ask < 'l >, value : ::core::option::Option < & 's < Self::Verdict
        as hookspec::__private::Verdict > ::Fold >,) -> Ask < 's > { let _ = value; *
        event } fn subject < 's > (event : & 's Self::Event < '_ >) ->
        hookspec::__private::Subject < 's > { let _ = event;
        hookspec::__private::Subject::default() } } #[doc = " The first answer counts."]
        #[allow(non_snake_case)] pub mod ASK { #[doc(hidden)] pub use hookspec as __core;
        #[doc(hidden)] pub type Event < 'e > = < Point as __core::__private::Point >
        ::Event < 'e >; #[doc(hidden)] pub type Out = __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >; #[doc = r" The hook point as a type."]
        #[derive(Clone, Copy, Debug)] pub struct Point; __core::__parameter! { pub
        AskBakerField
        "`baker` is `Option<&str>` at `ASK`, and here it is taken as `{Self}`"
        "write `baker: Option<&str>`" "the fields of `ASK` are `baker: Option<&str>`" }
        __core::__parameter! { pub AskAsAWhole
        "the event of `ASK` is `&Ask<'_>`, and here it is taken as `{Self}`"
        "write `event: &Ask<'_>`" "the fields of `ASK` are `baker: Option<&str>`" }
        #[doc(hidden)] #[diagnostic::on_unimplemented(message =
        "`{Self}` cannot be returned from a `ASK` hook", label = "not what `ASK` takes",
        note = "`ASK` takes `()`, `Message`, `Flow`, `First<Answer>`", note =
        "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note = "a text for the model is `Message::system(text)`", note =
        "nothing can be refused or rewritten at `ASK`: `hookspec points` lists the points where it can be")]
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
        " The first answer counts."] pub const ASK : ASK::Point = ASK::Point;
        #[doc(hidden)] #[allow(non_local_definitions)] #[macro_export] macro_rules!
        hook_point_ASK { (@ hook $($hook : tt)*) => { hookspec::__hook! { $($hook)* } };
        (@ field baker $event : ident $field : ident { Option < & str > } [$($point :
        tt)*]) => { $event . $field }; (@ field baker $event : ident $field : ident {
        $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)* ::AskBakerField
        < _ >> ::bind(& $event . $field) }; (@ field $field : ident $($access : tt)*) =>
        { { hookspec::__private::no_field_impl! { $field "ASK"["baker: Option<&str>"] }
        hookspec::__private::absent() } }; (@ event $event : ident { $($ty : tt)* }
        [$($point : tt)*]) => { * < $($ty)* as $($point)* ::AskAsAWhole < _ >> ::bind(&
        $event) }; (@ session $session : ident { & Session } [$($point : tt)*]) => {
        $session }; (@ session $session : ident { $($ty : tt)* } [$($point : tt)*]) => {
        * < $($ty)* as hookspec::__private::SessionParameter < _ >> ::bind(& $session) };
        (@ changed baker $word : tt) => { { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `Option<&str>`; what happened cannot be changed here"
        } hookspec::__private::absent() } }; (@ changed $field : ident $word : tt) => { {
        hookspec::__private::no_field_impl! { $field "ASK"["baker: Option<&str>"] }
        hookspec::__private::absent() } }; (@ async $word : tt) => {}; (@ blocking $word
        : tt) => {}; (@ background $word : tt) => {}; (@ around future $($access : tt)*)
        => { { ::core::compile_error! {
        "`ASK` wraps no work: fire it, with `fire!(session, ASK { … }).await` or `fire_now!`"
        } ::core::future::pending:: < hookspec::__private::Wrapped < () >> () } }; (@
        around value $($access : tt)*) => { { ::core::compile_error! {
        "`ASK` wraps no work: fire it, with `fire!(session, ASK { … }).await` or `fire_now!`"
        } hookspec::__private::absent:: < hookspec::__private::Wrapped < () >> () } }; (@
        next $word : tt $($access : tt)*) => { { hookspec::__private::refusal_impl! {
        $word
        "`next` is the rest of a chain around work, and `ASK` wraps none: leave it out, or listen at a point whose verdict is `Around<T>`"
        } hookspec::__private::absent() } }; (@ fail_open $word : tt) => {
        hookspec::__private::refusal_impl! { $word
        "`fail_open` is for gates: `ASK` decides nothing, so a failure denies nothing; leave it out"
        } }; (@ tools $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `ASK` has none, so leave `tools` out"
        } }; (@ paths $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`paths` is for points that are about files, which have `path: &Path` or a list `&[PathBuf]`: `ASK` has neither, so leave `paths` out"
        } }; ($($anything : tt)*) => { ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`"
        } }; } #[allow(unused_imports)] pub use hook_point_ASK as ASK;
    }
}
