#[hook(TURN_PRE)]
fn memory(state: &mut Kept, settings: &Told, session: &Session) {}
