fn gate(tool_use: &ToolUse) -> Gate {
    Gate::Allow
}
#[gathered[HOOKS]]
static __gate_at_TOOL_PRE_EXECUTE: &dyn Linked = {
    use hookspec::points::TOOL_PRE_EXECUTE::__core;
    hookspec::points::TOOL_PRE_EXECUTE! {
        @ fail_open fail_open
    }
    #[doc(hidden)]
    #[allow(non_local_definitions)]
    #[macro_export]
    macro_rules! hook_named_guard_gate_at_TOOL_PRE_EXECUTE {
        () => {};
    }
    fn __call(
        __event: &hookspec::points::TOOL_PRE_EXECUTE::Event<'_>,
        __session: &Session,
        __out: &mut hookspec::points::TOOL_PRE_EXECUTE::Out,
    ) {
        <Gate as hookspec::points::TOOL_PRE_EXECUTE::Return>::give(
            gate(
                hookspec::points::TOOL_PRE_EXECUTE! {
                    @ field tool_use __event tool_use { & ToolUse }
                    [hookspec::points::TOOL_PRE_EXECUTE]
                },
            ),
            __out,
        );
    }
    &Entry::<hookspec::points::TOOL_PRE_EXECUTE::Point> {
        function: "gate",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: 0,
        call: Call::<hookspec::points::TOOL_PRE_EXECUTE::Point>::Sync(__call),
        more: Some(
            &More {
                name: ::core::option::Option::Some("guard.gate"),
                options: __core::Options {
                    fail_open: true,
                    ..__core::Options::DEFAULT
                },
                ..More::NONE
            },
        ),
    }
};
