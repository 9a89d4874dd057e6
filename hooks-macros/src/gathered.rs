//! The names of core's lists, which the linker sees.
//!
//! linkme puts what is gathered under a name into one section of the program, whoever gathers it. Two crates that both call a
//! list `TOOLS`, or two versions of core in one program, would find each other's rows there.

use std::path::Path;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, Token, Type};

struct List {
    attrs: Vec<Attribute>,
    name: Ident,
    ty: Type,
}

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attrs, name) = (input.call(Attribute::parse_outer)?, input.parse()?);
        input.parse::<Token![:]>()?;
        Ok(Self { attrs, name, ty: input.parse()? })
    }
}

/// `NAME: Type`: a list under a name that only this copy of core has, and `NAME` for it.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let List { attrs, name, ty } = match syn::parse2(input) {
        Ok(list) => list,
        Err(error) => return error.to_compile_error(),
    };
    let variable = |name| std::env::var(name).unwrap_or_default();
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| home + "/.cargo"));
    let from = source(&variable("CARGO_MANIFEST_DIR"), &home.unwrap_or_default());
    let called = called(&name.to_string(), &variable("CARGO_PKG_VERSION"), &from);
    let called = Ident::new(&called, Span::call_site());
    quote! {
        #(#attrs)*
        #[allow(unsafe_code)] // the attribute places the list in a section of its own: core's one reasoned place
        #[linkme::distributed_slice]
        pub static #called: [#ty];
        pub use #called as #name;
    }
}

/// `HOOKSPEC_HOOKS_0_1_0_4f1c0d2e`.
fn called(list: &str, version: &str, source: &str) -> String {
    let version: String = version.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // FNV-1a: a name must be the same each time, which the standard library's hashes do not promise.
    let hash =
        source.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("HOOKSPEC_{list}_{version}_{hash:08x}")
}

/// Where the sources of a crate come from, in words that are the same on every machine: its place below cargo's folder where
/// cargo fetched it, else its last two folders.
fn source(folder: &str, cargo_home: &str) -> String {
    let folder = Path::new(folder);
    let fetched = if cargo_home.is_empty() { None } else { folder.strip_prefix(cargo_home).ok() };
    let parts: Vec<_> = fetched.unwrap_or(folder).iter().map(|part| part.to_string_lossy()).collect();
    let from = if fetched.is_some() { 0 } else { parts.len().saturating_sub(2) };
    parts[from..].join("/")
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::{called, source};

    #[test]
    fn every_copy_of_core_has_names_of_its_own() {
        let registry = source("/home/a/.cargo/registry/src/index-1/hookspec-0.1.0", "/home/a/.cargo");
        assert_eq!(registry, source("/home/b/.cargo/registry/src/index-1/hookspec-0.1.0", "/home/b/.cargo"));
        let git = source("/home/a/.cargo/git/checkouts/hookspec-5/abc/hooks-core", "/home/a/.cargo");
        let here = source("/srv/hookspec/hooks-core", "/home/a/.cargo");
        assert_eq!(here, source("/tmp/x/hookspec/hooks-core", ""));
        let names = [
            called("HOOKS", "0.1.0", &registry),
            called("HOOKS", "0.2.0", &registry),
            called("HOOKS", "0.1.0", &git),
            called("HOOKS", "0.1.0", &here),
            called("TOOLS", "0.1.0", &registry),
        ];
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name}");
            assert!(syn::parse_str::<syn::Ident>(name).is_ok(), "{name}");
        }
        assert!(names[0].starts_with("HOOKSPEC_HOOKS_0_1_0_"), "{}", names[0]);
        assert!(called("HOOKS", "1.0.0-rc.1+b", "").starts_with("HOOKSPEC_HOOKS_1_0_0_rc_1_b_"));
    }

    #[test]
    fn a_list_is_known_by_its_short_name() {
        let out = super::expand(quote!(HOOKS: &'static dyn Linked)).to_string();
        assert!(out.contains("as HOOKS ;"), "{out}");
        assert!(super::expand(quote!(HOOKS)).to_string().contains("compile_error"));
    }
}
