//! The first word of `#[hook(…)]`: the hook point.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, Ident, LitStr, Path, Token};

use crate::core_points::CORE_POINTS;
use crate::imports;
use crate::names;
use crate::nearest;
use crate::options::Opts;

/// What stands in the brackets of `#[hook(…)]`.
pub(crate) struct Arguments {
    pub(crate) point: Path,
    pub(crate) options: Opts,
}

const EXAMPLE: &str = "`#[hook(FILE_POST_SAVE)]`";

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Err(Error::new(
                Span::call_site(),
                format!("`#[hook]` needs a hook point, as in {EXAMPLE}"),
            ));
        }
        if let Ok(text) = input.fork().parse::<LitStr>() {
            return Err(Error::new_spanned(&text, by_wire_name(&text.value())));
        }
        let start = input.fork().parse::<TokenTree>()?;
        let point: Path = input.parse().map_err(|_| {
            Error::new(start.span(), format!("a hook point's name comes first, as in {EXAMPLE}"))
        })?;
        if input.peek(Token![=]) {
            return Err(Error::new_spanned(
                point,
                "the hook point comes first, as in `#[hook(FILE_POST_SAVE, priority = 5)]`",
            ));
        }
        check(&point)?;
        if !input.is_empty() && !input.peek(Token![,]) {
            let next = input.fork().parse::<TokenTree>()?;
            let message = if matches!(&next, TokenTree::Ident(_)) {
                "expected `,` behind the hook point"
            } else {
                "behind the hook point stand `,` and options, as in `#[hook(FILE_POST_SAVE, priority = 5)]`"
            };
            return Err(Error::new(next.span(), message));
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        let mut options: Opts = input.parse()?;
        let second =
            options.take(|option| option.value.is_none() && names::is_point(&option.key.to_string()));
        if let Some(second) = second.first() {
            let name = &second.key;
            return Err(Error::new_spanned(
                name,
                format!(
                    "a hook listens at one point; write a second function for `{name}`, and let both call a third"
                ),
            ));
        }
        Ok(Self { point, options })
    }
}

/// Whether a path looks like a point's. Points are in capitals, so what is not is something else; and core's own are known.
fn check(point: &Path) -> syn::Result<()> {
    let names: Vec<String> = point.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let Some(last) = names.last() else { return Ok(()) };
    let whole = names.join("::");
    if !names::is_point(last) {
        let known: Vec<&str> = CORE_POINTS.iter().map(|(name, ..)| *name).collect();
        let inside = names.len() > 1 && names::is_point(&names[names.len() - 2]);
        let meant = if inside {
            format!("; write `{}`", names[..names.len() - 1].join("::"))
        } else if last == "points" {
            format!("; name one of it, as in `{whole}::FILE_POST_SAVE`")
        } else if let Some(name) = core_point(last).or_else(|| nearest::find(&names::as_point(last), &known))
        {
            format!("; did you mean `{name}`?")
        } else {
            format!(": a hook point's name is in capitals, as in {EXAMPLE}")
        };
        return Err(Error::new_spanned(point, format!("`{whole}` is not a hook point{meant}")));
    }
    if let [krate, name] = &*names
        && krate == "hookspec"
        && CORE_POINTS.iter().any(|(known, ..)| known == name)
    {
        return Err(Error::new_spanned(
            point,
            format!("core's hook points are in `points`: write `hookspec::points::{name}`"),
        ));
    }
    if let [krate, points, name] = &*names
        && krate == "hookspec"
        && points == "points"
        && !CORE_POINTS.iter().any(|(known, ..)| known == name)
    {
        let known: Vec<&str> = CORE_POINTS.iter().map(|(name, ..)| *name).collect();
        let near = nearest::nearest(name, &known);
        return Err(Error::new_spanned(
            &point.segments[2].ident,
            format!("`hookspec::points` has no `{name}`{near}\nit has {}", list(&known)),
        ));
    }
    Ok(())
}

