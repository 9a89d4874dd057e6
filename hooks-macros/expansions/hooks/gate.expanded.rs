fn gate(tool_use: &ToolUse) -> Gate {
    Gate::Allow
}
#[doc(hidden)]
#[allow(clippy::all, clippy::pedantic)]
const _: () = {
    use hookspec::points::TOOL_PRE_EXECUTE as __point;
    use __point::__core as __core;
    type __P = __point::Point;
    type __V = <__P as __core::Point>::Verdict;
    hookspec::points::TOOL_PRE_EXECUTE! {
        @ fail_open fail_open
    }
    #[doc(hidden)]
    #[allow(non_local_definitions)]
    #[macro_export]
    macro_rules! hook_named_guard_gate_at_TOOL_PRE_EXECUTE {
        () => {};
    }
    #[gathered[__point::__SLICE]]
    static __ENTRY: __core::Entry<__P> = __core::Entry::new(
        __core::Origin {
            function: "gate",
            name: ::core::option::Option::Some("guard.gate"),
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: "",
        },
        __core::Options {
            fail_open: true,
            ..__core::Options::DEFAULT
        },
        __core::Call::<
            __P,
        >::Sync({
            fn __call(
                __event: &<__P as __core::Point>::Event<'_>,
                __session: &__core::Session,
                __out: &mut __core::Outcome<__V>,
            ) {
                <Gate as __point::Return>::give(
                    gate(
                        hookspec::points::TOOL_PRE_EXECUTE! {
                            @ field tool_use * < & ToolUse as __point::Parameter < _ >>
                            ::bind(& __event.tool_use)
                        },
                    ),
                    __out,
                );
            }
            __call
        }),
        ::core::option::Option::None,
        ::core::option::Option::None,
        ::core::option::Option::None,
    );
};
