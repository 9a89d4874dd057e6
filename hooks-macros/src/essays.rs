//! `essays_impl!`: the documentation at the top of each source file of the crate that is being compiled.
//!
//! `plugin!()` puts it into the plugin's manifest, so that `hookspec list --explain` can show what a module of
//! hooks says of itself. An attribute on a function cannot see its module's documentation; the files can be
//! read, though, and the compiler looks at them anyway, so that a change is never missed.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

/// `&[("module::path", "essay"), …]`, relative to the crate's root; empty where there are no files to read.
pub(crate) fn expand() -> TokenStream {
    let mut found = Vec::new();
    if let Some(root) = std::env::var_os("CARGO_MANIFEST_DIR") {
        collect(&Path::new(&root).join("src"), "", &mut found);
    }
    found.sort();
    let rows = found.iter().map(|(module, essay)| quote! { (#module, #essay) });
    quote! { &[#(#rows),*] }
}

fn collect(folder: &Path, module: &str, found: &mut Vec<(String, String)>) {
    // A folder that cannot be read has no essays; the compiler itself will say what is wrong with it.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let inner = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
        if path.is_dir() {
            collect(&path, &inner, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            let essay = essay(&text);
            if !essay.is_empty() {
                let own = matches!(name, "mod" | "lib" | "main");
                found.push((if own { module.to_owned() } else { inner }, essay));
            }
        }
    }
}

/// The `//!` lines that a file begins with.
fn essay(source: &str) -> String {
    let lines = source.lines().skip_while(|line| line.trim().is_empty() || line.starts_with("#!["));
    let lines: Vec<&str> = lines
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_the_lines_at_the_top_count() {
        let source = "\n//! One.\n//!\n//!   Two.\n\nuse x;\n//! no\n";
        assert_eq!(super::essay(source), "One.\n\n  Two.");
        assert_eq!(super::essay("use x;\n//! no\n"), "");
    }
}