/// A point of core's that nothing in the file can have imported.
pub(crate) fn check_import(point: &Path) -> syn::Result<()> {
    let known = |name: &Ident| CORE_POINTS.iter().any(|(known, ..)| name == known);
    if point.segments.len() == 2
        && point.leading_colon.is_none()
        && let [module, name] = [&point.segments[0].ident, &point.segments[1].ident]
        && module == "points"
        && known(name)
        && imports::cannot_be_here(module)
    {
        let message = "`points` is not in scope; write `use hookspec::points;` at the file's top";
        return Err(Error::new_spanned(module, message));
    }
    let Some(name) = point.get_ident() else { return Ok(()) };
    if known(name) && imports::cannot_be_here(name) {
        let message =
            format!("`{name}` is not in scope; write `use hookspec::points::{name};` at the file's top");
        return Err(Error::new_spanned(name, message));
    }
    Ok(())
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Core's point of that name: in code, on the wire, elsewhere.
fn core_point(name: &str) -> Option<&'static str> {
    let written = names::as_point(name);
    let found = CORE_POINTS
        .iter()
        .find(|(code, wire, aliases)| *code == written || *wire == name || aliases.contains(&name));
    found.map(|(code, ..)| *code)
}

/// What to write in place of a string.
fn by_wire_name(text: &str) -> String {
    match core_point(text) {
        Some(name) => format!(
            "a hook point is named by its constant, not by a string: write `{name}`, and at the file's top `use hookspec::points::{name};`"
        ),
        None => format!("a hook point is named by its constant, not by a string, as in {EXAMPLE}"),
    }
}

/// Names the point, for a hook that is not expanded: its import shall not count as unused.
pub(crate) fn import(options: &TokenStream) -> TokenStream {
    let point = (|input: ParseStream<'_>| {
        let point: Path = input.parse()?;
        input.parse::<TokenStream>().map(|_| point)
    })
    .parse2(options.clone());
    match point {
        Ok(point) if check(&point).is_ok() && check_import(&point).is_ok() => {
            quote!(#[allow(unused_imports)] use #point as _;)
        }
        _ => TokenStream::new(),
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;

    use super::Arguments;

    fn said(tokens: TokenStream) -> String {
        match syn::parse2::<Arguments>(tokens) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn points_of_any_crate_are_taken() {
        for tokens in
            [quote!(BAKE), quote!(dough::BAKE, once), quote!(crate::a::BAKE_2,), quote!(::x::BAKE, once,)]
        {
            assert_eq!(said(tokens.clone()), "", "{tokens}");
        }
    }

    #[test]
    fn what_was_meant_is_told() {
        for (tokens, part) in [
            (
                quote!("file.save.post"),
                "write `FILE_POST_SAVE`, and at the file's top `use hookspec::points::FILE_POST_SAVE;`",
            ),
            (quote!("user_prompt_submit"), "`MESSAGE_PRE_PROCESS`"),
            (quote!("bake"), "not by a string"),
            (quote!(FilePostSave), "did you mean `FILE_POST_SAVE`?"),
            (quote!(post_file_edit), "did you mean `FILE_POST_SAVE`?"),
            (quote!(file_post_sav), "did you mean `FILE_POST_SAVE`?"),
            (quote!(hookspec::points), "`hookspec::points::FILE_POST_SAVE`"),
            (quote!(FILE_POST_SAVE::Point), "write `FILE_POST_SAVE`"),
            (quote!(hookspec::points::FILE_POST_SAV), "did you mean `FILE_POST_SAVE`?"),
            (quote!(hookspec::FILE_POST_SAVE), "write `hookspec::points::FILE_POST_SAVE`"),
            (quote!(Linter), "in capitals"),
            (quote!(priority = 5), "comes first"),
            (quote!(5), "comes first"),
            (quote!(BAKE, TURN_PRE), "one point"),
            (quote!(BAKE once), "expected `,`"),
            (quote!(BAKE | TURN_PRE), "stand `,` and options"),
            (quote!(), "needs a hook point"),
        ] {
            let text = said(tokens.clone());
            assert!(text.contains(part), "{tokens}: {text}");
        }
    }
}
