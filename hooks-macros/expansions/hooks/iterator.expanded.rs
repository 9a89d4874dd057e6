#[cfg(unix)]
fn iterator<'a>(
    path: &'a Path,
    content: &'a str,
) -> Each<impl Iterator<Item = Message>> {
    lines(path, content)
}
#[cfg(unix)]
#[gathered[HOOKS]]
static __iterator_at_FILE_POST_SAVE: &dyn Linked = {
    fn __call(
        __event: &FILE_POST_SAVE::Event<'_>,
        __session: &Session,
        __out: &mut FILE_POST_SAVE::Out,
    ) {
        <_ as FILE_POST_SAVE::Return>::give(
            iterator(
                FILE_POST_SAVE! {
                    @ field path __event path { & '_ Path } [FILE_POST_SAVE]
                },
                FILE_POST_SAVE! {
                    @ field content __event content { & '_ str } [FILE_POST_SAVE]
                },
            ),
            __out,
        );
    }
    &Entry::<FILE_POST_SAVE::Point> {
        function: "iterator",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: 0,
        call: Call::<FILE_POST_SAVE::Point>::Sync(__call),
        more: None,
    }
};
