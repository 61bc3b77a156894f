//! What stands in `#[arg(…)]` before a parameter.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Expr, LitStr, Path, Token, meta::ParseNestedMeta};

use crate::{
    checks,
    errors::{Keys, Problems},
};

const KEYS: &[&str] = &["description", "rename", "default", "whole"];

/// What stands in `#[arg(…)]`, checked.
#[derive(Default)]
pub(crate) struct ArgAttributes {
    pub(crate) description: Option<LitStr>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) default: Option<ArgDefault>,
    /// Where `whole` is said.
    pub(crate) whole: Option<Path>,
}

/// The value of a parameter that a call leaves out.
pub(crate) struct ArgDefault {
    /// Where it is said.
    pub(crate) key: Path,
    /// The value; the default of the type when absent.
    pub(crate) value: Option<Expr>,
}

impl ArgAttributes {
    /// Reads the `#[arg]` attributes among those of a parameter.
    pub(crate) fn parse(attributes: &[Attribute], problems: &mut Problems) -> Self {
        let mut arg = Self::default();
        let mut keys = Keys::new("arg", KEYS, problems);
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("arg")) {
            let result =
                attribute.parse_nested_meta(|meta| keys.read(&meta, |key| arg.read(key, &meta)));
            keys.note(result);
        }
        arg
    }

    /// Returns the place of something that only a property of the input can have.
    pub(crate) fn of_property(&self) -> Option<TokenStream> {
        let description = self.description.as_ref().map(ToTokens::to_token_stream);
        let rename = self.rename.as_ref().map(ToTokens::to_token_stream);
        let default = self.default.as_ref().map(|default| default.key.to_token_stream());
        description.or(rename).or(default)
    }

    fn read(&mut self, key: &str, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match key {
            "description" => self.description = Some(checks::text(meta.value()?.parse()?)?),
            "rename" => self.rename = Some(checks::text(meta.value()?.parse()?)?),
            "default" => self.default = Some(default(meta)?),
            "whole" => self.whole = Some(meta.path.clone()),
            _ => {}
        }
        Ok(())
    }
}

fn default(meta: &ParseNestedMeta<'_>) -> syn::Result<ArgDefault> {
    let has_value = meta.input.peek(Token![=]);
    let value = if has_value { Some(meta.value()?.parse()?) } else { None };
    Ok(ArgDefault { key: meta.path.clone(), value })
}
