async fn around(next: BAKE::Next<'_>, recipe: &Recipe) -> Around<Loaf> {
    Around(next.run().await)
}
#[gathered[HOOKS]]
static __around_at_BAKE: &dyn Linked = {
    use BAKE::__core;
    BAKE! {
        @ async async
    }
    fn __call<'a>(
        __event: BAKE::Event<'a>,
        __session: &'a Session,
        __next: BAKE::Next<'a>,
        __out: &'a mut BAKE::Out,
    ) -> Option<BoxFuture<'a, ()>> {
        ::core::option::Option::Some(
            ::std::boxed::Box::pin(
                __core::__private::an_async_hook_must_be_send(async move {
                    <Around<
                        Loaf,
                    > as BAKE::Return>::give(
                        around(
                                BAKE! {
                                    @ next next < BAKE::Next < '_ > as
                                    __core::__private::GivenNext < _ >> ::given(__next)
                                },
                                BAKE! {
                                    @ field recipe __event recipe { & Recipe } [BAKE]
                                },
                            )
                            .await,
                        __out,
                    );
                }),
            ),
        )
    }
    &Entry::<BAKE::Point> {
        function: "around",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: { 10i32 },
        call: Call::<BAKE::Point>::Around(AroundCall::Async(__call)),
        more: None,
    }
};
