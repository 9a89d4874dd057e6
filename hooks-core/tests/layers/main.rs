//! The layers of the library: who may name whom, the page that tells it, and what the crate's root shows.
//!
//! An arrow is a name in code, in a `use` or as a path, of something that stands in another file; it is followed through
//! whatever hands it on to where that is declared. Counted are the files that are compiled without `cfg(test)`. Not counted are
//! comments, what a `macro_rules!` writes elsewhere, what `lib.rs` names, which is the face of all, and what a folder's `mod.rs`
//! hands on of its own files. A method that is called is no name: who calls it has the value, and so its type.
//!
//! `UPDATE_PAGES=1 cargo test -p hookspec --test layers` writes `docs/core.md` and its picture anew.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, unreachable_pub)]

mod graph;
mod layers;
mod names;
mod picture;
mod source;

use std::fs;
use std::path::PathBuf;

use graph::{Library, beside, circle};

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// All circles of a library, in words.
fn circles(library: &Library) -> Vec<String> {
    let (arrows, lost) = library.arrows();
    assert!(lost.is_empty(), "where these stand is not found:\n{}", lost.join("\n"));
    let of_folder = |folder: &Vec<String>| {
        circle(&beside(&arrows, folder)).map(|text| format!("in `{}`: {text}", folder.join("/")))
    };
    library.files.keys().filter_map(of_folder).collect()
}

#[test]
fn imports_go_one_way() {
    let circles = circles(&Library::read());
    assert!(circles.is_empty(), "files that name each other in a circle:\n{}", circles.join("\n"));
}

#[test]
fn layers_name_what_stands_below_them() {
    let library = Library::read();
    let wrong = layers::wrong(&library, &library.arrows().0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_page_and_its_picture_are_drawn_from_the_sources() {
    const MARK: &str =
        "<!-- From here on written by `UPDATE_PAGES=1 cargo test -p hookspec --test layers`. -->\n";
    let library = Library::read();
    let (page, picture) = (docs().join("core.md"), docs().join("pictures/core.svg"));
    let held = fs::read_to_string(&page).unwrap();
    let (by_hand, _) = held.split_once(MARK).expect("the page has its mark");
    let wanted = format!("{by_hand}{MARK}{}", picture::tables(&library));
    let drawn = picture::svg(&library, &library.arrows().0);
    if std::env::var_os("UPDATE_PAGES").is_some() {
        fs::write(&page, &wanted).unwrap();
        fs::write(&picture, &drawn).unwrap();
    }
    // Windows may have given the files its own ends of lines.
    let same =
        |path: &PathBuf, wanted: &str| fs::read_to_string(path).unwrap().replace("\r\n", "\n") == wanted;
    let told = "run `UPDATE_PAGES=1 cargo test -p hookspec --test layers`";
    assert!(same(&page, &wanted), "docs/core.md is not what the sources say; {told}");
    assert!(same(&picture, &drawn), "docs/pictures/core.svg is not what the sources say; {told}");
}

#[test]
fn the_root_shows_fewer_than_forty_names() {
    let shown = names::at_the_root();
    assert!(shown.len() < 40, "{} names: {}", shown.len(), shown.into_iter().collect::<Vec<_>>().join(", "));
}

#[test]
fn a_circle_is_told_in_words() {
    let library = Library::of(&[
        ("", "mod a; mod b; mod c;"),
        ("a", "use crate::b::B;\npub struct A;"),
        ("b", "pub struct B;\nfn f() { super::c::g(); }"),
        ("c", "pub fn g() {}\nuse super::a as other;\ntype T = other::A;"),
    ]);
    let told = circles(&library);
    assert_eq!(
        told,
        ["in ``: a → b → c → a\n  a uses b: a:1 `b::B`\n  b uses c: b:2 `c::g`\n  c uses a: c:2 `a`"]
    );
}

#[test]
fn a_circle_within_a_folder_and_one_of_its_face_are_seen() {
    let library = Library::of(&[
        ("", "mod a;"),
        ("a", "mod x; mod y;\npub(crate) use x::X;\nuse y::Y;\npub struct Own(Y);"),
        ("a::x", "pub struct X;\nuse super::y::Y;"),
        ("a::y", "pub struct Y(super::Own);"),
    ]);
    assert_eq!(
        circles(&library),
        ["in `a`: mod → y → mod\n  mod uses y: a:3 `a::y::Y`\n  y uses mod: a/y:1 `a::Own`"]
    );
    // What the face hands on is no arrow, and what is found through it stands where it is declared.
    let library = Library::of(&[
        ("", "mod a; mod b;"),
        ("a", "mod x; mod y;\npub(crate) use x::{X, inner::Deep as Renamed};\npub use y::*;"),
        ("a::x", "pub struct X;\npub mod inner { pub struct Deep; }"),
        ("a::y", "use super::Renamed;\npub enum Y {}"),
        ("b", "use crate::a::{self, Renamed, X, Y};\nfn f(_: a::Y) {}"),
    ]);
    assert_eq!(circles(&library), [""; 0]);
    let to: Vec<String> =
        library.arrows().0.iter().filter(|a| a.from == ["b"]).map(|a| a.to.join("/")).collect();
    assert_eq!(to, ["a", "a/x", "a/x", "a/y"]);
}

#[test]
fn tests_comments_strings_and_macros_make_no_arrow() {
    let quiet = r#"
        //! [`B`](crate::b::B), `use crate::b::B;`
        #[doc = "crate::b::B"]
        pub struct A;
        #[cfg(test)]
        mod tests { use crate::b::B; }
        #[cfg(test)]
        use crate::b::B;
        #[cfg(test)]
        fn help() -> crate::b::B { crate::b::B }
        macro_rules! made { () => { $crate::b::B; crate::b::B } }
        fn f() -> &'static str { "crate::b::B" }
        fn g<'a>(a: &'a A) -> impl Sized + use<'a> { a }
    "#;
    let library =
        Library::of(&[("", "mod a; mod b;"), ("a", quiet), ("b", "use crate::a::A;\npub struct B;")]);
    assert_eq!(circles(&library), [""; 0]);
    let loud = quiet.replace("#[cfg(test)]\n        use", "#[cfg(feature = \"json\")]\n        use");
    let library =
        Library::of(&[("", "mod a; mod b;"), ("a", &loud), ("b", "use crate::a::A;\npub struct B;")]);
    assert_eq!(circles(&library).len(), 1);
}

#[test]
fn an_arrow_upwards_and_a_module_without_a_place_are_told() {
    let library = Library::of(&[
        ("", "mod base; mod session; mod odd;"),
        ("base", "mod x;"),
        ("base::x", "fn f() { crate::session::g(); }"),
        ("session", "pub fn g() {}"),
        ("odd", ""),
    ]);
    let told = layers::wrong(&library, &library.arrows().0);
    assert_eq!(
        told,
        [
            "`odd` has no place among the layers",
            "`base` stands below `session` and names it: base/x:1 `session::g`"
        ]
    );
}
