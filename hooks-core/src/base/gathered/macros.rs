//! How a row comes into its list: `__gathered!([list] Type = value)`. A macro of ours, so that nothing of it is expanded, and
//! complained about, where the hook point itself is unknown.

/// A static in a section of its own. What linkme's attribute would write is asked of the macro that linkme makes of the list:
/// an attribute would be a second procedural macro for each hook, and two functions that only check the row's type.
#[cfg(not(any(miri, target_family = "wasm")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __gathered {
    ([$($list:tt)*] $type:ty = $value:expr) => {
        $crate::__gathered! { [$($list)*] __ENTRY: $type = $value }
    };
    ([$($list:tt)*] $name:ident: $type:ty = $value:expr) => {
        $($list)*! {
            #![linkme_macro = $($list)*]
            #[allow(clippy::all, clippy::pedantic)]
            static $name: $type = $value;
        }
    };
}

/// A static, and a function that runs before `main` and hangs it into its list.
#[cfg(all(target_family = "wasm", not(miri)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __gathered {
    ([$($list:tt)*] $type:ty = $value:expr) => {
        $crate::__gathered! { [$($list)*] __ENTRY: $type = $value }
    };
    ([$($list:tt)*] $name:ident: $type:ty = $value:expr) => {
        #[allow(clippy::all, clippy::pedantic)]
        static $name: $type = $value;
        const _: () = {
            static __NODE: $crate::__private::Node<$type> = $crate::__private::Node::new(&$name);
            extern "C" fn __add() {
                $($list)*.add(&__NODE);
            }
            #[used]
            #[unsafe(link_section = ".init_array")]
            static __BEFORE_MAIN: extern "C" fn() = __add;
        };
    };
}

/// A static that nobody gathers.
#[cfg(miri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __gathered {
    ([$($list:tt)*] $type:ty = $value:expr) => {
        $crate::__gathered! { [$($list)*] __ENTRY: $type = $value }
    };
    ([$($list:tt)*] $name:ident: $type:ty = $value:expr) => {
        #[allow(dead_code)]
        static $name: $type = $value;
    };
}

/// A hook's row: what a hook point's macro makes of the signature that `#[hook]` hands it.
///
/// `$event`, `$session`, `$next` and `$out` are the attribute's own words, of which its tokens in `$call` speak.
#[doc(hidden)]
#[macro_export]
macro_rules! __hook {
    (
        $name:ident [$($point:tt)*] $function:literal $docs:literal $priority:tt [$($more:tt)*]
        [$event:ident $session:ident $next:ident $out:ident] { $($beside:tt)* } sync { $($call:tt)* }
    ) => {
        $crate::__gathered! { [$crate::__private::HOOKS] $name: &dyn $crate::__private::Linked = {
            $($beside)*
            fn __call(
                $event: &$($point)*::Event<'_>,
                $session: &$crate::Session,
                $out: &mut $($point)*::Out,
            ) {
                $($call)*
            }
            $crate::__hook! {
                @row [$($point)*] $function $docs $priority [$($more)*]
                $crate::__private::Call::<$($point)*::Point>::Sync(__call)
            }
        } }
    };
    (
        $name:ident [$($point:tt)*] $function:literal $docs:literal $priority:tt [$($more:tt)*]
        [$event:ident $session:ident $next:ident $out:ident] { $($beside:tt)* } async { $($call:tt)* }
    ) => {
        $crate::__gathered! { [$crate::__private::HOOKS] $name: &dyn $crate::__private::Linked = {
            $($beside)*
            fn __call<'a>(
                $event: $($point)*::Event<'a>,
                $session: &'a $crate::Session,
                $out: &'a mut $($point)*::Out,
            ) -> ::core::option::Option<$crate::__private::BoxFuture<'a, ()>> {
                $($call)*
            }
            $crate::__hook! {
                @row [$($point)*] $function $docs $priority [$($more)*]
                $crate::__private::Call::<$($point)*::Point>::Async(__call)
            }
        } }
    };
    (
        $name:ident [$($point:tt)*] $function:literal $docs:literal $priority:tt [$($more:tt)*]
        [$event:ident $session:ident $next:ident $out:ident] { $($beside:tt)* } sync_around { $($call:tt)* }
    ) => {
        $crate::__gathered! { [$crate::__private::HOOKS] $name: &dyn $crate::__private::Linked = {
            $($beside)*
            fn __call(
                $event: &$($point)*::Event<'_>,
                $session: &$crate::Session,
                $next: $crate::__private::Next<'_, <$($point)*::Point as $crate::__private::Point>::Verdict>,
                $out: &mut $($point)*::Out,
            ) {
                $($call)*
            }
            $crate::__hook! {
                @row [$($point)*] $function $docs $priority [$($more)*]
                $crate::__private::Call::<$($point)*::Point>::Around($crate::__private::AroundCall::<$($point)*::Point>::Sync(__call))
            }
        } }
    };
    (
        $name:ident [$($point:tt)*] $function:literal $docs:literal $priority:tt [$($more:tt)*]
        [$event:ident $session:ident $next:ident $out:ident] { $($beside:tt)* } async_around { $($call:tt)* }
    ) => {
        $crate::__gathered! { [$crate::__private::HOOKS] $name: &dyn $crate::__private::Linked = {
            $($beside)*
            fn __call<'a>(
                $event: $($point)*::Event<'a>,
                $session: &'a $crate::Session,
                $next: $crate::__private::Next<'a, <$($point)*::Point as $crate::__private::Point>::Verdict>,
                $out: &'a mut $($point)*::Out,
            ) -> ::core::option::Option<$crate::__private::BoxFuture<'a, ()>> {
                $($call)*
            }
            $crate::__hook! {
                @row [$($point)*] $function $docs $priority [$($more)*]
                $crate::__private::Call::<$($point)*::Point>::Around($crate::__private::AroundCall::<$($point)*::Point>::Async(__call))
            }
        } }
    };
    (@row [$($point:tt)*] $function:literal $docs:literal $priority:tt [] $call:expr) => {
        &$crate::__private::Entry::<$($point)*::Point> {
            function: $function,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: $docs,
            priority: $priority,
            call: $call,
            more: ::core::option::Option::None,
        }
    };
    (@row [$($point:tt)*] $function:literal $docs:literal $priority:tt [$($more:tt)+] $call:expr) => {
        &$crate::__private::Entry::<$($point)*::Point> {
            function: $function,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: $docs,
            priority: $priority,
            call: $call,
            more: ::core::option::Option::Some(&$crate::__private::More {
                $($more)*
                ..$crate::__private::More::NONE
            }),
        }
    };
}

/// What a parameter is asked: whether the type that is written for it is the one that it has.
#[doc(hidden)]
#[macro_export]
macro_rules! __parameter {
    ($vis:vis $name:ident $message:tt $label:tt $note:tt) => {
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        $vis trait $name<T: ?::core::marker::Sized>: ::core::marker::Sized {
            fn bind(value: &T) -> &Self;
        }
        #[diagnostic::do_not_recommend]
        impl<T> $name<T> for T {
            #[inline(always)]
            fn bind(value: &T) -> &T {
                value
            }
        }
        // A second way, from a type that no value has: with one alone rustc would take it before it looked at the value.
        #[diagnostic::do_not_recommend]
        impl<T> $name<[$crate::__private::Nobody]> for T {
            fn bind(_: &[$crate::__private::Nobody]) -> &T {
                $crate::__private::absent()
            }
        }
    };
}
