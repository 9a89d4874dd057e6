fn memory(state: &mut Kept, settings: &Told, session: &Session) {}
#[doc(hidden)]
#[allow(clippy::all, clippy::pedantic)]
const _: () = {
    use TURN_PRE as __point;
    use __point::__core as __core;
    type __P = __point::Point;
    type __V = <__P as __core::Point>::Verdict;
    const __ORIGIN: __core::Origin = __core::Origin {
        function: "memory",
        name: ::core::option::Option::None,
        module: module_path!(),
        package: env!("CARGO_PKG_NAME"),
        file: file!(),
        line: line!(),
        docs: "",
    };
    #[gathered[__point::__SLICE]]
    static __ENTRY: __core::Entry<__P> = __core::Entry::new(
        __ORIGIN,
        __core::Options::DEFAULT,
        __core::Call::<
            __P,
        >::Sync({
            fn __call(
                __event: &<__P as __core::Point>::Event<'_>,
                __session: &__core::Session,
                __out: &mut __core::Outcome<__V>,
            ) {
                let ::core::option::Option::Some(mut __state) = __out
                    .state::<Kept>(__session, &__ORIGIN) else {
                    return ();
                };
                let __settings = __core::Session::settings_of::<
                    Told,
                >(__session, &__ORIGIN);
                memory(
                    &mut *__state,
                    &*__settings,
                    *<&Session as __point::Parameter<_>>::bind(&__session),
                );
            }
            __call
        }),
        ::core::option::Option::Some(__core::SettingsSpec::of::<Told>()),
        ::core::option::Option::Some(__core::StateSpec::of::<Kept>()),
        ::core::option::Option::None,
    );
};
