//! What a field's own type lacks. A macro sees no derives, and rustc tells each that is missing by itself, from within what the
//! macro wrote; so the file is read, and where it holds the type, one error names them all. In doubt rustc has the word.

use syn::{Attribute, Ident, Item, Type};

use crate::ungroup;

/// The type in `&T`, `&[T]`, `Option<&T>`, where it is one word; and whether it is lent.
pub(super) fn word(ty: &Type) -> Option<(&Ident, bool)> {
    match ungroup::first(ty) {
        Type::Reference(reference) => Some((word(&reference.elem)?.0, true)),
        Type::Slice(slice) => word(&slice.elem),
        Type::Path(path) => {
            if let Some(name) = path.path.get_ident() {
                return Some((name, false));
            }
            let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
            match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                    syn::GenericArgument::Type(inner) => word(inner),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// What to derive for the type of a field, where its file says that something is missing.
pub(super) fn missing(ty: &Type) -> Option<(&Ident, Vec<&'static str>)> {
    if !proc_macro::is_available() {
        return None;
    }
    let (name, lent) = word(ty)?;
    let source = std::fs::read_to_string(name.span().unwrap().local_file()?).ok()?;
    Some((name, missing_in(&source, &name.to_string(), lent)?))
}

fn missing_in(source: &str, name: &str, lent: bool) -> Option<Vec<&'static str>> {
    // Most files do not hold the type, and are not parsed.
    if ![format!("struct {name}"), format!("enum {name}")].iter().any(|text| source.contains(text)) {
        return None;
    }
    // Written out by hand somewhere, perhaps.
    if source.contains(&format!("for {name}")) {
        return None;
    }
    let file = syn::parse_file(source).ok()?;
    let mut found = file.items.iter().filter_map(|item| match item {
        Item::Struct(item) if item.ident == name => Some(&item.attrs),
        Item::Enum(item) if item.ident == name => Some(&item.attrs),
        _ => None,
    });
    let (attrs, None) = (found.next()?, found.next()) else { return None };
    let derived = derived(attrs)?;
    let has = |wanted: &str| derived.iter().any(|held| held == wanted);
    let mut missing: Vec<&str> =
        ["Clone", "Debug", "Serialize", "Deserialize"].into_iter().filter(|name| !has(name)).collect();
    if !lent && !has("Copy") {
        missing.insert(0, "Copy");
    }
    // Without the feature `schema` nobody needs the last, so alone it is no mistake that a macro could tell.
    if !missing.is_empty() && !has("JsonSchema") {
        missing.push("JsonSchema");
    }
    (!missing.is_empty()).then_some(missing)
}

/// The last words of all derives, unless another attribute may bring in more.
fn derived(attrs: &[Attribute]) -> Option<Vec<String>> {
    let mut derived = Vec::new();
    for attribute in attrs {
        if attribute.path().is_ident("derive") {
            let parse = syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
            let paths = attribute.parse_args_with(parse).ok()?;
            derived.extend(
                paths.iter().filter_map(|path| path.segments.last()).map(|last| last.ident.to_string()),
            );
        } else if !["doc", "serde", "schemars", "allow", "expect", "non_exhaustive", "repr", "must_use"]
            .iter()
            .any(|known| attribute.path().is_ident(known))
        {
            return None;
        }
    }
    Some(derived)
}

#[cfg(test)]
mod tests {
    use super::{missing_in, word};

    #[test]
    fn the_word_of_a_type_is_found_in_what_is_around_it() {
        for (text, expected) in [
            ("&Recipe", Some(("Recipe", true))),
            ("&[Recipe]", Some(("Recipe", true))),
            ("Option<&Recipe>", Some(("Recipe", true))),
            ("Recipe", Some(("Recipe", false))),
            ("a::Recipe", None),
            ("(u8, u8)", None),
        ] {
            let ty: syn::Type = syn::parse_str(text).expect("a type");
            let found = word(&ty).map(|(name, lent)| (name.to_string(), lent));
            assert_eq!(found, expected.map(|(name, lent)| (name.to_owned(), lent)), "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_listed_and_doubt_is_silence() {
        let all = ["Clone", "Debug", "Serialize", "Deserialize", "JsonSchema"].to_vec();
        assert_eq!(missing_in("struct A;", "A", true), Some(all));
        assert_eq!(
            missing_in(
                "#[derive(Clone, Debug, serde::Serialize, schemars::JsonSchema)]\nenum A {}",
                "A",
                true
            ),
            Some(vec!["Deserialize"])
        );
        assert_eq!(
            missing_in(
                "#[derive(\n    Clone,\n    Debug,\n    Serialize,\n    Deserialize,\n    JsonSchema,\n)]\nstruct A;",
                "A",
                false
            ),
            Some(vec!["Copy"])
        );
        for source in [
            "#[derive(Clone, Debug, Serialize, Deserialize)]\nstruct A;",
            "#[data]\nstruct A;",
            "#[cfg_attr(all(), derive(Clone))]\nstruct A;",
            "struct A;\nimpl Clone for A { fn clone(&self) -> A { A } }",
            "struct B;",
            "struct A;\nmod m {} struct A;",
            "mod inner { struct A; }",
            "struct A { not rust",
        ] {
            assert_eq!(missing_in(source, "A", true), None, "{source}");
        }
    }
}
