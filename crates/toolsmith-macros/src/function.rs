//! The function under `#[tool]`, read and checked.

use proc_macro2::{Group, TokenTree};
use syn::{
    Attribute, Error, GenericParam, Ident, Safety, Signature, Visibility,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    token::Brace,
};

use crate::{
    attributes::{ToolAttributes, is_set},
    checks, docs,
    errors::Problems,
    parameter::{self, Parameter},
};

/// A function as it is written; its body is not looked at.
pub(crate) struct Source {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: Group,
}

/// A function that can become a tool.
pub(crate) struct Function {
    /// The doc comments.
    pub(crate) comments: Vec<Attribute>,
    /// All other attributes.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Group,
    /// The name of the tool.
    pub(crate) name: String,
    /// What the model reads.
    pub(crate) description: String,
}

impl Parse for Source {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let first = input.fork().parse::<TokenTree>();
        let signature: Signature = input.parse().map_err(|error| no_function(first, error))?;
        if !input.peek(Brace) {
            return Err(Error::new_spanned(signature, "a tool needs a body: it is what runs"));
        }
        Ok(Self { attributes, visibility, signature, body: input.parse()? })
    }
}

impl Source {
    /// Returns the name of the function.
    pub(crate) fn ident(&self) -> &Ident {
        &self.signature.ident
    }

    /// Returns the visibility of the function.
    pub(crate) fn visibility(&self) -> &Visibility {
        &self.visibility
    }

    /// Tells whether the function stands in an `impl`, where no other items may be.
    pub(crate) fn is_method(&self) -> bool {
        self.signature.receiver().is_some()
    }

    /// Reads the function as a tool, and notes everything that keeps it from being one.
    pub(crate) fn read(mut self, tool: &ToolAttributes, problems: &mut Problems) -> Function {
        check_signature(&self.signature, tool, problems);
        let parameters = parameter::read(&mut self.signature, problems);
        let name = name_of(&self.signature.ident, tool, problems);
        let description = describe(&self, tool, problems);
        let mut function = Function {
            comments: Vec::new(),
            attributes: Vec::new(),
            visibility: self.visibility,
            signature: self.signature,
            parameters,
            body: self.body,
            name,
            description,
        };
        for attribute in self.attributes {
            function.keep(attribute, problems);
        }
        function
    }
}

impl Function {
    fn keep(&mut self, attribute: Attribute, problems: &mut Problems) {
        let is = |name| attribute.path().is_ident(name);
        if is("doc") {
            self.comments.push(attribute);
        } else if is("deprecated") {
            problems
                .at(attribute, "write `#[tool(deprecated = \"…\")]`, which the model reads too");
        } else {
            self.attributes.push(attribute);
        }
    }
}

/// Says what `#[tool]` stands on, when that is no function.
fn no_function(first: syn::Result<TokenTree>, error: Error) -> Error {
    const OTHERS: [&str; 10] =
        ["struct", "enum", "union", "impl", "trait", "mod", "static", "const", "type", "use"];
    match first {
        Ok(TokenTree::Ident(word)) if OTHERS.iter().any(|other| word == other) => Error::new(
            word.span(),
            format!("`#[tool]` makes a tool of an `async fn` or a `fn`, not of `{word}`"),
        ),
        _ => error,
    }
}

fn check_signature(signature: &Signature, tool: &ToolAttributes, problems: &mut Problems) {
    if let Some(word) = &signature.constness {
        problems.at(word, "a tool runs when it is called, never while compiling: remove `const`");
    }
    if let Safety::Unsafe(word) = &signature.safety {
        problems.at(word, "models call tools with any input: a tool cannot be `unsafe`");
    }
    if let Some(abi) = &signature.abi {
        problems.at(abi, "a tool is called by Rust: remove `extern`");
    }
    for parameter in &signature.generics.params {
        if !matches!(parameter, GenericParam::Lifetime(_)) {
            problems.at(parameter, "a tool cannot be generic: its input has one schema");
        }
    }
    if let (Some(word), true) = (&signature.asyncness, is_set(tool.blocking)) {
        problems.at(
            word,
            "make it a plain `fn`: plain functions run on the pool of threads, async ones cannot",
        );
    }
}

fn name_of(ident: &Ident, tool: &ToolAttributes, problems: &mut Problems) -> String {
    if let Some(name) = &tool.name {
        return name.value();
    }
    let name = ident.unraw().to_string();
    if let Some(problem) = checks::name_problem(&name) {
        problems.at(ident, format!("{problem}; give another by `#[tool(name = \"…\")]`"));
    }
    name
}

fn describe(source: &Source, tool: &ToolAttributes, problems: &mut Problems) -> String {
    let description = match &tool.description {
        Some(description) => description.value(),
        None => docs::text_of(&source.attributes),
    };
    if description.is_empty() {
        problems.at(&source.signature.ident, "write a doc comment: it is what the model reads");
    }
    description
}
