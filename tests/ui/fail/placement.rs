use hookspec::{hook, hook_point, points::FILE_POST_SAVE, tool};

struct Linter;

impl Linter {
    #[hook(FILE_POST_SAVE)]
    fn associated(content: &str) {
        let _ = content;
    }

    /// Counts.
    #[tool]
    fn count() -> String {
        String::new()
    }

    hook_point! {
        /// Before the bread goes in.
        pub BAKE("placement.bake") -> Messages { degrees: u32 }
    }
}

trait Lints {
    #[hook(FILE_POST_SAVE)]
    fn required(content: &str);
}

fn main() {
    Linter::associated("");
    Linter::count();
}
