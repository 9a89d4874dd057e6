use hookspec::hook_point;

hook_point! {
    /// A verdict that is none.
    pub BAKE("bake") -> Mesages { degrees: u32 }
}

hook_point! {
    /// Fields that own what they hold.
    pub CUT("cut") -> Messages { name: String, path: std::path::PathBuf, parts: Vec<u8> }
}

hook_point! {
    /// No name on the wire.
    pub EAT -> Messages {}
}

hook_point! {
    /// No verdict.
    pub FRY("fry") { degrees: u32 }
}

hook_point! {
    /// A flag with a value.
    pub GRILL("grill", transient = true) -> Messages {}
}

hook_point! {
    /// An option by nearly its name.
    pub HEAT("heat", alias = "pre_heat") -> Messages {}
}

fn main() {}
