use hookspec::{hook, points::FILE_POST_SAVE};

struct Linter;

impl Linter {
    #[hook(FILE_POST_SAVE)]
    fn lint(&self, content: &str) {
        let _ = content;
    }
}

fn main() {
    Linter.lint("");
}
