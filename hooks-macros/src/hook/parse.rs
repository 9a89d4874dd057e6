//! From tokens to a checked view of one hook.

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Expr, Ident, ItemFn, LitStr, Path, Token, Type, TypeReference};

use crate::errors::{Errors, nearest};
use crate::options::Opts;
use crate::signature::{self, Param};

/// One hook, checked.
pub(crate) struct Hook {
    pub(crate) point: Path,
    pub(crate) function: ItemFn,
    pub(crate) params: Vec<Bound>,
    pub(crate) options: HookOptions,
}

/// A parameter and what it is bound to.
pub(crate) enum Bound {
    Field(Param),
    Event,
    Session,
    State(Type),
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
    pub(crate) name: Option<LitStr>,
    pub(crate) enabled: Option<bool>,
    pub(crate) modes: Vec<Ident>,
    pub(crate) once: bool,
    pub(crate) place: Place,
    pub(crate) timeout: Option<u64>,
    pub(crate) budget: Option<u64>,
    pub(crate) on_error: Option<Path>,
    pub(crate) quarantine: Option<u32>,
    pub(crate) fail_open: bool,
    pub(crate) tool: Option<LitStr>,
    pub(crate) confirmation: bool,
}

const KNOWN: &[&str] = &[
    "priority",
    "name",
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

struct Arguments {
    point: Path,
    options: Opts,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Err(syn::Error::new(
                Span::call_site(),
                "`#[hook]` needs a hook point, as in `#[hook(FILE_POST_SAVE)]`",
            ));
        }
        let point: Path = input.parse()?;
        if input.peek(Token![=]) {
            return Err(syn::Error::new_spanned(
                point,
                "the hook point comes first, as in `#[hook(FILE_POST_SAVE, priority = 5)]`",
            ));
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Self { point, options: input.parse()? })
    }
}

pub(crate) fn parse(options: TokenStream, item: TokenStream, errors: &mut Errors) -> Option<Hook> {
    let arguments = Arguments::parse.parse2(options).map_err(|error| errors.add(error)).ok();
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => Some(function),
        Err(_) if is_other_item(&item) => {
            errors.add(syn::Error::new(
                Span::call_site(),
                "`#[hook]` goes on a function, as in `#[hook(FILE_POST_SAVE)] fn lint(path: &Path) { … }`",
            ));
            None
        }
        Err(error) => {
            errors.add(error);
            None
        }
    };
    let options = arguments.as_ref().map(|arguments| read_options(&arguments.options, errors));
    let function = function?;
    let params = signature::params(&function, "hook", errors);
    let params = params.into_iter().filter_map(|param| bind(param, errors)).collect::<Vec<_>>();
    let repeated = |wanted: fn(&Bound) -> bool| params.iter().filter(|p| wanted(p)).count() > 1;
    if repeated(|p| matches!(p, Bound::State(_))) {
        errors.at(&function.sig.ident, "a hook has one `state`; put what it keeps into one struct");
    }
    let (arguments, options) = (arguments?, options?);
    check_placement(&options, &arguments.options, &function, errors);
    Some(Hook { point: arguments.point, function, params, options })
}

/// Names the point, for a hook that is not expanded: its import shall not count as unused. Not for methods,
/// where no item can stand.
pub(crate) fn point_import(options: &TokenStream, item: &TokenStream) -> TokenStream {
    let is_method = syn::parse2::<ItemFn>(item.clone()).is_ok_and(|item| item.sig.receiver().is_some());
    let point = (|input: ParseStream<'_>| {
        let point: Path = input.parse()?;
        input.parse::<TokenStream>().map(|_| point)
    })
    .parse2(options.clone());
    match point {
        Ok(point) if !is_method => {
            quote::quote_spanned!(point.span()=> #[allow(unused_imports)] use #point as _;)
        }
        _ => TokenStream::new(),
    }
}

fn is_other_item(item: &TokenStream) -> bool {
    syn::parse2::<syn::Item>(item.clone()).is_ok_and(|item| !matches!(item, syn::Item::Fn(_)))
}

fn read_options(options: &Opts, errors: &mut Errors) -> HookOptions {
    options.check("`#[hook]`", KNOWN, errors);
    let modes = options.words("modes", errors);
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
    let background = options.flag("background", errors);
    let blocking = options.flag("blocking", errors);
    let quarantine = options.integer("quarantine", errors);
    if let (Some(number), Some(option)) = (quarantine, options.get("quarantine"))
        && number < 1
    {
        errors.at(&option.value, "`quarantine` takes a number of failures, 1 or more");
    }
    if let Some(name) = options.text("name", errors) {
        let value = name.value();
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if value.is_empty() || !value.chars().all(good) || value.starts_with('.') || value.ends_with('.') {
            errors.at(
                &name,
                "a hook's name is letters, digits, `_` and `-`, with `.` between group and name, as in \"linter.lint\"",
            );
        }
    }
    HookOptions {
        priority: options.constant("priority", errors),
        name: options.text("name", &mut Errors::default()),
        enabled: options.bool("enabled", errors),
        modes,
        once: options.flag("once", errors).is_some(),
        place: match (background, blocking) {
            (Some(_), _) => Place::Background,
            (None, Some(_)) => Place::Blocking,
            (None, None) => Place::Inline,
        },
        timeout: options.duration("timeout", errors),
        budget: options.duration("budget", errors),
        on_error: options.path("on_error", errors),
        quarantine: quarantine.and_then(|number| u32::try_from(number).ok()),
        fail_open: options.flag("fail_open", errors).is_some(),
        tool: options.text("tool", errors),
        confirmation: options.flag("confirmation", errors).is_some(),
    }
}

fn check_placement(options: &HookOptions, written: &Opts, function: &ItemFn, errors: &mut Errors) {
    let is_async = function.sig.asyncness.is_some();
    if let (Some(_), Some(blocking)) = (written.get("background"), written.get("blocking")) {
        errors.at(
            &blocking.key,
            "`blocking` and `background` exclude each other: a background hook may block anyway",
        );
    } else if let (true, Some(blocking)) = (is_async, written.get("blocking")) {
        errors.at(
            &blocking.key,
            "`blocking` is for plain functions; an `async fn` yields, so give it a `timeout` instead",
        );
    }
    if let Some(timeout) = written.get("timeout")
        && !is_async
        && options.place != Place::Blocking
    {
        let place = if options.place == Place::Background { "background" } else { "sync" };
        errors.at(
            &timeout.key,
            format!("a {place} hook cannot be cut off: make it an `async fn`, or add `blocking`; `budget` warns when it is slow"),
        );
    }
}

fn bind(param: Param, errors: &mut Errors) -> Option<Bound> {
    match param.name.as_str() {
        "session" => Some(Bound::Session),
        "event" => Some(Bound::Event),
        "state" => match &param.ty {
            Type::Reference(TypeReference { mutability: Some(_), elem, .. }) => {
                Some(Bound::State((**elem).clone()))
            }
            other => {
                errors.at(other, "`state` is the hook's own state in this session: `state: &mut T`");
                None
            }
        },
        "settings" => match &param.ty {
            Type::Reference(TypeReference { mutability: None, elem, .. }) => {
                Some(Bound::Settings((**elem).clone()))
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
        _ => Some(Bound::Field(param)),
    }
}
