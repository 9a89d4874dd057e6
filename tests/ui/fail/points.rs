use hookspec::hook_point;

hook_point! {
    /// Reserved words are the dispatcher's.
    pub ASK("a") -> Messages { session: u32 }
    /// A fold needs its field.
    pub BAKE("b") -> Fold<String> { text: &str }
    /// A field is folded only by a fold.
    pub CUT("c") -> Messages { #[fold] text: &str }
    /// Names are in capitals.
    pub lower("d") -> Messages {}
    /// Options are known.
    pub EAT("e", transent) -> Messages {}
}

fn main() {}
