fn options() {}
#[gathered[HOOKS]]
static __options_at_STEP_PRE: &dyn Linked = {
    use STEP_PRE::__core;
    fn __call(
        __event: &STEP_PRE::Event<'_>,
        __session: &Session,
        __out: &mut STEP_PRE::Out,
    ) {
        options();
    }
    &Entry::<STEP_PRE::Point> {
        function: "options",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: { after(LATE) - 1 },
        call: Call::<STEP_PRE::Point>::Sync(__call),
        more: Some(
            &More {
                options: __core::Options {
                    enabled: false,
                    modes: &[__core::Mode::Cli, __core::Mode::NoConfirm],
                    tool: ::core::option::Option::Some("shell"),
                    once: true,
                    confirmation: true,
                    ..__core::Options::DEFAULT
                },
                ..More::NONE
            },
        ),
    }
};
