//! From the errors of the validator to problems that a model can act on.

use std::collections::{HashMap, HashSet};

use jsonschema::{
    ErrorIterator, JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::{Map, Value, json};

use toolsmith_core::{Problem, ProblemKind, nearest, suggestion};

use super::{bounds, constraints::constraint, forms, order, shape::Shape, wording};

/// The most errors of the validator that are looked at; the first of them are told.
const LOOKED_AT: usize = 1_000;

/// The most names that are compared when one is missing or unknown.
const COMPARED: usize = 200;

/// What a problem can be about, as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// The input of a call: its fields are parameters.
    Input,
    /// Any value.
    Value,
    /// A schema, seen by its meta-schema.
    Schema,
}

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Self::Input => "The input",
            Self::Value => "The value",
            Self::Schema => "The schema",
        }
    }
}

/// How problems are told: about what, with which schema at hand.
pub(super) struct Telling<'a> {
    /// What the whole is.
    pub(super) subject: Subject,
    /// The schema, for names and descriptions.
    pub(super) source: &'a Value,
    /// Parameters that were given and that nobody knows: one may be meant for a missing one.
    pub(super) given: &'a [String],
    /// The value as it was, when the errors are those of a part of it.
    pub(super) original: Option<&'a Value>,
}

impl Telling<'_> {
    /// Tells all errors in a stable order: as declared, then by place, unknown parameters last.
    pub(super) fn all(&self, errors: ErrorIterator<'_>, shape: &Shape) -> Vec<Problem> {
        let mut problems = Vec::new();
        for error in errors {
            self.tell(&error, &mut problems);
            if problems.len() >= LOOKED_AT {
                break;
            }
        }
        if problems.is_empty() {
            problems.push(self.unexplained());
        }
        let mut ranks = HashMap::new();
        for (rank, name) in shape.names().enumerate() {
            ranks.entry(name).or_insert(rank);
        }
        problems.sort_by(|a, b| order::in_order(a, b, &ranks));
        problems.dedup_by(|a, b| order::is_repeated(a, b));
        problems.truncate(bounds::PROBLEMS);
        problems
    }

    /// Tells the first problem of one error.
    pub(super) fn one(&self, error: &ValidationError<'_>) -> Option<Problem> {
        let mut problems = Vec::new();
        self.tell(error, &mut problems);
        problems.into_iter().next()
    }

    /// Tells one error, which may be several problems.
    pub(super) fn tell(&self, error: &ValidationError<'_>, out: &mut Vec<Problem>) {
        let path = error.instance_path().as_str();
        let value = self.value(error);
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                out.push(self.missing(path, property.as_str().unwrap_or_default(), error));
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.known(error);
                for name in unexpected.iter().take(bounds::PROBLEMS) {
                    let field = value.get(name).unwrap_or(&Value::Null);
                    out.push(self.extra(path, name, field, &known));
                }
            }
            ValidationErrorKind::Type { kind } => {
                out.push(self.wrong_type(path, value, &type_words(kind)));
            }
            ValidationErrorKind::Enum { options } => {
                out.push(self.not_listed(
                    path,
                    value,
                    options.as_array().map_or(&[], Vec::as_slice),
                ));
            }
            ValidationErrorKind::Constant { expected_value } => {
                out.push(self.not_listed(
                    path,
                    value,
                    std::slice::from_ref(expected_value.as_ref()),
                ));
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                forms::tell_none(self, error, context, out);
            }
            ValidationErrorKind::OneOfMultipleValid { context } => {
                out.push(forms::tell_several(self, error, context));
            }
            other => {
                let (rest, expected) = constraint(other, value);
                let message = format!("{} {rest}.", self.place(path));
                out.push(problem(ProblemKind::ConstraintViolation, path, message, expected, value));
            }
        }
    }

    /// Returns the value that an error is about.
    pub(super) fn value<'e>(&'e self, error: &'e ValidationError<'_>) -> &'e Value {
        let original =
            self.original.and_then(|whole| whole.pointer(error.instance_path().as_str()));
        original.unwrap_or_else(|| error.instance())
    }

    /// Returns what a message calls a place.
    pub(super) fn place(&self, path: &str) -> String {
        wording::place(path, self.subject.name())
    }

    pub(super) fn wrong_type(&self, path: &str, value: &Value, words: &[&str]) -> Problem {
        let wanted = wording::either(words);
        let got = wording::said_with_type(value);
        let message = format!("{} must be {wanted}; got {got}.", self.place(path));
        problem(ProblemKind::TypeMismatch, path, message, wording::one_or_list(words), value)
    }

    pub(super) fn not_listed(&self, path: &str, value: &Value, options: &[Value]) -> Problem {
        let list = wording::listed(options.iter());
        let wanted = if options.len() == 1 { list } else { format!("one of {list}") };
        let mut message =
            format!("{} must be {wanted}; got {}.", self.place(path), wording::said(value));
        let near = value.as_str().and_then(|text| {
            suggestion(text, options.iter().filter_map(Value::as_str).take(COMPARED))
        });
        if let Some(near) = near {
            message = format!("{message} {near}");
        }
        problem(ProblemKind::InvalidEnum, path, message, wording::shortened_list(options), value)
    }

    /// Tells that a parameter is unknown, at the top of the input.
    pub(super) fn unknown(&self, name: &str, value: &Value, shape: &Shape) -> Problem {
        let known: Vec<&str> = shape.names().collect();
        self.extra("", name, value, &known)
    }

    pub(super) fn not_an_object(&self, value: &Value) -> Problem {
        let got = wording::said_with_type(value);
        let message =
            format!("{} must be an object of parameters; got {got}.", self.subject.name());
        problem(ProblemKind::TypeMismatch, "", message, json!("object"), value)
    }

    pub(super) fn too_deep(&self, depth: usize) -> Problem {
        self.whole(format!("is nested deeper than {depth} levels"))
    }

    pub(super) fn too_much_work(&self) -> Problem {
        self.whole("takes too many steps to check against this schema; make it smaller or flatter")
    }

    fn unexplained(&self) -> Problem {
        self.whole("does not fit the schema")
    }

    fn whole(&self, what: impl AsRef<str>) -> Problem {
        let message = format!("{} {}.", self.subject.name(), what.as_ref());
        problem(ProblemKind::ConstraintViolation, "", message, Value::Null, &Value::Null)
    }

    fn missing(&self, path: &str, name: &str, error: &ValidationError<'_>) -> Problem {
        let mut full = path.to_owned();
        push_segment(&mut full, name);
        let field = self.around(error).and_then(|schema| schema.get("properties")?.get(name));
        let words = field.map(|field| self.words_of(field, 8)).unwrap_or_default();
        let mut message = format!("{} is required", self.place(&full));
        if !words.is_empty() {
            message = format!("{message} ({})", words.join(" or "));
        }
        match field.and_then(Value::as_object).and_then(wording::described) {
            Some(description) => message = format!("{message}: {description}"),
            None => message.push('.'),
        }
        let given = self.given.iter().map(String::as_str).take(COMPARED);
        if let Some(meant) = nearest(name, given).first().filter(|_| path.is_empty()) {
            message = format!("{message} You gave `{meant}` instead.");
        }
        let expected = wording::one_or_list(&words);
        problem(ProblemKind::MissingRequired, &full, message, expected, &Value::Null)
    }

    fn extra(&self, path: &str, name: &str, value: &Value, known: &[&str]) -> Problem {
        let mut full = path.to_owned();
        push_segment(&mut full, name);
        let (what, all) = if path.is_empty() && self.subject == Subject::Input {
            ("a parameter of this tool", "parameters")
        } else {
            ("a known field", "fields")
        };
        let hint =
            suggestion(name, known.iter().copied().take(COMPARED)).unwrap_or_else(|| match known {
                [] => format!("There are no {all}."),
                known => format!("The {all} are: {}.", wording::listed_names(known)),
            });
        let message = format!("{} is not {what}. {hint}", self.place(&full));
        let expected = wording::shortened_names(known);
        problem(ProblemKind::ExtraParameter, &full, message, expected, value)
    }

    /// Returns the names that the schema around an error describes.
    fn known(&self, error: &ValidationError<'_>) -> Vec<&str> {
        let fields = self.around(error).and_then(|schema| schema.get("properties")?.as_object());
        fields.into_iter().flat_map(Map::keys).map(String::as_str).collect()
    }

    /// Returns the schema that the keyword of an error belongs to, where it can be found.
    fn around(&self, error: &ValidationError<'_>) -> Option<&Map<String, Value>> {
        let mut path = error.schema_path().as_str();
        while let Some((parent, word)) = path.rsplit_once('/') {
            path = parent;
            // `dependentRequired` has names below it.
            if matches!(
                word,
                "required"
                    | "dependentRequired"
                    | "dependencies"
                    | "additionalProperties"
                    | "unevaluatedProperties"
            ) {
                break;
            }
        }
        self.source.pointer(path)?.as_object()
    }

    /// Returns the words for the types of a schema, through references into it.
    fn words_of<'s>(&'s self, schema: &'s Value, hops: usize) -> Vec<&'s str> {
        match (schema.get("type"), schema.get("$ref"), hops.checked_sub(1)) {
            (Some(Value::String(word)), _, _) => return vec![word],
            (Some(Value::Array(words)), _, _) => {
                return words.iter().filter_map(Value::as_str).collect();
            }
            (_, Some(Value::String(to)), Some(hops)) => {
                let target = to.strip_prefix('#').and_then(|path| self.source.pointer(path));
                return target.map(|target| self.words_of(target, hops)).unwrap_or_default();
            }
            _ => {}
        }
        let forms = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
        let mut all: Vec<&str> = Vec::new();
        for form in forms.into_iter().flatten().take(8) {
            for word in
                hops.checked_sub(4).map(|hops| self.words_of(form, hops)).unwrap_or_default()
            {
                if !all.contains(&word) {
                    all.push(word);
                }
            }
        }
        all
    }
}

