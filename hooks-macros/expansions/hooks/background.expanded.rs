fn background(content: &str) -> Result<Option<Message>, std::io::Error> {
    Ok(None)
}
#[gathered[HOOKS]]
static __background_at_FILE_POST_SAVE: &dyn Linked = {
    use FILE_POST_SAVE::__core;
    FILE_POST_SAVE! {
        @ background background
    }
    fn __call(
        __event: &FILE_POST_SAVE::Event<'_>,
        __session: &Session,
        __out: &mut FILE_POST_SAVE::Out,
    ) {
        <Result<
            Option<Message>,
            std::io::Error,
        > as __core::__private::BackgroundReturn>::observe(
            background(
                FILE_POST_SAVE! {
                    @ field content __event content { & str } [FILE_POST_SAVE]
                },
            ),
            __out,
        );
    }
    &Entry::<FILE_POST_SAVE::Point> {
        function: "background",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: 0,
        call: Call::<FILE_POST_SAVE::Point>::Sync(__call),
        more: Some(
            &More {
                options: __core::Options {
                    placement: __core::__private::Placement::Background,
                    budget: ::core::option::Option::Some(
                        ::core::time::Duration::from_nanos(250000000u64),
                    ),
                    quarantine: ::core::option::Option::Some(3u32),
                    ..__core::Options::DEFAULT
                },
                on_error: {
                    const __ON_ERROR: fn(
                        &__core::__private::Failure,
                        &__core::Session,
                    ) = failed;
                    ::core::option::Option::Some(__ON_ERROR)
                },
                ..More::NONE
            },
        ),
    }
};
