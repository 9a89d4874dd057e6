async fn asynchronous(path: &Path, event: &FilePostSave<'_>) -> Message {
    ask(path, event).await
}
#[doc(hidden)]
#[allow(clippy::all, clippy::pedantic)]
const _: () = {
    use FILE_POST_SAVE as __point;
    use __point::__core as __core;
    type __P = __point::Point;
    type __V = <__P as __core::Point>::Verdict;
    FILE_POST_SAVE! {
        @ async async
    }
    #[gathered[__point::__SLICE]]
    static __ENTRY: __core::Entry<__P> = __core::Entry::new(
        __core::Origin {
            function: "asynchronous",
            name: ::core::option::Option::None,
            module: module_path!(),
            package: env!("CARGO_PKG_NAME"),
            file: file!(),
            line: line!(),
            docs: "",
        },
        __core::Options {
            timeout: __core::Timeout::After(
                ::core::time::Duration::from_nanos(30000000000u64),
            ),
            ..__core::Options::DEFAULT
        },
        __core::Call::<
            __P,
        >::Async({
            fn __call<'a>(
                __event: <__P as __core::Point>::Event<'a>,
                __session: &'a __core::Session,
                __out: &'a mut __core::Outcome<__V>,
            ) -> ::core::option::Option<__core::BoxFuture<'a, ()>> {
                ::core::option::Option::Some(
                    ::std::boxed::Box::pin(
                        __core::__private::an_async_hook_must_be_send(async move {
                            let __event = &__event;
                            <Message as __point::Return>::give(
                                asynchronous(
                                        FILE_POST_SAVE! {
                                            @ field path * < & Path as __point::Parameter < _ >>
                                            ::bind(& __event.path)
                                        },
                                        *<&FilePostSave<
                                            '_,
                                        > as __point::Parameter<_>>::bind(&__event),
                                    )
                                    .await,
                                __out,
                            );
                        }),
                    ),
                )
            }
            __call
        }),
        ::core::option::Option::None,
        ::core::option::Option::None,
        ::core::option::Option::None,
    );
};
