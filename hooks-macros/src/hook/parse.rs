//! From tokens to a checked view of one hook.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{Expr, GenericArgument, LitStr, Path, PathArguments, Type, TypeReference};

use crate::errors::Errors;
use crate::names;
use crate::nearest::nearest;
use crate::options::{Limit, Opts};
use crate::signature::{self, Function, Param};
use crate::written::plain;

use super::lists;
use super::point::Arguments;
use super::rules;
use super::state_key::state_key;

/// One hook, checked.
pub(crate) struct Hook {
    pub(crate) point: Path,
    pub(crate) function: Function,
    pub(crate) params: Vec<Bound>,
    pub(crate) options: HookOptions,
}

impl Hook {
    pub(crate) fn has_state(&self) -> bool {
        self.params.iter().any(|bound| matches!(bound, Bound::State(..)))
    }
}

/// A parameter and what it is bound to.
pub(crate) enum Bound {
    Field(Param),
    Event(Type),
    Session(Type),
    /// The rest of the chain, and the word for it.
    Next(Ident, Type),
    /// And the key under which it is saved, where one is given.
    State(Type, Option<LitStr>),
    Settings(Type),
}

/// Where the hook runs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Inline,
    Blocking,
    Background,
}

pub(crate) struct HookOptions {
    pub(crate) priority: Option<Expr>,
    /// `before`, `after`, `tools`, `paths`, as far as they are given.
    pub(crate) lists: Vec<(&'static str, Vec<LitStr>)>,
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) enabled: Option<bool>,
    pub(crate) modes: Vec<Ident>,
    pub(crate) once: bool,
    pub(crate) place: Place,
    pub(crate) timeout: Option<Limit>,
    pub(crate) budget: Option<u64>,
    pub(crate) on_error: Option<Path>,
    pub(crate) quarantine: Option<u32>,
    pub(crate) fail_open: bool,
    pub(crate) tool: Option<LitStr>,
    pub(crate) confirmation: bool,
    /// Options of which the point says whether they may stand at it, as written.
    pub(crate) asks: Vec<Ident>,
}

const KNOWN: &[&str] = &[
    "priority",
    "before",
    "after",
    "tools",
    "paths",
    "name",
    "aliases",
    "enabled",
    "modes",
    "once",
    "background",
    "blocking",
    "timeout",
    "budget",
    "on_error",
    "quarantine",
    "fail_open",
    "tool",
    "confirmation",
];

const MODES: &[&str] = &["cli", "server", "bridge", "embedded", "interactive", "no_confirm"];

const EXAMPLE: &str = "#[hook(FILE_POST_SAVE)] fn lint(path: &Path) { … }";

pub(crate) fn parse(options: TokenStream, item: &TokenStream, errors: &mut Errors) -> Option<Hook> {
    let arguments = syn::parse2::<Arguments>(options).map_err(|error| errors.add(error)).ok();
    if let Some(arguments) = &arguments
        && let Err(error) = super::point::check_import(&arguments.point)
    {
        errors.add(error);
    }
    let function = Function::read(item, "#[hook]", EXAMPLE, errors);
    let options = arguments.as_ref().map(|arguments| read_options(&arguments.options, errors));
    let function = function?;
    let params = signature::params(&function, "hook", errors);
    let states = params.iter().filter(|param| param.name == "state").collect::<Vec<_>>();
    // Of two that are written alike rustc tells itself.
    if let [first, second, ..] = &*states
        && first.ident != second.ident
    {
        errors.at(&second.ident, "a hook has one `state`; put what it keeps into one struct");
    }
    let params = params.into_iter().filter_map(|param| bind(param, errors)).collect::<Vec<_>>();
    let (arguments, options) = (arguments?, options?);
    let hook = Hook { point: arguments.point, function, params, options };
    rules::check(&hook, &arguments.options, errors);
    Some(hook)
}

