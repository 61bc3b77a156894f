//! The input of a tool: the type that a call is read into.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, ext::IdentExt};

use crate::{
    parameter::{Default, Parameter, Property},
    root::Root,
};

/// The type that a call is read into.
pub(crate) struct Input {
    /// The items that the type needs.
    pub(crate) items: TokenStream,
    /// The type.
    pub(crate) ty: TokenStream,
}

impl Input {
    /// Makes a closed struct of the parameters, unless one of them is the whole input.
    pub(crate) fn new(parameters: &[Parameter], root: &Root) -> Self {
        let whole = parameters.iter().find_map(|parameter| match parameter {
            Parameter::Whole(ty) => Some(ty),
            _ => None,
        });
        if let Some(ty) = whole {
            return Self { items: TokenStream::new(), ty: quote!(#ty) };
        }
        let properties: Vec<&Property> = parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Property(property) => Some(&**property),
                _ => None,
            })
            .collect();
        Self { items: closed_struct(&properties, root), ty: quote!(__ToolInput) }
    }
}

fn closed_struct(properties: &[&Property], root: &Root) -> TokenStream {
    let serde = root.private("serde");
    let schemars = root.private("schemars");
    let fields = properties.iter().map(|property| field(property));
    let defaults = properties.iter().filter_map(|property| default_function(property));
    quote! {
        #[derive(#root::__private::serde::Deserialize, #root::__private::schemars::JsonSchema)]
        #[serde(crate = #serde, deny_unknown_fields)]
        #[schemars(crate = #schemars)]
        struct __ToolInput { #(#fields),* }

        #(#defaults)*
    }
}

fn field(property: &Property) -> TokenStream {
    let Property { ident, ty, rename, description, default, attributes } = property;
    let rename = rename.as_ref().map(|name| quote!(#[serde(rename = #name)]));
    let description = description.as_ref().map(|text| quote!(#[schemars(description = #text)]));
    let default = default.as_ref().map(|default| match default {
        Default::OfType => quote!(#[serde(default)]),
        Default::Value(_) => {
            let function = LitStr::new(&default_name(ident).to_string(), ident.span());
            quote!(#[serde(default = #function)])
        }
    });
    quote! {
        #rename
        #description
        #default
        #(#attributes)*
        #ident: #ty
    }
}

fn default_function(property: &Property) -> Option<TokenStream> {
    let Some(Default::Value(value)) = &property.default else { return None };
    let name = default_name(&property.ident);
    let ty = &property.ty;
    // A text may be the default of a `String`, which is not what its literal is.
    let value = match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            quote!(::core::convert::Into::into(#text))
        }
        value => quote!(#value),
    };
    Some(quote! {
        fn #name() -> #ty { #value }
    })
}

fn default_name(ident: &Ident) -> Ident {
    format_ident!("__default_{}", ident.unraw())
}
