//! The address of a request: a base, a path, and what the input says inside them.

use toolsmith_core::{TemplateError, ToolError, Value};
use toolsmith_net::{Guard, Url};

use super::{
    pattern::{Pattern, Values, plain},
    style::Style,
};

/// Where requests go.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// Scheme and host, as far as the text itself shows them.
    origin: Pattern,
    /// The path, with what followed the origin in the base.
    path: Pattern,
    /// How parameters stand in the path, where it is said.
    pub(super) styles: Vec<(String, Style)>,
    /// The origin as it was written, which shares a circuit breaker; none when the input names it.
    pub(super) upstream: Option<String>,
}

impl Address {
    /// Reads a base and a path.
    pub(super) fn parse(base: &str, path: &str) -> Result<Self, TemplateError> {
        let end = end_of_host(base);
        let (origin, rest) = base.split_at_checked(end).unwrap_or((base, ""));
        let path = match (rest, path) {
            (rest, "") => rest.to_owned(),
            (rest, path) => {
                format!("{}/{}", rest.trim_end_matches('/'), path.trim_start_matches('/'))
            }
        };
        let (origin, written) = (Pattern::parse(origin)?, origin);
        let is_fixed = origin.parameters().next().is_none();
        let upstream = is_fixed.then(|| written.to_owned());
        Ok(Self { origin, path: Pattern::parse(&path)?, styles: Vec::new(), upstream })
    }

    /// Returns the parameters that it needs.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.origin.parameters().chain(self.path.parameters())
    }

    /// A host that the input takes part in is under the rules for addresses of an input.
    pub(super) fn guard(&self) -> Guard {
        match self.origin.parameters().next() {
            Some(_) => Guard::Public,
            None => Guard::Trusted,
        }
    }

    /// Fills it in; no value can leave the place that it stands in.
    pub(super) fn fill(&self, values: Values<'_>) -> Result<Url, ToolError> {
        if let Some(name) = self.parameters().find(|name| values.get(name).is_none()) {
            return Err(ToolError::validation(format!("The input needs `{name}`.")));
        }
        let origin = self.origin.fill(values, |name, value| label(name, &plain(value)))?;
        let origin = origin.unwrap_or_default();
        let step = |name: &str, value: &Value| match self.style_of(name) {
            Some(style) => style.step(name, value),
            None => segment(name, &plain(value)),
        };
        let path = self.path.fill(values, step)?.unwrap_or_default();
        let text = format!("{origin}{path}");
        let steps = path.split(['?', '#']).next().unwrap_or_default().split('/');
        if steps.clone().any(is_dots) {
            return Err(ToolError::validation(
                "A value of the input would lead to another path: `.` and `..` are not allowed \
                 as a part of the path.",
            ));
        }
        Url::parse(&text).map_err(|error| {
            ToolError::failed("The tool is not rightly configured: its address cannot be read.")
                .with_source(error)
        })
    }

    fn style_of(&self, name: &str) -> Option<&Style> {
        self.styles.iter().find(|(known, _)| known == name).map(|(_, style)| style)
    }
}

/// Finds where the host ends; a slash inside a variable's default belongs to the variable.
fn end_of_host(base: &str) -> usize {
    let mut depth = 0_usize;
    for (place, c) in base.char_indices() {
        let before = base.get(..place).unwrap_or_default();
        let is_of_scheme = before.ends_with(':') || before.ends_with(":/");
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '/' if is_of_scheme => {}
            '/' | '?' if depth == 0 => return place,
            _ => {}
        }
    }
    base.len()
}

/// Takes a value as one part of a host name, and nothing more.
fn label(name: &str, value: &str) -> Result<String, ToolError> {
    let is_label = !value.is_empty()
        && value.len() <= 63
        && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_label {
        return Ok(value.to_owned());
    }
    Err(ToolError::validation(format!(
        "`{name}` becomes part of a host name: only letters, digits and `-` are allowed."
    )))
}

