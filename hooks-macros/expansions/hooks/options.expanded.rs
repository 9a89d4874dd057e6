fn options() {}
#[doc(hidden)]
#[allow(clippy::all, clippy::pedantic)]
const _: () = {
    use STEP_PRE as __point;
    use __point::__core as __core;
    type __P = __point::Point;
    type __V = <__P as __core::Point>::Verdict;
    #[gathered[__point::__SLICE]]
    static __ENTRY: __core::Entry<__P> = __core::Entry::new(
        __core::Origin {
            function: "options",
            name: ::core::option::Option::None,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: "",
        },
        __core::Options {
            priority: after(LATE) - 1,
            enabled: false,
            modes: &[__core::Mode::Cli, __core::Mode::NoConfirm],
            tool: ::core::option::Option::Some("shell"),
            once: true,
            confirmation: true,
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
                options();
            }
            __call
        }),
        ::core::option::Option::None,
        ::core::option::Option::None,
        ::core::option::Option::None,
    );
};
