//! The code that `#[tool]` becomes.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, Ident, Pat, Signature, Visibility, parse_quote};

use crate::{
    attributes::ToolAttributes,
    errors::Problems,
    function::{Function, Source},
    input::Input,
    root::{Root, as_generated},
    spec, work,
};

/// Makes a tool of a function, or errors that say why it cannot be one.
pub(crate) fn tool(attributes: TokenStream, item: &TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let attributes = ToolAttributes::parse(attributes, &mut problems);
    let source = match syn::parse2::<Source>(item.clone()) {
        Ok(source) => source,
        Err(error) => {
            problems.add(error);
            let errors = problems.into_error().map(syn::Error::into_compile_error);
            return quote!(#errors #item);
        }
    };
    let root = Root::new(attributes.root.as_ref());
    let stand_in = stand_in(&source, &root);
    let function = source.read(&attributes, &mut problems);
    match problems.into_error() {
        Some(error) => {
            let errors = error.into_compile_error();
            quote!(#errors #stand_in)
        }
        None => expand(&function, &attributes, &root),
    }
}

/// Returns an item that takes the tool's place, so that its uses are no errors of their own.
fn stand_in(source: &Source, root: &Root) -> Option<TokenStream> {
    if source.is_method() {
        return None;
    }
    let (visibility, ident) = (source.visibility(), source.ident());
    let maker = maker(visibility, ident);
    Some(quote! {
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #visibility struct #ident {}

        #maker

        impl #root::IntoTool for #ident {
            fn into_tool(self) -> ::core::result::Result<#root::Tool, #root::ToolError> {
                ::core::result::Result::Err(#root::ToolError::failed("it does not compile"))
            }
        }
    })
}

fn expand(function: &Function, attributes: &ToolAttributes, root: &Root) -> TokenStream {
    let object = object(function);
    let original = original(function);
    let call = call(function);
    let into_tool = into_tool(function, attributes, root);
    // In a scope of its own the function keeps its name, so that it may call itself.
    quote! {
        #object

        const _: () = {
            #original
            #call
            #into_tool
        };
    }
}

/// Returns the struct that has the function's name.
fn object(function: &Function) -> TokenStream {
    let Function { comments, visibility, signature, description, .. } = function;
    let ident = &signature.ident;
    // A description that stands in the attribute documents the struct as well.
    let described = comments.is_empty().then(|| quote!(#[doc = #description]));
    let maker = maker(visibility, ident);
    // `allow` where our own code would say `expect`: a name such as `Add` would not fulfil it.
    quote! {
        #described
        #(#comments)*
        #[allow(non_camel_case_types, reason = "the tool has the name of its function")]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #visibility struct #ident {}

        #maker
    }
}

/// Returns the function that stands for the tool where it is registered.
///
/// A unit struct would do without it, but Rust lets no variable have the name of a unit struct in
/// scope, and `let add = …` beside a tool `add` is too common to forbid.
fn maker(visibility: &Visibility, ident: &Ident) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(
            non_snake_case,
            clippy::must_use_candidate,
            reason = "it has the tool's name, and is handed on rather than called"
        )]
        #visibility fn #ident() -> #ident { #ident {} }
    }
}

/// Returns the function as it is written, without what only this macro understands.
fn original(function: &Function) -> TokenStream {
    let Function { attributes, signature, body, .. } = function;
    let lints = lints_of_form();
    quote! {
        #lints
        #(#attributes)*
        #signature #body
    }
}

/// Returns the associated function that tests and other code call.
fn call(function: &Function) -> TokenStream {
    let original = &function.signature.ident;
    let lints = lints_of_form();
    let visibility = as_generated(function.visibility.to_token_stream());
    let (signature, arguments) = forwarding(&function.signature);
    let wait = signature.asyncness.is_some().then(|| quote!(.await));
    quote! {
        impl #original {
            /// Runs the function itself, outside any engine.
            #lints
            #visibility #signature { #original(#(#arguments),*) #wait }
        }
    }
}

/// Returns the signature of `call`, and the arguments that it passes on.
fn forwarding(original: &Signature) -> (Signature, Vec<Ident>) {
    let mut signature = original.clone();
    signature.ident = Ident::new("call", Span::call_site());
    let mut arguments = Vec::new();
    for (index, input) in signature.inputs.iter_mut().enumerate() {
        let FnArg::Typed(input) = input else { continue };
        let name = match &*input.pat {
            Pat::Ident(pat) if pat.ident != original.ident => pat.ident.clone(),
            _ => format_ident!("arg{index}"),
        };
        input.attrs.clear();
        input.pat = parse_quote!(#name);
        arguments.push(name);
    }
    (signature, arguments)
}

/// Quietens the lints about what a tool cannot have otherwise.
fn lints_of_form() -> TokenStream {
    quote! {
        #[allow(
            clippy::missing_errors_doc,
            clippy::missing_panics_doc,
            clippy::must_use_candidate,
            clippy::needless_pass_by_value,
            clippy::too_many_arguments,
            clippy::unused_async,
            clippy::used_underscore_binding,
            reason = "the form of a tool: its input is owned, its documentation is for models"
        )]
    }
}

fn into_tool(function: &Function, attributes: &ToolAttributes, root: &Root) -> TokenStream {
    let ident = &function.signature.ident;
    let Input { items, ty } = Input::new(&function.parameters, root);
    let spec = spec::build(function, attributes, &ty, root);
    let work = work::build(function, &ty, root);
    // `call` is named once, so that it counts as used in a program that only registers the tool.
    quote! {
        #items

        #[automatically_derived]
        impl #root::IntoTool for #ident {
            fn into_tool(self) -> ::core::result::Result<#root::Tool, #root::ToolError> {
                let _ = Self::call;
                #spec
                ::core::result::Result::Ok(#work)
            }
        }
    }
}
