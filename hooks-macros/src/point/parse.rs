//! From tokens to a checked view of point declarations.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, GenericArgument, Ident, LitStr, Path, PathArguments, Token, Type, Visibility, braced,
    bracketed, parenthesized,
};

use crate::errors::Errors;
use crate::nearest::nearest;
use crate::written::plain;
use crate::{names, ungroup};

use super::{own_types, verdicts};

pub(crate) struct Declarations {
    /// The path of the hookspec crate, as `hook_point!` knows it.
    pub(crate) core: Path,
    pub(crate) points: Vec<Declaration>,
}

pub(crate) struct Declaration {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) wire: LitStr,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) flags: Vec<Ident>,
    /// One type, or `Gate + Fold<T>` as two.
    pub(crate) verdict: Vec<Type>,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) fold: Option<Attribute>,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

const FLAGS: &[&str] = &["transient", "sync", "local"];
const RESERVED: &[&str] = &["session", "state", "settings", "event", "next"];

impl Parse for Declarations {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        bracketed!(content in input);
        let core = content.call(Path::parse_mod_style)?;
        let mut points = Vec::new();
        while !input.is_empty() {
            points.push(input.parse()?);
        }
        Ok(Self { core, points })
    }
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let name: Ident = input.parse()?;
        if !input.peek(syn::token::Paren) {
            return Err(input.error(format!("behind the name stands the name on the wire, as in `{name}(\"bake.pre\") -> Messages {{ … }}`")));
        }
        let content;
        parenthesized!(content in input);
        let wire = content.parse()?;
        let (mut aliases, mut flags) = (Vec::new(), Vec::new());
        while !content.is_empty() {
            content.parse::<Token![,]>()?;
            if content.is_empty() {
                break;
            }
            let key: Ident = content.parse()?;
            if key == "aliases" {
                content.parse::<Token![=]>()?;
                let list;
                bracketed!(list in content);
                let list = Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?;
                aliases.extend(list);
            } else {
                if !content.is_empty() && !content.peek(Token![,]) {
                    let at = content.error(format!("`{key}` takes no value; write `{key}` alone"));
                    return Err(if FLAGS.contains(&key.to_string().as_str()) { at } else { unknown(&key) });
                }
                flags.push(key);
            }
        }
        if !input.peek(Token![->]) {
            return Err(input.error("here stands the verdict: `-> Messages`, `-> Gate`, `-> First<T>`, `-> Fold<T>`, `-> Gate + Fold<T>` or `-> Around<T>`"));
        }
        input.parse::<Token![->]>()?;
        let mut verdict = vec![ungroup::ty(input.call(Type::without_plus)?)];
        while input.peek(Token![+]) {
            input.parse::<Token![+]>()?;
            verdict.push(ungroup::ty(input.call(Type::without_plus)?));
        }
        let body;
        braced!(body in input);
        let fields = Punctuated::<Field, Token![,]>::parse_terminated(&body)?;
        Ok(Self { attrs, vis, name, wire, aliases, flags, verdict, fields: fields.into_iter().collect() })
    }
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut attrs = input.call(Attribute::parse_outer)?;
        let fold = attrs.iter().position(|attribute| attribute.path().is_ident("fold"));
        let fold = fold.map(|index| attrs.remove(index));
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self { attrs, fold, name, ty: ungroup::ty(input.parse()?) })
    }
}

impl Declaration {
    /// The `T` of `Fold<T>`.
    pub(crate) fn has_fold(&self) -> bool {
        self.verdict.iter().any(|ty| {
            matches!(ty, Type::Path(path)
            if path.path.segments.last().is_some_and(|segment| segment.ident == "Fold"))
        })
    }

    /// Whether its hooks wrap work.
    pub(crate) fn is_around(&self) -> bool {
        self.verdict.iter().any(|ty| {
            matches!(ty, Type::Path(path)
            if path.path.segments.last().is_some_and(|segment| segment.ident == "Around"))
        })
    }

    /// The field that hooks may replace.
    pub(crate) fn folded(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.fold.is_some())
    }

    /// Whether what its hooks replace is a `Message`, which they also add.
    pub(crate) fn folds_message(&self) -> bool {
        self.has_fold() && self.verdict.iter().any(|ty| plain(ty).ends_with("Fold<Message>"))
    }

    /// Whether hooks may refuse here.
    pub(crate) fn is_gate(&self) -> bool {
        self.verdict.iter().any(|ty| {
            matches!(ty, Type::Path(path)
            if path.path.segments.last().is_some_and(|segment| segment.ident == "Gate"))
        })
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|held| held == flag)
    }
}

/// A field's second declaration is told of, and left out.
fn drop_repeated(point: &mut Declaration, errors: &mut Errors) {
    let mut seen: Vec<Ident> = Vec::new();
    point.fields.retain(|field| {
        let repeated = seen.contains(&field.name);
        if repeated {
            errors.at(&field.name, format!("the field `{}` is there already; keep one", field.name));
        }
        seen.push(field.name.clone());
        !repeated
    });
}

