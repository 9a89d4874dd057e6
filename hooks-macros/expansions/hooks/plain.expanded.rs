fn plain(path: &Path, created: bool) {}
#[gathered[HOOKS]]
static __plain_at_FILE_POST_SAVE: &dyn Linked = {
    fn __call(
        __event: &FILE_POST_SAVE::Event<'_>,
        __session: &Session,
        __out: &mut FILE_POST_SAVE::Out,
    ) {
        plain(
            FILE_POST_SAVE! {
                @ field path __event path { & Path } [FILE_POST_SAVE]
            },
            FILE_POST_SAVE! {
                @ field created __event created { bool } [FILE_POST_SAVE]
            },
        );
    }
    &Entry::<FILE_POST_SAVE::Point> {
        function: "plain",
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
