use hookspec::hook_point;

hook_point! {
    /// One field, twice.
    pub TWICE("twice") -> Messages { degrees: u32, degrees: u32 }
}

hook_point! {
    /// Verdicts that are not combined.
    pub MIXED("mixed") -> Messages + Gate { degrees: u32 }
}

hook_point! {
    /// The other way round.
    pub TURNED("turned") -> Fold<String> + Gate { #[fold] text: &str }
}

hook_point! {
    /// What nobody lends.
    pub LENT("lent") -> Messages { name: &'static str, text: &mut String, maybe: Option<&'static str> }
}

hook_point! {
    /// Folds into what nobody owns.
    pub FOLDED("folded") -> Fold<&str> { #[fold] text: &str }
}

fn main() {}
