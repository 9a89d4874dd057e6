//! `plugins!`: a macro of its own only for the sake of its error: a crate without `plugin!()` is underlined where
//! the user named it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Path, Token, bracketed};

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
            plugins: input.parse_terminated(Path::parse_mod_style, Token![,])?,
        })
    }
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
        // The inner scope has the crate's manifest, where it has one; the outer one says that it has none.
        quote_spanned! {span=> {
            #[allow(unused)]
            const #found: #core::CrateWithoutPlugin = #core::CrateWithoutPlugin;
            {
                #[allow(unused_imports)]
                use #plugin::*;
                <_ as #core::#of(&#found)
            }
        } }
    });
    let count = plugins.len();
    quote! { { let plugins: [&'static #core::Plugin; #count] = [#(#manifests),*]; plugins.into_iter() } }
}
