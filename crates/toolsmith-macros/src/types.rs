//! What the macro sees in a type; it knows names only, as no type is resolved yet.

use syn::{GenericArgument, PathArguments, ReturnType, Type, TypeReference};

/// How a function takes the context of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContextBy {
    /// `&ToolContext`
    Reference,
    /// `ToolContext`
    Value,
}

/// Tells whether a parameter of this type takes the context of the call, and how.
pub(crate) fn context(ty: &Type) -> Option<ContextBy> {
    match bare(ty) {
        Type::Reference(reference) if is_named(&reference.elem, "ToolContext") => {
            Some(ContextBy::Reference)
        }
        ty if is_named(ty, "ToolContext") => Some(ContextBy::Value),
        _ => None,
    }
}

/// Tells whether the last word of a type's path is this one.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    match bare(ty) {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == name),
        _ => false,
    }
}

/// Returns the type behind the arrow, if there is an arrow.
pub(crate) fn returned(output: &ReturnType) -> Option<&Type> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(ty),
    }
}

/// Finds a reference in a type, however deep.
pub(crate) fn reference_in(ty: &Type) -> Option<&TypeReference> {
    match bare(ty) {
        Type::Reference(reference) => Some(reference),
        Type::Array(array) => reference_in(&array.elem),
        Type::Slice(slice) => reference_in(&slice.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(reference_in),
        Type::Path(path) => match &path.path.segments.last()?.arguments {
            PathArguments::AngleBracketed(list) => list.args.iter().find_map(|arg| match arg {
                GenericArgument::Type(ty) => reference_in(ty),
                _ => None,
            }),
            _ => None,
        },
        _ => None,
    }
}

/// Names what to take in place of a reference.
pub(crate) fn owned_form(reference: &TypeReference) -> &'static str {
    match bare(&reference.elem) {
        Type::Slice(_) => "a `Vec`",
        ty if is_named(ty, "str") => "`String`",
        ty if is_named(ty, "Path") => "`PathBuf`",
        _ => "the type without `&`",
    }
}

/// Takes away brackets, and the invisible ones that other macros leave.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        ty => ty,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn the_context_is_known_by_the_end_of_its_path() {
        assert_eq!(context(&parse_quote!(&ToolContext)), Some(ContextBy::Reference));
        assert_eq!(context(&parse_quote!(&'a core::ToolContext)), Some(ContextBy::Reference));
        assert_eq!(context(&parse_quote!((::toolsmith::ToolContext))), Some(ContextBy::Value));
        assert_eq!(context(&parse_quote!(Option<ToolContext>)), None);
        assert_eq!(context(&parse_quote!(Context)), None);
    }

    #[test]
    fn references_are_found_in_the_depth() {
        for ty in [
            parse_quote!(&str),
            parse_quote!(Option<&str>),
            parse_quote!(Vec<(i64, [&Path; 2])>),
            parse_quote!(std::collections::HashMap<String, &[u8]>),
        ] {
            assert!(reference_in(&ty).is_some());
        }
        assert!(reference_in(&parse_quote!(Vec<Cow<'static, str>>)).is_none());
    }

    #[test]
    fn the_owned_form_is_named() {
        assert_eq!(owned_form(&parse_quote!(&str)), "`String`");
        assert_eq!(owned_form(&parse_quote!(&[u8])), "a `Vec`");
        assert_eq!(owned_form(&parse_quote!(&std::path::Path)), "`PathBuf`");
        assert_eq!(owned_form(&parse_quote!(&Query)), "the type without `&`");
    }
}
