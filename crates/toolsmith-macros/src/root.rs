//! Where generated code finds the nouns of Toolsmith.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::{LitStr, Path};

/// The path under which generated code finds the nouns of Toolsmith.
pub(crate) struct Root(TokenStream);

impl Root {
    /// Takes the path of `#[tool(crate = "…")]`, or the facade.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Self(path.map_or_else(|| quote!(::toolsmith), |path| as_generated(path.to_token_stream())))
    }

    /// Returns the path of something hidden as text, as the attributes of derives want it.
    pub(crate) fn private(&self, name: &str) -> LitStr {
        let root: String = self.0.to_string().split_whitespace().collect();
        LitStr::new(&format!("{root}::__private::{name}"), Span::call_site())
    }
}

impl ToTokens for Root {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(self.0.clone());
    }
}

/// Marks tokens as generated, so that lints on the author's code pass over their second appearance.
///
/// They stay at their place in the source, where errors about them are shown.
pub(crate) fn as_generated(tokens: TokenStream) -> TokenStream {
    tokens.into_iter().map(mark).collect()
}

fn mark(token: TokenTree) -> TokenTree {
    let span = token.span().resolved_at(Span::call_site());
    let mut token = match token {
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), as_generated(group.stream())))
        }
        token => token,
    };
    token.set_span(span);
    token
}
