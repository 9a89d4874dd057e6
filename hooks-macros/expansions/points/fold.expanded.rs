#[hookspec::__private::placed]
impl HookPoint {
    points! {
        #[doc = "The event of [`KNEAD`]."] #[derive(Clone, Copy, Debug,
        KNEAD::__core::__private::serde::Serialize)] #[serde(crate =
        "KNEAD::__core::__private::serde")] pub struct Knead < 'a > { #[doc =
        " The recipe."] pub recipe : & 'a Recipe, #[doc = " Earlier ones."] pub before :
        & 'a[Recipe], } hookspec::__owned_twin! { [{ KNEAD::__core::__private::serde } {
        KNEAD::__core::__private::schemars } "KNEAD::__core::__private::serde"
        "KNEAD::__core::__private::schemars"] #[doc =
        "The event of [`KNEAD`] without borrows, for background hooks and the wire."] pub
        struct KneadOwned { #[doc = " The recipe."] pub recipe : < Recipe as
        ::std::borrow::ToOwned > ::Owned, #[doc = " Earlier ones."] pub before :
        ::std::vec::Vec < Recipe >, } } impl hookspec::__private::Point for KNEAD::Point
        { type Event < 'e > = Knead < 'e >; type Verdict = (hookspec::__private::Gate,
        hookspec::__private::Fold < Recipe >); const INFO : & 'static
        hookspec::__private::PointInfo = & hookspec::__private::PointInfo { name :
        "KNEAD", wire : "bakery.knead", aliases : & [], docs :
        "May be refused, and changed.", verdict : "Gate + Fold<Recipe>", fields : &
        [hookspec::__private::FieldInfo { name : "recipe", ty : "&Recipe", docs :
        "The recipe." }, hookspec::__private::FieldInfo { name : "before", ty :
        "&[Recipe]", docs : "Earlier ones." }], transient : true, sync : false, local :
        false, filters : & [], package : env!("CARGO_PKG_NAME"), file : file!(), line :
        line!(), }; type Owned = KneadOwned; fn own(event : & Self::Event < '_ >) ->
        ::core::option::Option < Self::Owned > { let _ = event;
        ::core::option::Option::Some(KneadOwned { recipe : < Recipe as
        ::std::borrow::ToOwned > ::to_owned(event.recipe), before : < [Recipe] as
        ::std::borrow::ToOwned > ::to_owned(event.before), }) } fn lend(owned : &
        Self::Owned) -> Self::Event < '_ > { let _ = owned; Knead { recipe :
        ::std::borrow::Borrow:: < Recipe > ::borrow(& owned.recipe), before :
        ::std::borrow::Borrow:: < [Recipe] > ::borrow(& owned.before), } } fn with < 's,
        'l : 's > (event : & Knead < 'l >, value : ::core::option::Option < & 's <
        Self::Verdict as hookspec::__private::Verdict > ::Fold >,) -> Knead < 's > {
        match value { ::core::option::Option::Some(value) => Self::Event { recipe :
        value, .. * event }, ::core::option::Option::None => * event, } } fn subject < 's
        > (event : & 's Self::Event < '_ >) -> hookspec::__private::Subject < 's > { let
        _ = event; hookspec::__private::Subject::default() } } #[doc =
        " May be refused, and changed."] #[allow(non_snake_case)] pub mod KNEAD {
        #[doc(hidden)] pub use hookspec as __core; #[doc(hidden)] pub type Event < 'e > =
        < Point as __core::__private::Point > ::Event < 'e >; #[doc(hidden)] pub type Out
        = __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >;
        #[doc = r" The hook point as a type."] #[derive(Clone, Copy, Debug)] pub struct
        Point; __core::__parameter! { pub KneadRecipeField
        "`recipe` is `&Recipe` at `KNEAD`, and here it is taken as `{Self}`"
        "write `recipe: &Recipe`"
        "the fields of `KNEAD` are `recipe: &Recipe`, `before: &[Recipe]`" }
        __core::__parameter! { pub KneadBeforeField
        "`before` is `&[Recipe]` at `KNEAD`, and here it is taken as `{Self}`"
        "write `before: &[Recipe]`"
        "the fields of `KNEAD` are `recipe: &Recipe`, `before: &[Recipe]`" }
        __core::__parameter! { pub KneadAsAWhole
        "the event of `KNEAD` is `&Knead<'_>`, and here it is taken as `{Self}`"
        "write `event: &Knead<'_>`"
        "the fields of `KNEAD` are `recipe: &Recipe`, `before: &[Recipe]`" }
        #[doc(hidden)] #[diagnostic::on_unimplemented(message =
        "`{Self}` cannot be returned from a `KNEAD` hook", label =
        "not what `KNEAD` takes", note =
        "`KNEAD` takes `()`, `Message`, `Flow`, `Gate`, `Fold<Recipe>`", note =
        "of these also `Option<_>`, `Vec<_>`, pairs, `Each(iterator)`, and `Result<_, E>` where `E` is a text or an error: `String`, `Box<dyn Error + Send + Sync>`, or what implements `Error + Send + Sync`",
        note =
        "`Gate::deny(\"why\")` refuses, `Gate::Allow` or `()` does not; a text for the model is `Message::system(text)`")]
        pub trait KneadReturn : ::core::marker::Sized { fn give(self, out : & mut
        __core::__private::Outcome << Point as __core::__private::Point > ::Verdict >); }
        #[diagnostic::do_not_recommend] impl < R : __core::__private::IntoOutcome <<
        Point as __core::__private::Point > ::Verdict > > KneadReturn for R {
        #[inline(always)] fn give(self, out : & mut __core::__private::Outcome << Point
        as __core::__private::Point > ::Verdict >) {
        __core::__private::IntoOutcome::into_outcome(self, out); } } #[doc(hidden)] pub
        use KneadReturn as Return; const _ : () = {
        #[gathered[__core::__private::POINTS]] static __ENTRY : & 'static dyn
        __core::__private::AnyPoint = & __core::__private::PointOf:: < Point > ::new();
        }; } #[doc = " May be refused, and changed."] pub const KNEAD : KNEAD::Point =
        KNEAD::Point; #[doc(hidden)] #[allow(non_local_definitions)] #[macro_export]
        macro_rules! hook_point_KNEAD { (@ hook $($hook : tt)*) => { hookspec::__hook! {
        $($hook)* } }; (@ field recipe $event : ident $field : ident { & Recipe }
        [$($point : tt)*]) => { $event . $field }; (@ field recipe $event : ident $field
        : ident { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)*
        ::KneadRecipeField < _ >> ::bind(& $event . $field) }; (@ field before $event :
        ident $field : ident { & [Recipe] } [$($point : tt)*]) => { $event . $field }; (@
        field before $event : ident $field : ident { $($ty : tt)* } [$($point : tt)*]) =>
        { * < $($ty)* as $($point)* ::KneadBeforeField < _ >> ::bind(& $event . $field)
        }; (@ field $field : ident $($access : tt)*) => { {
        hookspec::__private::no_field_impl! { $field "KNEAD"["recipe: &Recipe"
        "before: &[Recipe]"] } hookspec::__private::absent() } }; (@ event $event : ident
        { $($ty : tt)* } [$($point : tt)*]) => { * < $($ty)* as $($point)*
        ::KneadAsAWhole < _ >> ::bind(& $event) }; (@ session $session : ident { &
        Session } [$($point : tt)*]) => { $session }; (@ session $session : ident { $($ty
        : tt)* } [$($point : tt)*]) => { * < $($ty)* as
        hookspec::__private::SessionParameter < _ >> ::bind(& $session) }; (@ changed
        recipe $word : tt) => { { hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&Recipe` and return `Fold(changed)`" }
        hookspec::__private::absent() } }; (@ changed before $word : tt) => { {
        hookspec::__private::refusal_impl! { $word
        "an event is lent, not changed: take `&[Recipe]`; of `KNEAD` only `recipe` can be changed, with `Fold`"
        } hookspec::__private::absent() } }; (@ changed $field : ident $word : tt) => { {
        hookspec::__private::no_field_impl! { $field "KNEAD"["recipe: &Recipe"
        "before: &[Recipe]"] } hookspec::__private::absent() } }; (@ async $word : tt) =>
        {}; (@ blocking $word : tt) => {}; (@ background $word : tt) => {}; (@ around
        future $($access : tt)*) => { { ::core::compile_error! {
        "`KNEAD` wraps no work: fire it, with `fire!(session, KNEAD { … }).await` or `fire_now!`"
        } ::core::future::pending:: < hookspec::__private::Wrapped < () >> () } }; (@
        around value $($access : tt)*) => { { ::core::compile_error! {
        "`KNEAD` wraps no work: fire it, with `fire!(session, KNEAD { … }).await` or `fire_now!`"
        } hookspec::__private::absent:: < hookspec::__private::Wrapped < () >> () } }; (@
        next $word : tt $($access : tt)*) => { { hookspec::__private::refusal_impl! {
        $word
        "`next` is the rest of a chain around work, and `KNEAD` wraps none: leave it out, or listen at a point whose verdict is `Around<T>`"
        } hookspec::__private::absent() } }; (@ fail_open $word : tt) => {}; (@ tools
        $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`tools` is for points that are about a call of a tool, which have `tool_use: &ToolUse`: `KNEAD` has none, so leave `tools` out"
        } }; (@ paths $word : tt) => { hookspec::__private::refusal_impl! { $word
        "`paths` is for points that are about files, which have `path: &Path` or a list `&[PathBuf]`: `KNEAD` has neither, so leave `paths` out"
        } }; ($($anything : tt)*) => { ::core::compile_error! {
        "a hook point is no macro: name it in `#[hook(…)]`, or fire it with `hookspec::fire!` or `hookspec::around!`"
        } }; } #[allow(unused_imports)] pub use hook_point_KNEAD as KNEAD;
    }
}
