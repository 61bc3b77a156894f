//! What becomes of each parameter: an argument, a fixed value, a secret, or nothing.

use toolsmith_core::Value;
use toolsmith_net::HeaderName;

use super::{
    document::Document,
    model::{Location, Operation, Parameter, Style},
    names,
    notes::Notes,
    parameters,
    paths::PathTemplate,
    security::Auth,
};

/// Headers that the media types of a request and its answer decide (OpenAPI, parameter objects).
const IGNORED: [&str; 2] = ["accept", "content-type"];

/// Headers that the client sets by itself.
const OF_THE_CLIENT: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "accept-encoding",
];

/// Headers that a model must not be asked for.
const SECRETS: [&str; 9] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "apikey",
    "x-auth-token",
    "x-access-token",
    "secret",
    "password",
];

/// Sorts the parameters of one operation.
#[derive(Debug)]
pub(super) struct Sorter<'a, 'd> {
    pub(super) document: &'d Document<'a>,
    pub(super) notes: &'d mut Notes,
    /// What variables begin with.
    pub(super) api: &'d str,
    pub(super) auth: &'d Auth,
    /// The operation, for people.
    pub(super) label: String,
}

/// Parameters by what becomes of them.
#[derive(Debug, Default)]
pub(super) struct Sorted<'a> {
    pub(super) arguments: Vec<Parameter<'a>>,
    pub(super) fixed: Vec<(Parameter<'a>, Value)>,
    pub(super) secrets: Vec<(String, String)>,
}

enum Verdict {
    Argument,
    Fixed(Value),
    Secret(String),
    Nothing,
}

impl<'a> Sorter<'a, '_> {
    /// Sorts parameters into arguments, fixed values and secrets.
    pub(super) fn sort(
        &mut self,
        operation: &Operation<'a>,
        path: &PathTemplate<'a>,
    ) -> Result<Sorted<'a>, String> {
        let mut sorted = Sorted::default();
        for parameter in parameters::list(self.document, operation, self.notes)? {
            match self.judge(&parameter, path)? {
                Verdict::Argument => sorted.arguments.push(parameter),
                Verdict::Fixed(value) => sorted.fixed.push((parameter, value)),
                Verdict::Secret(variable) => {
                    sorted.secrets.push((parameter.name.to_owned(), format!("${{{variable}}}")));
                }
                Verdict::Nothing => {}
            }
        }
        for name in path.names() {
            let is_there =
                |known: &&Parameter<'_>| known.location == Location::Path && known.name == name;
            if sorted.arguments.iter().find(is_there).is_none() {
                self.notes.warn(
                    &self.label,
                    "a parameter of its path is not described; it is taken as text",
                );
                sorted.arguments.push(undescribed(name));
            }
        }
        Ok(sorted)
    }

    fn judge(
        &mut self,
        parameter: &Parameter<'a>,
        path: &PathTemplate<'_>,
    ) -> Result<Verdict, String> {
        let lower = parameter.name.to_ascii_lowercase();
        let shown: String = parameter.name.chars().take(60).collect();
        match parameter.location {
            Location::Path if !path.names().any(|name| name == parameter.name) => {
                self.notes.warn(
                    &self.label,
                    format!("its path has no place for the parameter `{shown}`"),
                );
                return Ok(Verdict::Nothing);
            }
            location if self.auth.writes(location, parameter.name) => return Ok(Verdict::Nothing),
            Location::Header if IGNORED.contains(&lower.as_str()) => return Ok(Verdict::Nothing),
            Location::Header if OF_THE_CLIENT.contains(&lower.as_str()) => {
                self.notes
                    .warn(&self.label, format!("the header `{shown}` is set by the client itself"));
                return Ok(Verdict::Nothing);
            }
            Location::Header if SECRETS.contains(&lower.as_str()) => {
                let variable = format!(
                    "{}_{}",
                    self.api,
                    names::variable(parameter.name).trim_start_matches('_')
                );
                let why = format!(
                    "the header `{shown}` looks like a secret; it is taken from {variable}"
                );
                self.notes.warn(&self.label, why);
                return Ok(Verdict::Secret(variable));
            }
            Location::Header | Location::Cookie
                if HeaderName::from_bytes(parameter.name.as_bytes()).is_err() =>
            {
                if parameter.is_required {
                    return Err(format!(
                        "`{shown}` is needed, and cannot be the name of a header or cookie"
                    ));
                }
                self.notes.warn(
                    &self.label,
                    format!("`{shown}` cannot be the name of a header or cookie"),
                );
                return Ok(Verdict::Nothing);
            }
            _ => {}
        }
        Ok(only_value(self.document, parameter).map_or(Verdict::Argument, Verdict::Fixed))
    }
}

fn undescribed(name: &str) -> Parameter<'_> {
    Parameter {
        name,
        location: Location::Path,
        is_required: true,
        description: "",
        schema: None,
        style: Style::usual(Location::Path),
        file: None,
        around: None,
    }
}

/// Returns the value of a parameter that can have no other: nobody needs to be asked for it.
fn only_value<'a>(document: &Document<'a>, parameter: &Parameter<'a>) -> Option<Value> {
    if !parameter.is_required || parameter.location == Location::Path {
        return None;
    }
    let schema = document.follow(parameter.schema?).ok()?;
    let value = match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
        (Some(value), _) => value,
        (None, Some(values)) => match values.as_slice() {
            [only] => only,
            _ => return None,
        },
        (None, None) => return None,
    };
    match value {
        Value::String(text) if text.contains(['{', '$']) || text.len() > 200 => None,
        Value::String(_) | Value::Bool(_) | Value::Number(_) => Some(value.clone()),
        _ => None,
    }
}
