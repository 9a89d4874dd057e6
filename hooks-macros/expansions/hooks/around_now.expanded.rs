fn around_now(state: &mut Memory, next: BAKE::Next<'_>) -> Option<Around<Bread>> {
    state.answer(next)
}
#[gathered[HOOKS]]
static __around_now_at_BAKE: &dyn Linked = {
    use BAKE::__core;
    const __ORIGIN: __core::__private::Origin = __core::__private::Origin {
        function: "around_now",
        name: ::core::option::Option::None,
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
    };
    fn __call(
        __event: &BAKE::Event<'_>,
        __session: &Session,
        __next: BAKE::Next<'_>,
        __out: &mut BAKE::Out,
    ) {
        let ::core::option::Option::Some(mut __state) = __out
            .state::<Memory>(__session, &__ORIGIN) else {
            return ();
        };
        <Option<
            Around<Bread>,
        > as BAKE::Return>::give(
            around_now(
                &mut *__state,
                BAKE! {
                    @ next next < BAKE::Next < '_ > as __core::__private::GivenNext < _
                    >> ::given(__next)
                },
            ),
            __out,
        );
    }
    &Entry::<BAKE::Point> {
        function: "around_now",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: 0,
        call: Call::<BAKE::Point>::Around(AroundCall::Sync(__call)),
        more: Some(
            &More {
                state: ::core::option::Option::Some(
                    __core::__private::StateSpec::of::<Memory>(),
                ),
                ..More::NONE
            },
        ),
    }
};