/// Checks a declaration; gives whether its name is good.
pub(crate) fn check(point: &mut Declaration, errors: &mut Errors) -> bool {
    drop_repeated(point, errors);
    let whole = check_types(point, errors);
    verdicts::check(point, errors);
    let point = &*point;
    let name = point.name.to_string();
    let good = names::is_point(&name);
    if !good {
        errors.at(&point.name, "a hook point's name is two capitals or more, as in `FILE_POST_SAVE`");
    }
    for name in std::iter::once(&point.wire).chain(&point.aliases) {
        if let Err(why) = names::wire(&name.value()) {
            errors.at(name, why);
        }
    }
    for flag in &point.flags {
        let text = flag.to_string();
        if !FLAGS.contains(&text.as_str()) {
            errors.add(unknown(flag));
        }
    }
    let mut folds = point.fields.iter().filter(|field| field.fold.is_some());
    match (point.has_fold(), folds.next()) {
        (true, None) => errors.at(
            &point.verdict[point.verdict.len() - 1],
            "mark the field that the fold replaces with `#[fold]`",
        ),
        (false, Some(field)) if !point.is_around() => {
            errors.at(&field.fold, "`#[fold]` needs the verdict `Fold<T>` or `Around<T>` behind the arrow");
        }
        _ => {}
    }
    if let Some(second) = folds.next() {
        errors.at(&second.fold, "a hook point folds one field");
    }
    for field in &point.fields {
        let name = field.name.to_string();
        if RESERVED.contains(&name.as_str()) {
            errors.at(
                &field.name,
                format!("`{name}` is reserved: a hook that asks for it gets its own; choose another name"),
            );
        }
    }
    good && whole
}

fn unknown(option: &Ident) -> syn::Error {
    let text = option.to_string();
    let near = nearest(&text, &["aliases", "transient", "sync", "local"]);
    syn::Error::new(
        option.span(),
        format!(
            "unknown option `{text}` for a hook point{near}\nthe options are `aliases`, `transient`, `sync`, `local`"
        ),
    )
}

/// Complains of types that no event can hold, and puts one in their place that it can, so that rustc does not complain too.
/// Gives whether the point can still be written: not where the field is the one that its fold replaces.
fn check_types(point: &mut Declaration, errors: &mut Errors) -> bool {
    let mut whole = true;
    let mut told: Vec<String> = Vec::new();
    let local = point.has_flag("local");
    for field in &mut point.fields {
        if let Some(borrowed) = as_borrowed(&field.ty) {
            errors.at(&field.ty, format!("an event lends what it holds: write `{borrowed}`"));
        } else if let Some((name, missing)) = own_types::missing(&field.ty).filter(|_| !local) {
            if !told.contains(&name.to_string()) {
                errors.at(
                    name,
                    format!("`{name}` cannot be a field of a hook point yet: {}", remedy(&missing)),
                );
            }
            told.push(name.to_string());
        } else {
            continue;
        }
        field.ty = syn::parse_quote!(());
        whole &= field.fold.is_none();
    }
    whole
}

/// What to write over a type. `#[data]` brings all but `Copy`.
fn remedy(missing: &[&str]) -> String {
    let path = |name: &&str| match *name {
        "Serialize" | "Deserialize" => format!("`serde::{name}`"),
        "JsonSchema" => "`schemars::JsonSchema`".to_owned(),
        name => format!("`{name}`"),
    };
    if missing == ["Copy"] {
        return "derive `Copy` for it".to_owned();
    }
    let copy = if missing.contains(&"Copy") { " and derive `Copy` beside it" } else { "" };
    let missing = missing.iter().map(path).collect::<Vec<_>>().join(", ");
    format!("write `#[hookspec::data]` over it{copy}\nit lacks {missing}")
}

/// How the common types that own something are lent.
fn as_borrowed(ty: &Type) -> Option<String> {
    if let Type::Reference(reference) = ty {
        // `'a` is what the event itself calls it.
        let named = reference.lifetime.as_ref().is_some_and(|held| held.ident != "_" && held.ident != "a");
        if !named && reference.mutability.is_none() {
            return None;
        }
        let inner = &reference.elem;
        return Some(as_borrowed(inner).unwrap_or_else(|| format!("&{}", plain(inner))));
    }
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    match last.ident.to_string().as_str() {
        "String" => Some("&str".to_owned()),
        "PathBuf" => Some("&Path".to_owned()),
        "Option" => match &last.arguments {
            PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                GenericArgument::Type(inner @ Type::Reference(_)) => {
                    as_borrowed(inner).map(|inner| format!("Option<{inner}>"))
                }
                _ => None,
            },
            _ => None,
        },
        "Vec" => match &last.arguments {
            PathArguments::AngleBracketed(arguments) => {
                let inner = &arguments.args;
                Some(format!("&[{}]", quote::quote!(#inner)))
            }
            _ => None,
        },
        _ => None,
    }
}
