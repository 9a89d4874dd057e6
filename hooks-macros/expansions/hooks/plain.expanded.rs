fn plain(path: &Path, created: bool) {}
#[doc(hidden)]
#[allow(clippy::all, clippy::pedantic)]
const _: () = {
    use FILE_POST_SAVE as __point;
    use __point::__core as __core;
    type __P = __point::Point;
    type __V = <__P as __core::Point>::Verdict;
    #[gathered[__point::__SLICE]]
    static __ENTRY: __core::Entry<__P> = __core::Entry::new(
        __core::Origin {
            function: "plain",
            name: ::core::option::Option::None,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: "",
        },
        __core::Options::DEFAULT,
        __core::Call::<
            __P,
        >::Sync({
            fn __call(
                __event: &<__P as __core::Point>::Event<'_>,
                __session: &__core::Session,
                __out: &mut __core::Outcome<__V>,
            ) {
                plain(
                    FILE_POST_SAVE! {
                        @ field path * < & Path as __point::Parameter < _ >> ::bind(&
                        __event.path)
                    },
                    FILE_POST_SAVE! {
                        @ field created * < bool as __point::Parameter < _ >> ::bind(&
                        __event.created)
                    },
                );
            }
            __call
        }),
        ::core::option::Option::None,
        ::core::option::Option::None,
        ::core::option::Option::None,
    );
};
