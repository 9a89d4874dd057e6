//! `key = value` and flag lists, with the rules that every list shares: known keys, each at most once,
//! the right kind of value.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, ExprArray, ExprLit, ExprUnary, Ident, Lit, LitStr, Path, Token, UnOp};

use crate::durations;
use crate::errors::Errors;
use crate::nearest::nearest;
use crate::ungroup;

/// One option.
pub(crate) struct Opt {
    pub(crate) key: Ident,
    pub(crate) value: Option<Expr>,
}

impl Opt {
    fn read(input: ParseStream<'_>, examples: &str) -> syn::Result<Self> {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(format!("expected an option, as in {examples}")));
        }
        let key = Ident::parse_any(input)?;
        if input.peek(Token![:]) || input.peek(syn::token::Paren) {
            return Err(input.error(format!("a value stands behind `=`, as in `{key} = …`")));
        }
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            if input.is_empty() || input.peek(Token![,]) {
                return Err(syn::Error::new(key.span(), format!("`{key} =` needs a value")));
            }
            Some(input.parse()?)
        } else {
            None
        };
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input.error("expected `,` between two options"));
        }
        Ok(Self { key, value })
    }
}

/// How long something may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Never,
    /// Nanoseconds.
    After(u64),
}

/// A list of options.
pub(crate) struct Opts(Vec<Opt>);

impl Parse for Opts {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Self::read(input, "`priority = 5` or `once`")
    }
}

