//! `#[tool]`: a function that a model may call.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Ident, LitStr, Path, ReturnType, Type};

use crate::core_path;
use crate::errors::Errors;
use crate::names;
use crate::options::Opts;
use crate::signature::{self, Function, cfgs, docs, fallback};
use crate::written::pointing_at;

struct Tool {
    function: Function,
    args: Option<Type>,
    order: Vec<&'static str>,
    name: Option<LitStr>,
    words: Vec<Ident>,
    content: Option<Ident>,
    confirm: bool,
    pure: bool,
    enabled: bool,
    preview: Option<Path>,
}

const KNOWN: &[&str] = &["name", "args", "content", "confirm", "pure", "enabled", "preview"];

const EXAMPLE: &str = "#[tool] fn save(args: SaveArgs) -> String { … }";

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let tool = parse(options, &item, &mut errors);
    match (errors.into_tokens(), tool) {
        (Some(errors), _) => fallback(errors, &item),
        (None, Some(tool)) => emit(&tool, &item),
        (None, None) => item,
    }
}

fn parse(written: TokenStream, item: &TokenStream, errors: &mut Errors) -> Option<Tool> {
    let options = |input: ParseStream<'_>| Opts::read(input, "`name = \"save\"` or `confirm`");
    let options = Parser::parse2(options, written).map_err(|error| errors.add(error)).ok();
    let function = Function::read(item, "#[tool]", EXAMPLE, errors);
    let (options, function) = (options?, function?);
    options.check("`#[tool]`", KNOWN, errors);
    signature::check_error(&function.sig.output, errors);
    if let ReturnType::Default = &function.sig.output {
        errors
            .at(&function.sig.ident, "a tool answers the model, if only that it is done: write `-> String`");
    }
    let (mut args, mut order) = (None, Vec::new());
    for param in signature::params(&function, "tool", errors) {
        match param.name.as_str() {
            "args" => {
                args = Some(param.ty);
                order.push("args");
            }
            "session" | "call" if !matches!(param.ty, Type::Reference(_)) => {
                let ty = if param.name == "session" { "Session" } else { "ToolUse" };
                errors.at(&param.ty, format!("a tool borrows it: `{}: &{ty}`", param.name));
            }
            "session" => order.push("session"),
            "call" => order.push("call"),
            other => errors.at(
                &param.ident,
                format!("a tool takes `args` (its argument struct), `session: &Session` and `call: &ToolUse`, not `{other}`"),
            ),
        }
    }
    for key in ["args", "content"] {
        if let (None, Some(option)) = (&args, options.get(key)) {
            errors.at(&option.key, format!("`{key}` names fields of the argument struct, and the function takes none: add `args: MyArgs`"));
        }
    }
    let name = options.text("name", errors);
    let (called, at) = match &name {
        Some(name) => (name.value(), name.span()),
        None => (plain_name(&function.sig.ident), function.sig.ident.span()),
    };
    if let Err(why) = names::tool(&called) {
        errors.add(syn::Error::new(at, why));
    }
    if docs(&function.attrs).trim().is_empty() {
        errors.at(&function.sig.ident, "a tool needs a documentation comment: it is what the model reads");
    }
    Some(Tool {
        name,
        words: options.words("args", "fields of the argument struct", "path", errors),
        content: options.word("content", "a field of the argument struct, as in `content = text`", errors),
        confirm: options.flag("confirm", errors).is_some(),
        pure: options.flag("pure", errors).is_some(),
        enabled: options.bool("enabled", errors).unwrap_or(true),
        preview: options.path("preview", errors),
        function,
        args,
        order,
    })
}

/// The function's name without `r#`.
fn plain_name(function: &Ident) -> String {
    let name = function.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

fn emit(tool: &Tool, item: &TokenStream) -> TokenStream {
    let function = &tool.function.sig.ident;
    let (path, core) = (core_path::core(), Ident::new("__core", Span::call_site()));
    let cfgs = cfgs(&tool.function.attrs);
    let name = tool.name.as_ref().map_or_else(|| plain_name(function), LitStr::value);
    let description = docs(&tool.function.attrs);
    let word_names = tool.words.iter().map(ToString::to_string);
    let content_name = match &tool.content {
        Some(content) => {
            let text = content.to_string();
            quote!(::core::option::Option::Some(#text))
        }
        None => quote!(::core::option::Option::None),
    };
    let (confirm, pure, enabled) = (tool.confirm, tool.pure, tool.enabled);
    let preview = match &tool.preview {
        Some(path) => quote!({
            const __PREVIEW: fn(&#core::tool::ToolUse, &#core::Session) -> ::core::option::Option<::std::string::String> = #path;
            ::core::option::Option::Some(__PREVIEW)
        }),
        None => quote!(::core::option::Option::None),
    };
    let fields = tool.words.iter().chain(&tool.content);
    let (schema, read, check) = match &tool.args {
        Some(ty) => (
            quote_spanned!(ty.span()=> <#ty as #core::tool::ToolArguments>::schema),
            {
                let read = quote_spanned!(ty.span()=> <#ty as #core::tool::ToolArguments>::read);
                quote!(let __args = #read(&__ENTRY, __call)?;)
            },
            // An option that names a field which is not there is an error at the option.
            quote!(const _: fn(&#ty) = |__args| { #(let _ = &__args.#fields;)* };),
        ),
        None => (quote!(#core::__private::no_arguments), quote!(), quote!()),
    };
    let arguments = tool.order.iter().map(|param| match *param {
        "args" => quote!(__args),
        "session" => quote!(__session),
        _ => quote!(__call),
    });
    let into = match &tool.function.sig.output {
        // With the user's own tokens, so that a wrong type is reported there.
        ReturnType::Type(_, ty) if !matches!(**ty, Type::ImplTrait(_)) => {
            quote_spanned!(ty.span()=> <#ty as #core::tool::IntoToolOutput>::into_output)
        }
        _ => quote!(#core::tool::IntoToolOutput::into_output),
    };
    let wait = tool.function.sig.asyncness.map(|_| quote!(.await));
    // A future that cannot go to another thread is told of at the function's name, not at the attribute.
    let body = quote!(#read #into(#function(#(#arguments),*)#wait));
    let at = pointing_at(function.span());
    let here = Ident::new("__core", at);
    let future = quote_spanned! {at=>
        #here::__private::an_async_tool_must_be_send(async move { #body })
    };
    let items = quote! {
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            use #path as __core;
            #check
            #core::__gathered!([#core::__private::TOOLS] #core::tool::ToolEntry = #core::tool::ToolEntry {
                name: #name,
                description: #description,
                package: env!("CARGO_PKG_NAME"),
                file: file!(),
                line: line!(),
                enabled: #enabled,
                confirm: #confirm,
                pure: #pure,
                names: #core::tool::ArgumentNames { words: &[#(#word_names),*], content: #content_name },
                schema: #schema,
                preview: #preview,
                run: |__call, __session| ::std::boxed::Box::pin(#future),
            });
        };
    };
    // Where no item can stand, between methods, rustc refuses the one that it sees, at the function's name.
    let placed = quote_spanned!(function.span()=> impl Tool { tool! { #items } });
    quote! {
        #item
        #(#cfgs)*
        #[#path::__private::placed]
        #placed
    }
}
