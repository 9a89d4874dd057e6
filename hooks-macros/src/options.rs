//! `key = value` and flag lists, with the rules that every list shares: known keys, each at most once,
//! the right kind of value.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprArray, ExprLit, ExprUnary, Ident, Lit, LitStr, Path, Token, UnOp};

use crate::errors::{Errors, nearest};

/// One option.
pub(crate) struct Opt {
    pub(crate) key: Ident,
    pub(crate) value: Option<Expr>,
}

impl Parse for Opt {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: Ident = input.parse()?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Self { key, value })
    }
}

/// A list of options.
pub(crate) struct Opts(Vec<Opt>);

impl Parse for Opts {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self(Punctuated::<Opt, Token![,]>::parse_terminated(input)?.into_iter().collect()))
    }
}

impl Opts {
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
        option.value.as_ref()
    }

    pub(crate) fn text(&self, key: &str, errors: &mut Errors) -> Option<LitStr> {
        let wanted = format!("a string, as in `{key} = \"…\"`");
        match self.value(key, &wanted, errors)? {
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
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => (true, &**expr),
            other => (false, other),
        };
        if let Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) = literal
            && let Ok(value) = number.base10_parse::<i64>()
            && let Ok(value) = i32::try_from(if negative { -value } else { value })
        {
            return Some(value);
        }
        errors.at(expr, format!("`{key}` takes {wanted}"));
        None
    }

    /// A whole number, or an expression that gives one when the program is compiled: a constant, a call of a `const fn`.
    pub(crate) fn constant(&self, key: &str, errors: &mut Errors) -> Option<Expr> {
        match self.get(key).and_then(|option| option.value.as_ref()) {
            Some(expr @ (Expr::Path(_) | Expr::Call(_) | Expr::Binary(_) | Expr::Paren(_))) => {
                Some(expr.clone())
            }
            _ => self.integer(key, errors).map(|number| syn::parse_quote!(#number)),
        }
    }

    /// A length of time in nanoseconds: `"250ms"`, `"30s"`, `"5m"`.
    pub(crate) fn duration(&self, key: &str, errors: &mut Errors) -> Option<u64> {
        let text = self.text(key, errors)?;
        let value = text.value();
        let split = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
        let (number, unit) = value.split_at(split);
        let factor = match unit.trim() {
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            _ => 0,
        };
        match number.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)) {
            Some(nanos) if nanos > 0 => Some(nanos),
            _ => {
                errors.at(
                    &text,
                    format!("`{key}` takes a length of time with its unit: \"250ms\", \"30s\" or \"5m\""),
                );
                None
            }
        }
    }

    pub(crate) fn path(&self, key: &str, errors: &mut Errors) -> Option<Path> {
        let wanted = format!("a function, as in `{key} = my_function`");
        match self.value(key, &wanted, errors)? {
            Expr::Path(path) => Some(path.path.clone()),
            other => {
                errors.at(other, format!("`{key}` takes {wanted}"));
                None
            }
        }
    }

    /// One word.
    pub(crate) fn word(&self, key: &str, errors: &mut Errors) -> Option<Ident> {
        let path = self.path(key, errors)?;
        let word = path.get_ident().cloned();
        if word.is_none() {
            errors.at(path, format!("`{key}` takes one name"));
        }
        word
    }

    /// A list of words in brackets.
    pub(crate) fn words(&self, key: &str, errors: &mut Errors) -> Vec<Ident> {
        let wanted = format!("a list, as in `{key} = [a, b]`");
        let Some(expr) = self.value(key, &wanted, errors) else { return Vec::new() };
        let Expr::Array(ExprArray { elems, .. }) = expr else {
            errors.at(expr, format!("`{key}` takes {wanted}"));
            return Vec::new();
        };
        let mut words = Vec::new();
        for element in elems {
            match element {
                Expr::Path(path) if path.path.get_ident().is_some() => {
                    words.extend(path.path.get_ident().cloned());
                }
                other => errors.at(other, format!("`{key}` takes names, as in `{key} = [a, b]`")),
            }
        }
        words
    }
}
