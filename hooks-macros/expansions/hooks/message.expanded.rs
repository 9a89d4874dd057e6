/// Greets.
fn message(_content: &str) -> Option<Message> {
    None
}
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
            function: "message",
            name: ::core::option::Option::None,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: "Greets.",
        },
        __core::Options {
            priority: 5i32,
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
                <Option<
                    Message,
                > as __point::Return>::give(
                    message(
                        FILE_POST_SAVE! {
                            @ field content * < & str as __point::Parameter < _ >>
                            ::bind(& __event.content)
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