fn read_options(options: &Opts, errors: &mut Errors) -> HookOptions {
    options.check("`#[hook]`", KNOWN, errors);
    let modes = options.words("modes", "modes", "cli, server", errors);
    for mode in &modes {
        let text = mode.to_string();
        if !MODES.contains(&text.as_str()) {
            errors.at(
                mode,
                format!(
                    "unknown mode `{text}`{}\nthe modes are `{}`",
                    nearest(&text, MODES),
                    MODES.join("`, `")
                ),
            );
        }
    }
    let quarantine = options.integer("quarantine", errors);
    if let (Some(number), Some(option)) = (quarantine, options.get("quarantine"))
        && number < 1
    {
        errors.at(&option.value, "`quarantine` takes a number of failures, 1 or more");
    }
    let name = options.text("name", errors);
    let aliases = options.texts("aliases", errors);
    for name in name.iter().chain(&aliases) {
        if let Err(why) = names::hook(&name.value()) {
            errors.at(name, why);
        }
    }
    let name_given = name.as_ref().map(LitStr::value);
    let tool = options.text("tool", errors);
    if let Some(tool) = &tool
        && let Err(why) = names::tool(&tool.value())
    {
        errors.at(tool, why);
    }
    let place = match (options.flag("background", errors), options.flag("blocking", errors)) {
        (Some(_), _) => Place::Background,
        (None, Some(_)) => Place::Blocking,
        (None, None) => Place::Inline,
    };
    let asks = ["blocking", "background", "fail_open", "tools", "paths"];
    let asked = asks.into_iter().filter_map(|key| options.get(key));
    HookOptions {
        priority: options.constant("priority", errors),
        lists: lists::read(options, name_given.as_deref(), errors),
        name,
        aliases,
        enabled: options.bool("enabled", errors),
        modes,
        once: options.flag("once", errors).is_some(),
        place,
        timeout: options.limit("timeout", errors),
        budget: options.duration("budget", errors),
        on_error: options.path("on_error", errors),
        quarantine: quarantine.and_then(|number| u32::try_from(number).ok()),
        fail_open: options.flag("fail_open", errors).is_some(),
        tool,
        confirmation: options.flag("confirmation", errors).is_some(),
        asks: asked.map(|option| option.key.clone()).collect(),
    }
}

fn bind(param: Param, errors: &mut Errors) -> Option<Bound> {
    if param.name != "state"
        && let Some(attribute) = param.attrs.iter().find(|attribute| attribute.path().is_ident("state"))
    {
        errors.at(
            attribute,
            "`#[state(\"…\")]` says how a hook's state is saved: it stands before `state: &mut T`",
        );
    }
    match param.name.as_str() {
        "session" => Some(Bound::Session(param.ty)),
        "next" => Some(Bound::Next(param.ident, param.ty)),
        "event" => Some(Bound::Event(param.ty)),
        "state" => match param.ty {
            Type::Reference(TypeReference { mutability: Some(_), elem, .. }) => {
                let key = state_key(&param.attrs, errors);
                owned(*elem, "state", errors).map(|ty| Bound::State(ty, key))
            }
            other => {
                errors.at(other, "`state` is the hook's own state in this session: `state: &mut T`");
                None
            }
        },
        "settings" => match param.ty {
            Type::Reference(TypeReference { mutability: None, elem, .. }) => {
                owned(*elem, "the struct of settings", errors).map(Bound::Settings)
            }
            other => {
                errors.at(other, "`settings` is the hook's table in hookspec.toml: `settings: &T`");
                None
            }
        },
        "" => {
            errors.at(&param.ident, "parameters bind by name to the event's fields; `_` has none");
            None
        }
        _ => {
            if let Some((reference, lent)) = forever(&param.ty) {
                errors.at(reference, format!("an event lives as long as the call: write `{lent}`"));
                return None;
            }
            Some(Bound::Field(param))
        }
    }
}

/// A `&'static T`, alone or in an `Option`, and how it is written.
fn forever(ty: &Type) -> Option<(&TypeReference, String)> {
    match ty {
        Type::Reference(reference) if reference.lifetime.as_ref()?.ident == "static" => {
            Some((reference, format!("&{}", plain(&reference.elem))))
        }
        Type::Path(path) => match &path.path.segments.last().filter(|last| last.ident == "Option")?.arguments
        {
            PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                GenericArgument::Type(inner) => forever(inner),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Complains of a lifetime in what outlives the call.
fn owned(ty: Type, what: &str, errors: &mut Errors) -> Option<Type> {
    if borrows(quote!(#ty)) {
        errors.at(
            &ty,
            format!("{what} owns what it holds, for it outlives the call: a type without a lifetime"),
        );
        return None;
    }
    Some(ty)
}

/// Whether a lifetime other than `'static` is named.
fn borrows(ty: TokenStream) -> bool {
    let mut tokens = ty.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Group(group) => borrows(group.stream()),
            TokenTree::Punct(tick) if tick.as_char() == '\'' => {
                !matches!(tokens.peek(), Some(TokenTree::Ident(name)) if name == "static")
            }
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}
