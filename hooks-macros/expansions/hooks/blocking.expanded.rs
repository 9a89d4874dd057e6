fn blocking() -> Result<(), String> {
    Ok(())
}
#[doc(hidden)]
#[allow(clippy::all, clippy::pedantic)]
const _: () = {
    use FILE_POST_SAVE as __point;
    use __point::__core as __core;
    type __P = __point::Point;
    type __V = <__P as __core::Point>::Verdict;
    FILE_POST_SAVE! {
        @ blocking blocking
    }
    #[gathered[__point::__SLICE]]
    static __ENTRY: __core::Entry<__P> = __core::Entry::new(
        __core::Origin {
            function: "blocking",
            name: ::core::option::Option::None,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: "",
        },
        __core::Options {
            placement: __core::Placement::Blocking,
            timeout: __core::Timeout::After(
                ::core::time::Duration::from_nanos(1000000000u64),
            ),
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
                <Result<(), String> as __point::Return>::give(blocking(), __out);
            }
            __call
        }),
        ::core::option::Option::None,
        ::core::option::Option::None,
        ::core::option::Option::None,
    );
};
