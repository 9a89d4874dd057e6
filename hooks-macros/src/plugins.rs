//! `plugins!`: a macro of its own only for the sake of its error: a crate without `plugin!()` is underlined where
//! the user named it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, LitStr, Path, Token, bracketed};

struct Plugins {
    core: Path,
    plugins: Punctuated<Path, Token![,]>,
}

impl Parse for Plugins {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        bracketed!(content in input);
        Ok(Self {
            core: content.call(Path::parse_mod_style)?,
            plugins: input.parse_terminated(plugin, Token![,])?,
        })
    }
}

/// One crate's path, as Rust writes it and not as Cargo.toml does.
fn plugin(input: ParseStream<'_>) -> syn::Result<Path> {
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let name = text.value().replace('-', "_");
        return Err(Error::new(text.span(), format!("a crate is named without quotes: write `{name}`")));
    }
    let start = input.fork();
    let path = input.call(Path::parse_mod_style)?;
    let mut name = quote!(#path).to_string().replace(' ', "");
    let mut parts = 1;
    while input.peek(Token![-]) {
        input.parse::<Token![-]>()?;
        name = format!("{name}_{}", input.call(Ident::parse_any)?);
        parts += 1;
    }
    if parts > 1 {
        let written: TokenStream = start.parse::<TokenStream>()?.into_iter().take(2 * parts - 1).collect();
        return Err(Error::new_spanned(written, format!("a crate's name in Rust has `_`: write `{name}`")));
    }
    if !input.is_empty() && !input.peek(Token![,]) {
        return Err(input.error("here stand crates' names, as in `plugins![lints, my_hooks]`"));
    }
    Ok(path)
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let Plugins { core, plugins } = match syn::parse2(input) {
        Ok(plugins) => plugins,
        Err(error) => return error.to_compile_error(),
    };
    let manifests = plugins.iter().map(|plugin| {
        let span = plugin.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
        let (found, of) =
            (Ident::new("HOOKSPEC_PLUGIN", span), quote_spanned!(span=> PluginCrate>::manifest));
        // Of a path that leads nowhere rustc tells, once: the name that could not be imported stands for the manifest too.
        let last = plugin.segments.last().map(|last| last.ident.to_string());
        let named = (!matches!(last.as_deref(), Some("self" | "super")))
            .then(|| quote_spanned!(span=> #[allow(unused_imports)] use #plugin as #found;));
        let all = if named.is_some() { quote!(#found) } else { quote!(#plugin) };
        // The inner scope has the crate's manifest, where it has one; the outer one says that it has none.
        quote_spanned! {span=> {
            #[allow(unused)]
            const #found: #core::__private::CrateWithoutPlugin = #core::__private::CrateWithoutPlugin;
            {
                #named
                #[allow(unused_imports)]
                use #all::*;
                <_ as #core::__private::#of(&#found)
            }
        } }
    });
    let count = plugins.len();
    quote! { { let plugins: [&'static #core::__private::Plugin; #count] = [#(#manifests),*]; plugins.into_iter() } }
}
