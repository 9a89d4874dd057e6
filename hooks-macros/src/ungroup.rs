//! What a `macro_rules!` matched as `$x:ty`, `$x:expr` or `$x:literal` arrives in a group that nobody sees. It means what
//! is in it.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::{Expr, GenericArgument, PathArguments, ReturnType, Type};

/// The expression in the groups.
pub(crate) fn expr(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

/// The expression with brackets that everybody sees: rustc forgets the others in what a macro writes, and `$sum * 2` is not
/// what it was.
pub(crate) fn bracketed(expr: &Expr) -> TokenStream {
    show(quote!(#expr))
}

fn show(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let inside = show(group.stream());
                let path = |token: TokenTree| match token {
                    TokenTree::Ident(_) | TokenTree::Literal(_) => true,
                    TokenTree::Punct(punct) => punct.as_char() == ':',
                    TokenTree::Group(_) => false,
                };
                let plain = inside.clone().into_iter().all(path);
                let delimiter = match group.delimiter() {
                    Delimiter::None if plain => return inside,
                    Delimiter::None => Delimiter::Parenthesis,
                    seen => seen,
                };
                let mut shown = Group::new(delimiter, inside);
                shown.set_span(group.span());
                TokenTree::Group(shown).into()
            }
            other => TokenStream::from(other),
        })
        .collect()
}

/// The type in the groups.
pub(crate) fn first(mut ty: &Type) -> &Type {
    while let Type::Group(group) = ty {
        ty = &group.elem;
    }
    ty
}

/// The type without groups, at any depth.
pub(crate) fn ty(mut ty: Type) -> Type {
    open(&mut ty);
    ty
}

fn open(ty: &mut Type) {
    while let Type::Group(group) = ty {
        // `&$t` with `dyn A + B` for `$t` keeps its group: without one, the `+` would belong to nothing.
        if matches!(&*group.elem, Type::TraitObject(object) if object.bounds.len() > 1) {
            return;
        }
        *ty = (*group.elem).clone();
    }
    match ty {
        Type::Reference(inner) => open(&mut inner.elem),
        Type::Slice(inner) => open(&mut inner.elem),
        Type::Array(inner) => open(&mut inner.elem),
        Type::Ptr(inner) => open(&mut inner.elem),
        Type::Paren(inner) => open(&mut inner.elem),
        Type::Tuple(inner) => inner.elems.iter_mut().for_each(open),
        Type::Path(path) => {
            for segment in &mut path.path.segments {
                match &mut segment.arguments {
                    PathArguments::AngleBracketed(arguments) => {
                        for argument in &mut arguments.args {
                            if let GenericArgument::Type(inner) = argument {
                                open(inner);
                            }
                        }
                    }
                    PathArguments::Parenthesized(arguments) => {
                        if let ReturnType::Type(_, inner) = &mut arguments.output {
                            open(inner);
                        }
                    }
                    PathArguments::None => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    use quote::quote;
    use syn::{Expr, Type, parse_quote};

    fn group(inside: TokenStream) -> TokenTree {
        TokenTree::Group(Group::new(Delimiter::None, inside))
    }

    #[test]
    fn groups_are_opened_at_any_depth() {
        let (inner, outer) = (group(quote!(str)), group(quote!(u8)));
        let outer = group(quote!(#outer));
        let ty: Type = parse_quote!((&#inner, Option<[#outer; 2]>));
        let plain: Type = parse_quote!((&str, Option<[u8; 2]>));
        let opened = super::ty(ty);
        assert_eq!(quote!(#opened).to_string(), quote!(#plain).to_string());
    }

    #[test]
    fn a_sum_of_bounds_keeps_its_group() {
        let sum = group(quote!(dyn A + B));
        let ty: Type = parse_quote!(&#sum);
        assert!(matches!(super::ty(ty), Type::Reference(held) if matches!(*held.elem, Type::Group(_))));
    }

    #[test]
    fn a_sum_stays_a_sum() {
        let (sum, path) = (group(quote!(A + 1)), group(quote!(a::B)));
        let expr: Expr = parse_quote!(f(#sum) * #path);
        assert_eq!(super::bracketed(&expr).to_string(), quote!(f((A + 1)) * a::B).to_string());
    }

    #[test]
    fn an_expression_is_what_is_in_its_groups() {
        let inner = group(quote!(5));
        let outer = group(quote!(#inner));
        let expr: Expr = parse_quote!(#outer);
        assert!(matches!(super::expr(&expr), Expr::Lit(_)));
    }
}
