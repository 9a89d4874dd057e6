fn blocking() -> Result<(), String> {
    Ok(())
}
#[gathered[HOOKS]]
static __blocking_at_FILE_POST_SAVE: &dyn Linked = {
    use FILE_POST_SAVE::__core;
    FILE_POST_SAVE! {
        @ blocking blocking
    }
    fn __call(
        __event: &FILE_POST_SAVE::Event<'_>,
        __session: &Session,
        __out: &mut FILE_POST_SAVE::Out,
    ) {
        <Result<(), String> as FILE_POST_SAVE::Return>::give(blocking(), __out);
    }
    &Entry::<FILE_POST_SAVE::Point> {
        function: "blocking",
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
                    placement: __core::__private::Placement::Blocking,
                    timeout: __core::__private::Timeout::After(
                        ::core::time::Duration::from_nanos(1000000000u64),
                    ),
                    ..__core::Options::DEFAULT
                },
                ..More::NONE
            },
        ),
    }
};
