async fn asynchronous(path: &Path, event: &FilePostSave<'_>) -> Message {
    ask(path, event).await
}
#[gathered[HOOKS]]
static __asynchronous_at_FILE_POST_SAVE: &dyn Linked = {
    use FILE_POST_SAVE::__core;
    FILE_POST_SAVE! {
        @ async async
    }
    fn __call<'a>(
        __event: FILE_POST_SAVE::Event<'a>,
        __session: &'a Session,
        __out: &'a mut FILE_POST_SAVE::Out,
    ) -> Option<BoxFuture<'a, ()>> {
        ::core::option::Option::Some(
            ::std::boxed::Box::pin(
                __core::__private::an_async_hook_must_be_send(async move {
                    let __event = &__event;
                    <Message as FILE_POST_SAVE::Return>::give(
                        asynchronous(
                                FILE_POST_SAVE! {
                                    @ field path __event path { & Path } [FILE_POST_SAVE]
                                },
                                FILE_POST_SAVE! {
                                    @ event __event { & FilePostSave < '_ > } [FILE_POST_SAVE]
                                },
                            )
                            .await,
                        __out,
                    );
                }),
            ),
        )
    }
    &Entry::<FILE_POST_SAVE::Point> {
        function: "asynchronous",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: 0,
        call: Call::<FILE_POST_SAVE::Point>::Async(__call),
        more: Some(
            &More {
                options: __core::Options {
                    timeout: __core::__private::Timeout::After(
                        ::core::time::Duration::from_nanos(30000000000u64),
                    ),
                    ..__core::Options::DEFAULT
                },
                ..More::NONE
            },
        ),
    }
};
