/// Before the host asks.
pub ASK("ask", local) -> Gate {
    /// What it asks about.
    thing: &MyThing,
    times: u32,
}
