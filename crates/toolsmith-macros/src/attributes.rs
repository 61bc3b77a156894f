//! What stands in `#[tool(…)]`.

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use syn::{
    Error, Lit, LitBool, LitStr, Path, Token, meta::ParseNestedMeta, parenthesized, parse::Parser,
    punctuated::Punctuated, spanned::Spanned,
};

use crate::{
    checks,
    errors::{Keys, Problems},
};

const KEYS: &[&str] = &[
    "name",
    "title",
    "description",
    "version",
    "category",
    "tags",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "timeout",
    "parallel",
    "coerce",
    "deprecated",
    "approval",
    "stream",
    "blocking",
    "crate",
];

/// What stands in `#[tool(…)]`, checked.
#[derive(Default)]
pub(crate) struct ToolAttributes {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) version: Option<LitStr>,
    pub(crate) category: Option<LitStr>,
    pub(crate) tags: Vec<LitStr>,
    pub(crate) read_only: Option<Flag>,
    pub(crate) destructive: Option<Flag>,
    pub(crate) idempotent: Option<Flag>,
    pub(crate) open_world: Option<Flag>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) parallel: Option<Flag>,
    pub(crate) coerce: Option<Flag>,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) approval: Option<Flag>,
    pub(crate) stream: Option<Flag>,
    pub(crate) blocking: Option<Flag>,
    pub(crate) root: Option<Path>,
}

/// A yes or no, and where it is said.
#[derive(Clone, Copy)]
pub(crate) struct Flag {
    pub(crate) value: bool,
    pub(crate) span: Span,
}

impl ToolAttributes {
    /// Reads the attribute as far as it can be read.
    pub(crate) fn parse(tokens: TokenStream, problems: &mut Problems) -> Self {
        let mut attributes = Self::default();
        let mut keys = Keys::new("tool", KEYS, problems);
        let parser = syn::meta::parser(|meta| keys.read(&meta, |key| attributes.read(key, &meta)));
        let result = parser.parse2(tokens);
        problems.take(result);
        attributes.check(problems);
        attributes
    }

    fn read(&mut self, key: &str, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match key {
            "name" => self.name = Some(name(meta)?),
            "title" => self.title = Some(text(meta)?),
            "description" => self.description = Some(text(meta)?),
            "version" => self.version = Some(checks::version(meta.value()?.parse()?)?),
            "category" => self.category = Some(text(meta)?),
            "tags" => self.tags = tags(meta)?,
            "read_only" => self.read_only = Some(flag(meta)?),
            "destructive" => self.destructive = Some(flag(meta)?),
            "idempotent" => self.idempotent = Some(flag(meta)?),
            "open_world" => self.open_world = Some(flag(meta)?),
            "timeout" => self.timeout = Some(checks::seconds(&meta.value()?.parse::<Lit>()?)?),
            "parallel" => self.parallel = Some(flag(meta)?),
            "coerce" => self.coerce = Some(flag(meta)?),
            "deprecated" => self.deprecated = Some(text(meta)?),
            "approval" => self.approval = Some(flag(meta)?),
            "stream" => self.stream = Some(flag(meta)?),
            "blocking" => self.blocking = Some(flag(meta)?),
            "crate" => self.root = Some(root(meta)?),
            _ => {}
        }
        Ok(())
    }

    fn check(&self, problems: &mut Problems) {
        let says_both = is_set(self.read_only) && is_set(self.destructive);
        if let (true, Some(destructive)) = (says_both, self.destructive) {
            problems.add(Error::new(
                destructive.span,
                "a tool that is `read_only` cannot be `destructive`: keep one of them",
            ));
        }
    }
}

/// Tells whether a flag is there and says yes.
pub(crate) fn is_set(flag: Option<Flag>) -> bool {
    flag.is_some_and(|flag| flag.value)
}

fn name(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let name: LitStr = meta.value()?.parse()?;
    match checks::name_problem(&name.value()) {
        Some(problem) => Err(Error::new_spanned(name, problem)),
        None => Ok(name),
    }
}

fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    checks::text(meta.value()?.parse()?)
}

/// Reads `key` or `key = true`.
fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<Flag> {
    let is_bare = !meta.input.peek(Token![=]);
    let value = is_bare || meta.value()?.parse::<LitBool>()?.value;
    Ok(Flag { value, span: meta.path.span() })
}

fn root(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let path: LitStr = meta.value()?.parse()?;
    path.parse_with(Path::parse_mod_style)
        .map_err(|_| Error::new_spanned(path, "write a path, such as \"toolsmith_core\""))
}

fn tags(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<LitStr>> {
    if !meta.input.peek(syn::token::Paren) {
        return Err(meta.error("write the tags in brackets: `tags(\"one\", \"two\")`"));
    }
    let list;
    parenthesized!(list in meta.input);
    let tags = Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?;
    tags.into_iter().map(checks::text).collect()
}
