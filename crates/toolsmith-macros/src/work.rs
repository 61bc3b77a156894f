//! What runs a tool, as code: input in, call, output out.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::{
    function::Function,
    parameter::Parameter,
    root::{Root, as_generated},
    types::{self, ContextBy},
};

/// Returns the expression that makes a tool of `spec` and the function.
pub(crate) fn build(function: &Function, input: &TokenStream, root: &Root) -> TokenStream {
    let original = &function.signature.ident;
    let is_async = function.signature.asyncness.is_some();
    let arguments = function.parameters.iter().map(|parameter| match parameter {
        Parameter::Property(property) => {
            let ident = as_generated(property.ident.to_token_stream());
            quote!(input.#ident)
        }
        Parameter::Whole(_) => quote!(input),
        Parameter::Context(ContextBy::Reference) if is_async => quote!(&cx),
        Parameter::Context(ContextBy::Value) if !is_async => quote!(cx.clone()),
        Parameter::Context(_) => quote!(cx),
    });
    let wait = is_async.then(|| quote!(.await));
    let output = output(function, &quote!(#original(#(#arguments),*) #wait), root);
    let body = quote! {
        let input = #root::__private::decode_input::<#input>(input)?;
        #output
    };
    if is_async {
        quote! {
            #root::Tool::function(spec, |cx: #root::ToolContext, input: #root::Value| async move {
                #body
            })
        }
    } else {
        quote! {
            #root::Tool::blocking(spec, |cx: &#root::ToolContext, input: #root::Value| {
                #body
            })
        }
    }
}

/// Returns the code that turns what the function returned into the output of the tool.
fn output(function: &Function, call: &TokenStream, root: &Root) -> TokenStream {
    let Some(ty) = types::returned(&function.signature.output) else {
        return quote! {
            #call;
            ::core::result::Result::Ok::<_, #root::ToolError>(#root::Value::Null)
        };
    };
    // Errors about the type are shown where it is written.
    let span = ty.span().resolved_at(Span::call_site());
    if types::is_named(ty, "Result") {
        let into_output = quote_spanned!(span=> __IntoOutput::into_output(output));
        return quote! {
            use #root::__private::IntoOutput as __IntoOutput;
            let output = #call;
            #into_output
        };
    }
    // A `Result` behind an alias is taken by value before anything is taken by reference, so it
    // meets `IntoOutput` of core; all other types meet the trait that is declared here.
    let encode = encode(root);
    let into_output = quote_spanned!(span=> output.into_output());
    quote! {
        #encode
        use #root::__private::IntoOutput as _;
        let output = #call;
        #into_output
    }
}

/// Returns a trait that every type has, and that asks for `Serialize` only when it is used.
fn encode(root: &Root) -> TokenStream {
    quote! {
        trait __Encode {
            fn into_output(&self) -> ::core::result::Result<#root::Value, #root::ToolError>
            where
                Self: #root::__private::serde::Serialize;
        }
        impl<T> __Encode for T {
            fn into_output(&self) -> ::core::result::Result<#root::Value, #root::ToolError>
            where
                Self: #root::__private::serde::Serialize,
            {
                #root::__private::encode_output(self)
            }
        }
    }
}
