use hookspec::hook_point;

mod one {
    use super::hook_point;
    hook_point! {
        /// The first.
        pub BAKE("bake") -> Messages {}
    }
}

mod two {
    use super::hook_point;
    hook_point! {
        /// The second.
        pub BAKE("bake.again") -> Messages {}
    }
}

fn main() {}
