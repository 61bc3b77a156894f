//! The parameters of a function, as parts of a tool.

use syn::{
    Attribute, Expr, FnArg, Ident, Pat, PatType, Signature, Type, ext::IdentExt,
    punctuated::Punctuated,
};

use crate::{
    argument::{ArgAttributes, ArgDefault},
    docs,
    errors::Problems,
    types::{self, ContextBy},
};

/// A parameter of a function.
pub(crate) enum Parameter {
    /// A property of the input.
    Property(Box<Property>),
    /// The whole input.
    Whole(Box<Type>),
    /// The context of the call; models never see it.
    Context(ContextBy),
}

/// A property of the input.
pub(crate) struct Property {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// Its name in the input, when that is not the name of the parameter.
    pub(crate) rename: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) default: Option<Default>,
    /// The attributes for `serde` and `schemars`.
    pub(crate) attributes: Vec<Attribute>,
}

/// The value of a property that a call leaves out.
pub(crate) enum Default {
    /// The default of its type.
    OfType,
    /// A value.
    Value(Expr),
}

impl Property {
    /// Returns its name in the input.
    pub(crate) fn name(&self) -> String {
        self.rename.clone().unwrap_or_else(|| self.ident.unraw().to_string())
    }
}

/// Reads the parameters of a function, and leaves in its signature what Rust itself understands.
pub(crate) fn read(signature: &mut Signature, problems: &mut Problems) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => problems.at(
                receiver,
                "a tool is a function of its own, not a method; \
                 for objects that remember, see `Tool::stateful`",
            ),
            FnArg::Typed(input) => parameters.extend(read_one(input, problems)),
        }
    }
    check_together(&signature.inputs, &parameters, problems);
    parameters
}

fn read_one(input: &mut PatType, problems: &mut Problems) -> Option<Parameter> {
    let attributes = std::mem::take(&mut input.attrs);
    let arg = ArgAttributes::parse(&attributes, problems);
    let (for_field, for_rust) = sort(&attributes, problems);
    input.attrs = for_rust;

    if let Some(by) = types::context(&input.ty) {
        return context(by, &arg, input, problems);
    }
    check_type(&input.ty, problems);
    if arg.whole.is_some() {
        check_whole(&arg, &attributes, problems);
        return Some(Parameter::Whole(input.ty.clone()));
    }
    let ident = name_of(input, problems)?;
    let documented = docs::text_of(&attributes);
    let description = arg.description.map(|text| text.value());
    Some(Parameter::Property(Box::new(Property {
        ident,
        rename: arg.rename.map(|name| name.value()),
        description: description.or((!documented.is_empty()).then_some(documented)),
        default: arg.default.map(|default| read_default(default, &input.ty, problems)),
        ty: (*input.ty).clone(),
        attributes: for_field,
    })))
}

/// Sorts the attributes of a parameter into those of its field and those of the function.
fn sort(attributes: &[Attribute], problems: &mut Problems) -> (Vec<Attribute>, Vec<Attribute>) {
    let mut for_field = Vec::new();
    let mut for_rust = Vec::new();
    for attribute in attributes {
        let is = |name| attribute.path().is_ident(name);
        if is("serde") || is("schemars") {
            for_field.push(attribute.clone());
        } else if is("cfg") || is("cfg_attr") {
            problems
                .at(attribute, "a parameter of a tool is always there: put this on the function");
        } else if !is("doc") && !is("arg") {
            for_rust.push(attribute.clone());
        }
    }
    (for_field, for_rust)
}

fn context(
    by: ContextBy,
    arg: &ArgAttributes,
    input: &PatType,
    problems: &mut Problems,
) -> Option<Parameter> {
    if let Type::Reference(reference) = &*input.ty
        && reference.mutability.is_some()
    {
        problems.at(reference, "take `&ToolContext`: the context is shared");
        return None;
    }
    if let Some(place) =
        arg.of_property().or(arg.whole.as_ref().map(quote::ToTokens::to_token_stream))
    {
        problems.at(place, "the context is not part of the input: it takes no `#[arg]`");
    }
    Some(Parameter::Context(by))
}

fn check_type(ty: &Type, problems: &mut Problems) {
    if let Type::ImplTrait(ty) = ty {
        problems.at(ty, "take a type with a name: the schema of the input is made of it");
    } else if let Some(reference) = types::reference_in(ty) {
        let owned = types::owned_form(reference);
        problems.at(reference, format!("take {owned}: the input is owned"));
    }
}

fn check_whole(arg: &ArgAttributes, attributes: &[Attribute], problems: &mut Problems) {
    if let Some(place) = arg.of_property() {
        problems.at(place, "the whole input is no property: say this on the fields of its type");
    }
    let is_doc = |attribute: &&Attribute| attribute.path().is_ident("doc");
    if let Some(comment) = attributes.iter().find(is_doc) {
        problems.at(comment, "no model reads this: describe the fields of the type instead");
    }
}

fn name_of(input: &PatType, problems: &mut Problems) -> Option<Ident> {
    match &*input.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        pattern => {
            problems.at(pattern, "give the parameter a plain name: it is what the model reads");
            None
        }
    }
}

fn read_default(default: ArgDefault, ty: &Type, problems: &mut Problems) -> Default {
    if types::is_named(ty, "Option") {
        problems.at(
            &default.key,
            "a parameter with a default is never absent: take the type without `Option`",
        );
    }
    default.value.map_or(Default::OfType, Default::Value)
}

/// Checks what holds between parameters.
fn check_together(
    inputs: &Punctuated<FnArg, syn::Token![,]>,
    parameters: &[Parameter],
    problems: &mut Problems,
) {
    let mut contexts = inputs.iter().filter(|input| match input {
        FnArg::Typed(input) => types::context(&input.ty).is_some(),
        FnArg::Receiver(_) => false,
    });
    if let Some(second) = contexts.nth(1) {
        problems.at(second, "a call has one context: take it once");
    }
    let whole = parameters.iter().find_map(|parameter| match parameter {
        Parameter::Whole(ty) => Some(ty),
        _ => None,
    });
    let of_input = parameters.iter().filter(|p| !matches!(p, Parameter::Context(_))).count();
    if let (Some(whole), 2..) = (whole, of_input) {
        problems.at(whole, "this is the whole input: no other parameter can stand beside it");
    }
    check_names(parameters, problems);
}

fn check_names(parameters: &[Parameter], problems: &mut Problems) {
    let mut names = Vec::new();
    for parameter in parameters {
        let Parameter::Property(property) = parameter else { continue };
        let name = property.name();
        if names.contains(&name) {
            problems.at(&property.ident, format!("two parameters have the name `{name}`"));
        }
        names.push(name);
    }
}
