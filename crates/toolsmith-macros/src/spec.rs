//! The description of a tool, as code that builds it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

use crate::{
    attributes::{Flag, ToolAttributes, is_set},
    function::Function,
    root::Root,
};

/// Returns the statements that build `spec`.
pub(crate) fn build(
    function: &Function,
    tool: &ToolAttributes,
    input: &TokenStream,
    root: &Root,
) -> TokenStream {
    let Function { name, description, .. } = function;
    let texts = texts(tool);
    let flags = flags(tool);
    let others = others(tool, root);
    quote! {
        let mut spec = #root::ToolSpec::new(#name)?.with_description(#description);
        spec.input_schema = #root::__private::input_schema::<#input>();
        #texts
        #flags
        #others
    }
}

fn texts(tool: &ToolAttributes) -> TokenStream {
    let set = |field: TokenStream, text: &Option<LitStr>| {
        text.as_ref().map(|text| {
            quote!(spec.#field = ::core::option::Option::Some(::core::convert::Into::into(#text));)
        })
    };
    let title = set(quote!(title), &tool.title);
    let deprecated = set(quote!(deprecated), &tool.deprecated);
    quote!(#title #deprecated)
}

fn flags(tool: &ToolAttributes) -> TokenStream {
    let set = |field: TokenStream, flag: Option<Flag>| {
        flag.map(|Flag { value, .. }| quote!(spec.#field = #value;))
    };
    let read_only = set(quote!(annotations.read_only), tool.read_only);
    let destructive = set(quote!(annotations.destructive), tool.destructive);
    let idempotent = set(quote!(annotations.idempotent), tool.idempotent);
    let open_world = set(quote!(annotations.open_world), tool.open_world);
    let coerce = set(quote!(coerce), tool.coerce);
    let stream = set(quote!(stream_support), tool.stream);
    quote!(#read_only #destructive #idempotent #open_world #coerce #stream)
}

fn others(tool: &ToolAttributes, root: &Root) -> TokenStream {
    let version = tool.version.as_ref().map(
        |text| quote!(spec.version = <#root::Version as ::core::str::FromStr>::from_str(#text)?;),
    );
    let category =
        tool.category.as_ref().map(|word| quote!(spec.category = #root::Category::new(#word);));
    let tags =
        tool.tags.iter().map(|tag| quote!(spec.tags.push(::core::convert::Into::into(#tag));));
    let timeout = tool.timeout.map(|timeout| {
        let (seconds, nanos) = (timeout.as_secs(), timeout.subsec_nanos());
        quote! {
            spec.timeout = ::core::option::Option::Some(
                ::core::time::Duration::new(#seconds, #nanos),
            );
        }
    });
    let parallel = tool
        .parallel
        .map(|Flag { value, .. }| quote!(spec.parallel = ::core::option::Option::Some(#value);));
    let approval = is_set(tool.approval).then(|| {
        quote! {
            spec.approval = ::core::option::Option::Some(::core::default::Default::default());
        }
    });
    quote!(#version #category #(#tags)* #timeout #parallel #approval)
}
