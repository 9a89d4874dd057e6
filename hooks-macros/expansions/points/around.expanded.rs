#[hookspec::__private::placed]
impl HookPoint {
    points! {
        #[doc = "The event of [`BAKE`]."] #[derive(Clone, Copy, Debug,
        BAKE::__core::__private::serde::Serialize)] #[serde(crate =
        "BAKE::__core::__private::serde")] pub struct Bake < 'a > { #[doc =
        " What is baked."] pub recipe : & 'a Recipe, #[doc = " °C."] pub degrees : u32,
        } hookspec::__owned_twin! { [{ BAKE::__core::__private::serde } {
        BAKE::__core::__private::schemars } "BAKE::__core::__private::serde"
        "BAKE::__core::__private::schemars"] #[doc =
        "The event of [`BAKE`] without borrows, for background hooks and the wire."] pub
        struct BakeOwned { #[doc = " What is baked."] pub recipe : < Recipe as
        ::std::borrow::ToOwned > ::Owned, #[doc = " °C."] pub degrees : u32, } } impl
        hookspec::__private::Point for BAKE::Point { type Event < 'e > = Bake < 'e >;
        type Verdict = (hookspec::__private::Around < Bread >, hookspec::__private::Fold
        < < Recipe as ::std::borrow::ToOwned > ::Owned >); const INFO : & 'static
        hookspec::__private::PointInfo = & hookspec::__private::PointInfo { name :
        "BAKE", wire : "bakery.bake", aliases : & [], docs : "The dough is in the oven.",
        verdict : "Around<Bread>", fields : & [hookspec::__private::FieldInfo { name :
        "recipe", ty : "&Recipe", docs : "What is baked." },
        hookspec::__private::FieldInfo { name : "degrees", ty : "u32", docs : "°C." }],
        transient : false, sync : false, local : false, filters : & [], package :
        env!("CARGO_PKG_NAME"), file : file!(), line : line!(), }; type Owned =
        BakeOwned; fn own(event : & Self::Event < '_ >) -> ::core::option::Option <
        Self::Owned > { let _ = event; ::core::option::Option::Some(BakeOwned { recipe :
        < Recipe as ::std::borrow::ToOwned > ::to_owned(event.recipe), degrees :
        ::core::clone::Clone::clone(& event.degrees), }) } fn lend(owned : & Self::Owned)
        -> Self::Event < '_ > { let _ = owned; Bake { recipe : ::std::borrow::Borrow:: <
        Recipe > ::borrow(& owned.recipe), degrees : ::core::clone::Clone::clone(& owned
        .degrees), } } fn with < 's, 'l : 's > (event : & Bake < 'l >, value :
        ::core::option::Option < & 's < Self::Verdict as hookspec::__private::Verdict >
        ::Fold >,) -> Bake < 's > { match value { ::core::option::Option::Some(value) =>
        Self::Event { recipe : value, .. * event }, ::core::option::Option::None => *
        event, } } fn subject < 's > (event : & 's Self::Event < '_ >) ->
        hookspec::__private::Subject < 's > { let _ = event;
        hookspec::__private::Subject::default() } } #[doc = " The dough is in the oven."]
        #[allow(non_snake_case)] pub mod BAKE { #[doc(hidden)] pub use hookspec as
        __core; #[doc(hidden)] pub type Event < 'e > = < Point as
        __core::__private::Point > ::Event < 'e >; #[doc(hidden)] pub type Out =
        __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >;
        #[doc = r" The hook point as a type."] #[derive(Clone, Copy, Debug)] pub struct
        Point; __core::__parameter! { pub BakeRecipeField
        "`recipe` is `&Recipe` at `BAKE`, and here it is taken as `{Self}`"
        "write `recipe: &Recipe`"
        "the fields of `BAKE` are `recipe: &Recipe`, `degrees: u32`" }
        __core::__parameter! { pub BakeDegreesField
        "`degrees` is `u32` at `BAKE`, and here it is taken as `{Self}`"
        "write `degrees: u32`"
        "the fields of `BAKE` are `recipe: &Recipe`, `degrees: u32`" }
        __core::__parameter! { pub BakeAsAWhole
        "the event of `BAKE` is `&Bake<'_>`, and here it is taken as `{Self}`"
        "write `event: &Bake<'_>`"
        "the fields of `BAKE` are `recipe: &Recipe`, `degrees: u32`" } #[doc(hidden)]
        #[diagnostic::on_unimplemented(message =
        "`{Self}` cannot be returned from a `BAKE` hook", label =
        "not what `BAKE` takes", note =
        "`BAKE` takes `()`, `Message`, `Flow`, `Around<Bread>`", note =
        "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note =
        "`Around(result)` stands in place of what the work gave; with `()` what `next` gave is handed on, and what was not run is run")]
        pub trait BakeReturn : ::core::marker::Sized { fn give(self, out : & mut
        __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >); }
        #[diagnostic::do_not_recommend] impl < R : __core::__private::IntoOutcome <<
        Point as __core::__private::Point > ::Verdict > > BakeReturn for R {
        #[inline(always)] fn give(self, out : & mut __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >) {
        __core::__private::IntoOutcome::into_outcome(self, out); } } #[doc(hidden)] pub
        use BakeReturn as Return; #[doc =
        r" The rest of the chain and the work behind it, as a hook gets it."] pub type
        Next < 'a > = __core::__private::Next < 'a, < Point as __core::__private::Point >
        ::Verdict >; const _ : () = { #[gathered[__core::__private::POINTS]] static
        __ENTRY : & 'static dyn __core::__private::AnyPoint = &
        __core::__private::PointOf:: < Point > ::around(); }; } #[doc =
        " The dough is in the oven."] pub const BAKE : BAKE::Point = BAKE::Point;
        #[doc(hidden)] #[allow(non_local_definitions)] #[macro_export] macro_rules!
        hook_point_BAKE { (@ hook $($hook : tt)*) => { hookspec::__hook! { $($hook)* } };
        (@ field recipe $event : ident $field : ident { & Recipe } [$($point : tt)*]) =>
        { $event . $field }; (@ field recipe $event : ident $field : ident { $($ty : tt)*
        } [$($point : tt)*]) => { * < $($ty)* as $($point)* ::BakeRecipeField < _ >>
        ::bind(& $event . $field) }; (@ field degrees $event : ident $field : ident { u32
        } [$($point : tt)*]) => { $event . $field }; (@ field degrees $event : ident
        $field : ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)*
        ::BakeDegreesField < _ >> ::bind(& $event . $field) }; (@ field $field : ident
        $($access : tt)*) => { { hookspec::__private::no_field_impl! { $field
        "BAKE"["recipe: &Recipe" "degrees: u32"] } hookspec::__private::absent() } }; (@
        event $event : ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as
        $($point)* ::BakeAsAWhole < _ >> ::bind(& $event) }; (@ session $session : ident
        { & Session } [$($point : tt)*]) => { $session }; (@ session $session : ident {
        $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as
        hookspec::__private::SessionParameter < _ >> ::bind(& $session) }; (@ changed
        recipe $word : tt) => { { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&Recipe`, and hand the changed one on with `next.with(changed)`"
        } hookspec::__private::absent() } }; (@ changed degrees $word : tt) => { {
        hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `u32`; of `BAKE` only `recipe` can be changed, with `next.with(changed)`"
        } hookspec::__private::absent() } }; (@ changed $field : ident $word : tt) => { {
        hookspec::__private::no_field_impl! { $field "BAKE"["recipe: &Recipe"
        "degrees: u32"] } hookspec::__private::absent() } }; (@ async $word : tt) => {};
        (@ blocking $word : tt) => { hookspec::__private::refusal_impl! { $word
        "a `blocking` hook cannot listen at `BAKE`: it runs on another thread than the work; make it an `async fn`, or a plain `fn`, and leave `blocking` out"
        } }; (@ background $word : tt) => { hookspec::__private::refusal_impl! { $word
        "a `background` hook cannot listen at `BAKE`: it runs beside the chain, where nothing is left to wrap; leave `background` out"
        } }; (@ next $word : tt $($access : tt)*) => { $($access)* }; (@ around $gives :
        ident $($access : tt)*) => { $($access)* }; (@ fail_open $word : tt) => {
        hookspec::__private::refusal_impl! { $word
        "`fail_open` is for gates: `BAKE` decides nothing, so a failure denies nothing; leave it out"
        } }; (@ tools $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `BAKE` has none, so leave `tools` out"
        } }; (@ paths $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`paths` is for points that are about files, which have `path: &Path` or a list `&[PathBuf]`: `BAKE` has neither, so leave `paths` out"
        } }; ($($anything : tt)*) => { ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`"
        } }; } #[allow(unused_imports)] pub use hook_point_BAKE as BAKE;
    }
}
