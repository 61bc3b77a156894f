//! Values that fit none of several forms: guessing which form was meant.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use toolsmith_core::{Problem, ProblemKind};

use super::{
    problems::{Telling, problem, type_words},
    wording,
};

/// The most forms that a message goes into.
const SAID: usize = 4;

/// The errors of one form.
type Form = Vec<ValidationError<'static>>;

/// Tells that a value fits none of the forms, as helpfully as the errors allow.
pub(super) fn tell_none(
    telling: &Telling<'_>,
    error: &ValidationError<'_>,
    forms: &[Form],
    out: &mut Vec<Problem>,
) {
    let path = error.instance_path().as_str();
    let value = telling.value(error);
    if let Some(words) = all_types(forms, path) {
        out.push(telling.wrong_type(path, value, &words));
        return;
    }
    let mut meant: Vec<&Form> = forms.iter().filter(|form| !is_other_type(form, path)).collect();
    if meant.len() > 1 {
        if let Some((place, options)) = all_options(&meant) {
            let chosen = value.pointer(place.strip_prefix(path).unwrap_or_default());
            out.push(telling.not_listed(place, chosen.unwrap_or(&Value::Null), &options));
            return;
        }
        // A form whose tag is another one was not meant.
        meant.retain(|form| !is_other_tag(form, path));
    }
    match meant.as_slice() {
        [form] => form.iter().for_each(|error| telling.tell(error, out)),
        _ => out.push(none_of(telling, error, forms)),
    }
}

/// Tells that a value fits several forms, of which it must fit only one.
pub(super) fn tell_several(
    telling: &Telling<'_>,
    error: &ValidationError<'_>,
    forms: &[Form],
) -> Problem {
    let path = error.instance_path().as_str();
    let fits = forms.iter().enumerate().filter(|(_, errors)| errors.is_empty());
    let numbers: Vec<String> = fits.map(|(at, _)| (at + 1).to_string()).collect();
    let message = format!(
        "{} must fit exactly one of {} forms, but fits several: numbers {}.",
        telling.place(path),
        forms.len(),
        numbers.join(", ")
    );
    problem(ProblemKind::ConstraintViolation, path, message, Value::Null, telling.value(error))
}

fn none_of(telling: &Telling<'_>, error: &ValidationError<'_>, forms: &[Form]) -> Problem {
    let path = error.instance_path().as_str();
    let first = |form: &Form| form.first().and_then(|error| telling.one(error));
    let reasons: Vec<Problem> = forms.iter().take(SAID).filter_map(first).collect();
    let mut message =
        format!("{} fits none of the {} allowed forms.", telling.place(path), forms.len());
    for (at, reason) in reasons.iter().enumerate() {
        message = format!("{message} ({}) {}", at + 1, wording::cut(&reason.message, 300));
    }
    if forms.len() > SAID {
        message = format!("{message} And {} more.", forms.len() - SAID);
    }
    let expected = reasons.into_iter().map(|reason| wording::shortened(&reason.expected)).collect();
    problem(ProblemKind::ConstraintViolation, path, message, expected, telling.value(error))
}

/// Returns the types of all forms, when the type alone rules out each of them.
fn all_types(forms: &[Form], path: &str) -> Option<Vec<&'static str>> {
    let mut words = Vec::new();
    for form in forms {
        for word in other_type(form, path)? {
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    (!words.is_empty()).then_some(words)
}

fn is_other_type(form: &Form, path: &str) -> bool {
    other_type(form, path).is_some()
}

/// Returns the types that a form wants, when the value has none of them.
fn other_type(form: &Form, path: &str) -> Option<Vec<&'static str>> {
    form.iter().find_map(|error| match error.kind() {
        ValidationErrorKind::Type { kind } if error.instance_path().as_str() == path => {
            Some(type_words(kind))
        }
        _ => None,
    })
}

/// Returns all listed values and where, when each form fails by one list at the same place.
fn all_options<'f>(forms: &[&'f Form]) -> Option<(&'f str, Vec<Value>)> {
    let place = options(forms.first()?)?.0;
    let mut all = Vec::new();
    for form in forms {
        let (here, some) = options(form)?;
        if here != place {
            return None;
        }
        all.extend(some);
    }
    Some((place, all))
}

/// Returns the listed values and where, when a form has an error by such a list: the tag of a
/// form when it is one of several errors.
fn options(form: &Form) -> Option<(&str, Vec<Value>)> {
    form.iter().find_map(|error| {
        let options = match error.kind() {
            ValidationErrorKind::Enum { options } => options.as_array()?.clone(),
            ValidationErrorKind::Constant { expected_value } => vec![(**expected_value).clone()],
            _ => return None,
        };
        Some((error.instance_path().as_str(), options))
    })
}

/// Tells whether a form wants another constant in a field of the value, as tagged forms do.
fn is_other_tag(form: &Form, path: &str) -> bool {
    form.iter().any(|error| {
        let is_list = matches!(
            error.kind(),
            ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. }
        );
        let here = error.instance_path().as_str();
        is_list && here.strip_prefix(path).is_some_and(|rest| rest.matches('/').count() <= 1)
    })
}
