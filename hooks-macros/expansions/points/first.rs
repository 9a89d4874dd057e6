/// The first answer counts.
pub ASK("bakery.ask") -> First<Answer> {
    /// Who is asked.
    baker: Option<&str>,
}