impl Opts {
    /// A list of options; `examples` shows two of them to who writes none.
    pub(crate) fn read(input: ParseStream<'_>, examples: &str) -> syn::Result<Self> {
        let mut list = Vec::new();
        while !input.is_empty() {
            list.push(Opt::read(input, examples)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Self(list))
    }

    /// Complains about unknown and repeated keys.
    pub(crate) fn check(&self, of: &str, known: &[&str], errors: &mut Errors) {
        let mut seen: Vec<String> = Vec::new();
        for option in &self.0 {
            let key = option.key.to_string();
            if !known.contains(&key.as_str()) {
                let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
                let nearest = nearest(&key, known);
                errors.at(
                    &option.key,
                    format!("unknown option `{key}` for {of}{nearest}\nthe options are {}", list.join(", ")),
                );
            } else if seen.contains(&key) {
                errors.at(&option.key, format!("the option `{key}` is given twice; keep one"));
            }
            seen.push(key);
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Opt> {
        self.0.iter().find(|option| option.key == key)
    }

    /// Takes out what `wanted` holds for.
    pub(crate) fn take(&mut self, wanted: impl Fn(&Opt) -> bool) -> Vec<Opt> {
        let (taken, kept) = std::mem::take(&mut self.0).into_iter().partition(wanted);
        self.0 = kept;
        taken
    }

    /// A flag: no value.
    pub(crate) fn flag(&self, key: &str, errors: &mut Errors) -> Option<Span> {
        let option = self.get(key)?;
        if let Some(value) = &option.value {
            errors.at(value, format!("`{key}` takes no value; write `{key}` alone"));
        }
        Some(option.key.span())
    }

    fn value(&self, key: &str, wanted: &str, errors: &mut Errors) -> Option<&Expr> {
        let option = self.get(key)?;
        if option.value.is_none() {
            errors.at(&option.key, format!("`{key}` needs a value: {wanted}"));
        }
        option.value.as_ref().map(ungroup::expr)
    }

    pub(crate) fn text(&self, key: &str, errors: &mut Errors) -> Option<LitStr> {
        self.text_of(key, &format!("a string, as in `{key} = \"…\"`"), errors)
    }

    fn text_of(&self, key: &str, wanted: &str, errors: &mut Errors) -> Option<LitStr> {
        match self.value(key, wanted, errors)? {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
            other => {
                errors.at(other, format!("`{key}` takes {wanted}"));
                None
            }
        }
    }

    pub(crate) fn bool(&self, key: &str, errors: &mut Errors) -> Option<bool> {
        let wanted = "`true` or `false`";
        match self.value(key, wanted, errors)? {
            Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value),
            other => {
                errors.at(other, format!("`{key}` takes {wanted}"));
                None
            }
        }
    }

    pub(crate) fn integer(&self, key: &str, errors: &mut Errors) -> Option<i32> {
        let wanted = format!("a whole number, as in `{key} = 5`");
        let expr = self.value(key, &wanted, errors)?;
        let (negative, literal) = match expr {
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => (true, ungroup::expr(expr)),
            other => (false, other),
        };
        if let Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) = literal {
            let value = number.base10_parse::<i64>().map(|value| if negative { -value } else { value });
            return match value.map(i32::try_from) {
                Ok(Ok(value)) => Some(value),
                _ => {
                    let range = format!("between {} and {}", i32::MIN, i32::MAX);
                    errors.at(expr, format!("`{key}` takes a whole number {range}"));
                    None
                }
            };
        }
        errors.at(expr, format!("`{key}` takes {wanted}"));
        None
    }

    /// A whole number, or an expression that gives one when the program is compiled: a constant, a call of a `const fn`.
    pub(crate) fn constant(&self, key: &str, errors: &mut Errors) -> Option<Expr> {
        let Some(value) = self.get(key).and_then(|option| option.value.as_ref()) else {
            return self.integer(key, errors).map(|number| syn::parse_quote!(#number));
        };
        let inner = match ungroup::expr(value) {
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => ungroup::expr(expr),
            other => other,
        };
        match inner {
            Expr::Lit(_) => self.integer(key, errors).map(|number| syn::parse_quote!(#number)),
            Expr::Array(_) | Expr::Tuple(_) | Expr::Closure(_) | Expr::Reference(_) => {
                errors.at(value, format!("`{key}` takes a whole number, as in `{key} = 5`"));
                None
            }
            _ => Some(value.clone()),
        }
    }

    /// A length of time in nanoseconds: `"250ms"`, `"30s"`, `"5m"`, `"1h"`.
    pub(crate) fn duration(&self, key: &str, errors: &mut Errors) -> Option<u64> {
        let wanted =
            format!("a length of time, as in `{key} = \"30s\"`; the units are `us`, `ms`, `s`, `m` and `h`");
        let text = self.text_of(key, &wanted, errors)?;
        match durations::nanos(&text.value()) {
            Ok(nanos) => Some(nanos),
            Err(why) => {
                errors.at(&text, format!("`{key}`: {why}"));
                None
            }
        }
    }

    /// A length of time, or `"never"`.
    pub(crate) fn limit(&self, key: &str, errors: &mut Errors) -> Option<Limit> {
        if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) =
            self.get(key).and_then(|option| option.value.as_ref()).map(ungroup::expr)
            && text.value() == "never"
        {
            return Some(Limit::Never);
        }
        self.duration(key, errors).map(Limit::After)
    }

    pub(crate) fn path(&self, key: &str, errors: &mut Errors) -> Option<Path> {
        self.path_to(key, &format!("a function, as in `{key} = my_function`"), errors)
    }

    fn path_to(&self, key: &str, wanted: &str, errors: &mut Errors) -> Option<Path> {
        match self.value(key, wanted, errors)? {
            Expr::Path(path) => Some(path.path.clone()),
            other => {
                errors.at(other, format!("`{key}` takes {wanted}"));
                None
            }
        }
    }

    /// One word.
    pub(crate) fn word(&self, key: &str, wanted: &str, errors: &mut Errors) -> Option<Ident> {
        let path = self.path_to(key, wanted, errors)?;
        let word = path.get_ident().cloned();
        if word.is_none() {
            errors.at(path, format!("`{key}` takes {wanted}"));
        }
        word
    }

    /// A list of strings in brackets.
    pub(crate) fn texts(&self, key: &str, errors: &mut Errors) -> Vec<LitStr> {
        let wanted = format!("a list of strings, as in `{key} = [\"…\"]`");
        let Some(expr) = self.value(key, &wanted, errors) else { return Vec::new() };
        let Expr::Array(ExprArray { elems, .. }) = expr else {
            errors.at(expr, format!("`{key}` takes {wanted}"));
            return Vec::new();
        };
        let mut texts = Vec::new();
        for element in elems.iter().map(ungroup::expr) {
            match element {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => texts.push(text.clone()),
                other => errors.at(other, format!("`{key}` takes {wanted}")),
            }
        }
        texts
    }

    /// A string, or a list of strings in brackets.
    pub(crate) fn text_or_texts(&self, key: &str, errors: &mut Errors) -> Vec<LitStr> {
        if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) =
            self.get(key).and_then(|option| option.value.as_ref()).map(ungroup::expr)
        {
            return vec![text.clone()];
        }
        self.texts(key, errors)
    }

    /// A list of words in brackets; `of` says of what, `example` shows one.
    pub(crate) fn words(&self, key: &str, of: &str, example: &str, errors: &mut Errors) -> Vec<Ident> {
        let wanted = format!("a list of {of}, as in `{key} = [{example}]`");
        let Some(expr) = self.value(key, &wanted, errors) else { return Vec::new() };
        let Expr::Array(ExprArray { elems, .. }) = expr else {
            errors.at(expr, format!("`{key}` takes {wanted}"));
            return Vec::new();
        };
        let mut words = Vec::new();
        for element in elems.iter().map(ungroup::expr) {
            match element {
                Expr::Path(path) if path.path.get_ident().is_some() => {
                    words.extend(path.path.get_ident().cloned());
                }
                other => errors.at(other, format!("`{key}` takes {wanted}")),
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;

    use super::{Limit, Opts};
    use crate::errors::Errors;

    fn opts(tokens: TokenStream) -> Opts {
        syn::parse2(tokens).unwrap_or_else(|error| panic!("{error}"))
    }

    fn said(read: impl FnOnce(&mut Errors)) -> String {
        let mut errors = Errors::default();
        read(&mut errors);
        errors.texts().join("\n")
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let limits = opts(quote!(a = "never", b = "30s", c = "newer"));
        let mut none = Errors::default();
        assert_eq!(limits.limit("a", &mut none), Some(Limit::Never));
        assert_eq!(limits.limit("b", &mut none), Some(Limit::After(30_000_000_000)));
        assert_eq!(limits.limit("c", &mut none), None);
        assert_eq!(none.texts().len(), 1);
        let list = opts(quote!(a = -5, b = "30s", c = [x, y], d = true, e, f = m::f, g = "t", h = 1 + N,));
        let mut errors = Errors::default();
        assert_eq!(list.integer("a", &mut errors), Some(-5));
        assert_eq!(list.duration("b", &mut errors), Some(30_000_000_000));
        assert_eq!(list.words("c", "", "", &mut errors).len(), 2);
        assert_eq!(list.bool("d", &mut errors), Some(true));
        assert!(list.flag("e", &mut errors).is_some());
        assert!(list.path("f", &mut errors).is_some());
        assert_eq!(list.text("g", &mut errors).map(|text| text.value()), Some("t".into()));
        assert!(list.constant("h", &mut errors).is_some());
        assert!(list.integer("not there", &mut errors).is_none());
        assert_eq!(errors.texts(), [""; 0]);
    }

    #[test]
    fn a_number_too_great_names_the_range() {
        let list = opts(quote!(n = 99999999999, t = 30, c = x, s = 5));
        assert!(
            said(|errors| {
                let _ = list.integer("n", errors);
            })
            .contains("between -2147483648 and 2147483647")
        );
        assert!(
            said(|errors| {
                let _ = list.duration("t", errors);
            })
            .contains("`ms`")
        );
        assert!(
            said(|errors| {
                let _ = list.words("c", "names", "a, b", errors);
            })
            .contains("`c = [a, b]`")
        );
        assert!(
            said(|errors| {
                let _ = list.text("s", errors);
            })
            .contains("takes a string")
        );
    }

    #[test]
    fn unknown_and_repeated_options_are_told() {
        let list = opts(quote!(prioritty = 1, once, once));
        let text = said(|errors| list.check("`#[hook]`", &["priority", "once"], errors));
        assert!(
            text.contains("did you mean `priority`?") && text.contains("`once` is given twice"),
            "{text}"
        );
    }

    #[test]
    fn what_is_no_list_is_told_with_what_is_missing() {
        for (tokens, part) in [
            (quote!(priority: 5), "behind `=`"),
            (quote!(priority(5)), "behind `=`"),
            (quote!(priority =), "needs a value"),
            (quote!(priority = , once), "needs a value"),
            (quote!(once background), "expected `,`"),
            (quote!("once"), "expected an option"),
        ] {
            let error = syn::parse2::<Opts>(tokens.clone()).map(drop).expect_err("no list");
            assert!(error.to_string().contains(part), "{tokens}: {error}");
        }
    }
}
