/// Greets.
fn message(_content: &str) -> Option<Message> {
    None
}
#[gathered[HOOKS]]
static __message_at_FILE_POST_SAVE: &dyn Linked = {
    fn __call(
        __event: &FILE_POST_SAVE::Event<'_>,
        __session: &Session,
        __out: &mut FILE_POST_SAVE::Out,
    ) {
        <Option<
            Message,
        > as FILE_POST_SAVE::Return>::give(
            message(
                FILE_POST_SAVE! {
                    @ field content __event content { & str } [FILE_POST_SAVE]
                },
            ),
            __out,
        );
    }
    &Entry::<FILE_POST_SAVE::Point> {
        function: "message",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "Greets.",
        priority: { 5i32 },
        call: Call::<FILE_POST_SAVE::Point>::Sync(__call),
        more: None,
    }
};