/// Makes a problem; the parameter follows from the place.
pub(super) fn problem(
    kind: ProblemKind,
    path: &str,
    message: String,
    expected: Value,
    actual: &Value,
) -> Problem {
    Problem {
        kind,
        parameter: first_name(path).unwrap_or_default(),
        path: path.to_owned(),
        message,
        expected,
        actual: wording::shortened(actual),
    }
}

/// Returns the words for the types that an error wanted.
pub(super) fn type_words(kind: &TypeKind) -> Vec<&'static str> {
    let mut words: Vec<&str> = match kind {
        TypeKind::Single(one) => vec![one.as_str()],
        TypeKind::Multiple(several) => several.iter().map(JsonType::as_str).collect(),
    };
    // "a string or null", as people say.
    words.sort_by_key(|word| *word == "null");
    words
}

/// Adds a name to a JSON Pointer.
pub(super) fn push_segment(path: &mut String, name: &str) {
    path.push('/');
    path.push_str(&name.replace('~', "~0").replace('/', "~1"));
}

/// Returns the top-level name of a JSON Pointer.
pub(super) fn first_name(path: &str) -> Option<String> {
    path.split('/').nth(1).map(wording::unescaped)
}

/// Tells whether a JSON Pointer leads to a top-level name.
pub(super) fn is_top(path: &str) -> bool {
    path.matches('/').count() == 1
}

/// Tells whether a problem is only there because the end of a list or object was cut off.
pub(super) fn comes_from_cutting(problem: &Problem, cut: &HashSet<String>) -> bool {
    const LEAST: [&str; 3] = ["minItems", "minProperties", "contains"];
    if problem.kind == ProblemKind::MissingRequired {
        return problem.path.rsplit_once('/').is_some_and(|(holder, _)| cut.contains(holder));
    }
    cut.contains(&problem.path) && LEAST.iter().any(|word| problem.expected.get(word).is_some())
}