/// Takes a value as a part of one step of the path: nothing in it can end the step.
fn segment(name: &str, value: &str) -> Result<String, ToolError> {
    if value.is_empty() {
        return Err(ToolError::validation(format!("`{name}` must not be empty.")));
    }
    Ok(percent(value))
}

/// Escapes everything but the letters that mean nothing in an address.
pub(super) fn percent(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            text.push('%');
            for half in [byte >> 4, byte & 15] {
                text.push(DIGITS.get(usize::from(half)).copied().map_or('0', char::from));
            }
        }
    }
    text
}

/// Tells whether a step goes nowhere or up, in any of its spellings.
fn is_dots(step: &str) -> bool {
    let step = step.to_ascii_lowercase().replace("%2e", ".");
    step == "." || step == ".."
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{Redactor, Value, Vault, json};

    use super::*;

    fn fill(base: &str, path: &str, input: &Value) -> Result<String, ToolError> {
        let vault = Vault::with_values([("HOST", "https://api.example")], Redactor::default());
        let values = Values { input: input.as_object().unwrap(), vault: &vault, nulls: &[] };
        Address::parse(base, path).unwrap().fill(values).map(Into::into)
    }

    #[test]
    fn base_and_path_become_one_address() {
        let input = json!({ "id": "x" });
        for (base, path, whole) in [
            ("https://a.example", "", "https://a.example/"),
            ("https://a.example/", "/v1", "https://a.example/v1"),
            ("https://a.example/v1/", "items/{id}", "https://a.example/v1/items/x"),
            ("https://a.example/v1", "/items/{id}?full=1", "https://a.example/v1/items/x?full=1"),
            ("${HOST}/v1", "{id}", "https://api.example/v1/x"),
            ("${NO:https://b.example}/v1", "{id}", "https://b.example/v1/x"),
            ("${NO:https://b.example/v2}/v1", "{id}", "https://b.example/v2/v1/x"),
            ("https://{id}.example/a", "", "https://x.example/a"),
        ] {
            assert_eq!(fill(base, path, &input).unwrap(), whole, "{base} {path}");
        }
    }

    #[test]
    fn no_value_leaves_its_step_of_the_path() {
        let place = "https://a.example";
        for (value, step) in [
            ("a/b", "a%2Fb"),
            ("../admin", "..%2Fadmin"),
            ("a?x=1", "a%3Fx%3D1"),
            ("a#b", "a%23b"),
            ("%2e%2e", "%252e%252e"),
            ("a\\b", "a%5Cb"),
            ("@evil.example", "%40evil.example"),
            ("a b\n", "a%20b%0A"),
            ("语", "%E8%AF%AD"),
            ("...", "..."),
        ] {
            let filled = fill(place, "/u/{id}/z", &json!({ "id": value })).unwrap();
            assert_eq!(filled, format!("{place}/u/{step}/z"));
        }
        for value in [".", "..", ""] {
            assert!(fill(place, "/u/{id}/z", &json!({ "id": value })).is_err(), "{value}");
        }
        assert!(fill(place, "/u/.{id}/z", &json!({ "id": "." })).is_err());
        assert!(fill(place, "/u/{id}", &json!({})).unwrap_err().message().contains("needs `id`"));
    }

    #[test]
    fn a_host_that_the_input_takes_part_in_is_not_trusted() {
        for value in ["evil.example/", "a.b", "a@b", "127.0.0.1", "", "a:80", "语"] {
            let input = json!({ "tenant": value });
            assert!(fill("https://{tenant}.example", "", &input).is_err(), "{value}");
        }
        let guard = |base| Address::parse(base, "/{x}").unwrap().guard();
        assert_eq!(guard("https://{tenant}.example"), Guard::Public);
        assert_eq!(guard("https://a.example/{tenant}"), Guard::Trusted);
        assert_eq!(guard("${BASE}"), Guard::Trusted);
    }
}
