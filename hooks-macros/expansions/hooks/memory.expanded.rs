fn memory(state: &mut Kept, settings: &Told, session: &Session) {}
#[gathered[HOOKS]]
static __memory_at_TURN_PRE: &dyn Linked = {
    use TURN_PRE::__core;
    const __ORIGIN: __core::__private::Origin = __core::__private::Origin {
        function: "memory",
        name: ::core::option::Option::None,
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
    };
    fn __call(
        __event: &TURN_PRE::Event<'_>,
        __session: &Session,
        __out: &mut TURN_PRE::Out,
    ) {
        let ::core::option::Option::Some(mut __state) = __out
            .state::<Kept>(__session, &__ORIGIN) else {
            return ();
        };
        let __settings = __core::Session::settings_of::<Told>(__session, &__ORIGIN);
        memory(
            &mut *__state,
            &*__settings,
            TURN_PRE! {
                @ session __session { & Session } [TURN_PRE]
            },
        );
    }
    &Entry::<TURN_PRE::Point> {
        function: "memory",
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
        priority: 0,
        call: Call::<TURN_PRE::Point>::Sync(__call),
        more: Some(
            &More {
                state: ::core::option::Option::Some(
                    __core::__private::StateSpec::of::<Kept>(),
                ),
                settings: __core::__settings!(Told),
                ..More::NONE
            },
        ),
    }
};
