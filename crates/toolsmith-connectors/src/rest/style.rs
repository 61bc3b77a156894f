//! How a list or an object is written into one place of a request.
//!
//! The words are those of OpenAPI: `simple`, `label` and `matrix` for paths, `form`,
//! `spaceDelimited`, `pipeDelimited` and `deepObject` for queries and forms. `tabDelimited` is the
//! `tsv` of older documents, and `json` writes the whole value as JSON.

use toolsmith_core::{Fields, Map, ToolError, Value};

use super::{address::percent, pattern::plain};
use crate::texts;

/// How the parts of a value stand beside each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Nobody said: lists repeat in a query and have commas elsewhere, objects are JSON.
    #[default]
    Usual,
    Simple,
    Label,
    Matrix,
    Form,
    Space,
    Pipe,
    Tab,
    Deep,
    Json,
}

/// How a value is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Style {
    kind: Kind,
    explode: bool,
    /// Whether the marks of an address may stand in it as they are.
    has_reserved: bool,
    /// The name that is written into a path, when it is not the parameter's.
    name: Option<String>,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    /// A query, or a form.
    Query,
    Header,
    Cookie,
}

impl Place {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Path => &["simple", "label", "matrix", "json"],
            Self::Query => {
                &["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "json"]
            }
            Self::Header => &["simple", "json"],
            Self::Cookie => &["form", "json"],
        }
    }
}

/// The keys that say how a value is written.
const KEYS: [&str; 3] = ["style", "explode", "allow_reserved"];

/// Tells whether a map is a value with its style, and not a value of its own.
pub(super) fn is_styled(map: &Map<String, Value>, more: &[&str]) -> bool {
    let is_known = |key: &String| KEYS.contains(&key.as_str()) || more.contains(&key.as_str());
    map.contains_key("value")
        && map.len() > 1
        && map.keys().all(|key| key == "value" || is_known(key))
}

impl Style {
    /// Reads the keys of a style; what is wrong is told to them.
    pub(super) fn read(fields: &mut Fields<'_>, place: Place) -> Self {
        let kind = match fields.word("style", place.words()) {
            Some("simple") => Kind::Simple,
            Some("label") => Kind::Label,
            Some("matrix") => Kind::Matrix,
            Some("spaceDelimited") => Kind::Space,
            Some("pipeDelimited") => Kind::Pipe,
            Some("tabDelimited") => Kind::Tab,
            Some("deepObject") => Kind::Deep,
            Some("json") => Kind::Json,
            None if matches!(place, Place::Path | Place::Header) => Kind::Simple,
            Some(_) | None => Kind::Form,
        };
        let explode = fields.flag("explode").unwrap_or(matches!(kind, Kind::Form | Kind::Deep));
        let has_reserved = match place {
            Place::Path | Place::Query => fields.flag("allow_reserved").unwrap_or_default(),
            Place::Header | Place::Cookie => false,
        };
        let name = match place {
            Place::Path => texts::literal(fields, "name").map(str::to_owned),
            _ => None,
        };
        Self { kind, explode, has_reserved, name }
    }

    /// Tells whether nobody said how.
    pub(super) fn is_usual(&self) -> bool {
        self.kind == Kind::Usual
    }

    /// Writes the pairs of a query or a form, escaped; null is left out.
    pub(super) fn pairs(&self, name: &str, value: &Value) -> Vec<String> {
        let escape = |text: &str| if self.has_reserved { reserved(text) } else { percent(text) };
        let pair = |name: &str, text: &str| format!("{}={}", percent(name), escape(text));
        let joined = |parts: Vec<String>, between: &str| {
            let parts: Vec<String> = parts.iter().map(|part| escape(part)).collect();
            vec![format!("{}={}", percent(name), parts.join(between))]
        };
        match (self.kind, value) {
            (_, Value::Null) => Vec::new(),
            (Kind::Json, value) => vec![pair(name, &value.to_string())],
            (Kind::Deep, value @ (Value::Array(_) | Value::Object(_))) => {
                let mut pairs = Vec::new();
                deep(name, value, &mut |name, text| pairs.push(pair(name, text)));
                pairs
            }
            (_, Value::Array(items)) if self.explode => items
                .iter()
                .filter(|item| !item.is_null())
                .map(|item| pair(name, &plain(item)))
                .collect(),
            (_, Value::Object(fields)) if self.explode => {
                let fields = fields.iter().filter(|(_, field)| !field.is_null());
                fields.map(|(key, field)| pair(key, &plain(field))).collect()
            }
            (Kind::Space, value @ (Value::Array(_) | Value::Object(_))) => {
                joined(flat(value), "%20")
            }
            (Kind::Pipe, value @ (Value::Array(_) | Value::Object(_))) => {
                joined(flat(value), "%7C")
            }
            (Kind::Tab, value @ (Value::Array(_) | Value::Object(_))) => joined(flat(value), "%09"),
            (_, value @ (Value::Array(_) | Value::Object(_))) => joined(flat(value), ","),
            (_, value) => vec![pair(name, &plain(value))],
        }
    }

    /// Writes a part of a path, escaped.
    pub(super) fn step(&self, parameter: &str, value: &Value) -> Result<String, ToolError> {
        let name = self.name.as_deref().unwrap_or(parameter);
        let escape =
            |text: &str| if self.has_reserved { reserved_step(text) } else { percent(text) };
        let parts = self.parts(value, &escape);
        if parts.iter().all(String::is_empty) {
            return Err(ToolError::validation(format!("`{parameter}` must not be empty.")));
        }
        let named = matches!(value, Value::Object(_)) && self.explode;
        let name = percent(name);
        Ok(match self.kind {
            Kind::Label => format!(".{}", parts.join(if self.explode { "." } else { "," })),
            Kind::Matrix if named => format!(";{}", parts.join(";")),
            Kind::Matrix if self.explode => {
                format!(";{name}={}", parts.join(&format!(";{name}=")))
            }
            Kind::Matrix => format!(";{name}={}", parts.join(",")),
            _ => parts.join(","),
        })
    }

    /// Writes the value of a header.
    pub(super) fn header(&self, value: &Value) -> String {
        self.parts(value, &str::to_owned).join(",")
    }

    /// Writes the pairs of a cookie.
    pub(super) fn cookies(&self, name: &str, value: &Value) -> Vec<String> {
        match value {
            Value::Array(items) if self.explode && self.kind != Kind::Json => {
                items.iter().map(|item| format!("{name}={}", cookie_safe(&plain(item)))).collect()
            }
            value => {
                let parts = self.parts(value, &|text| cookie_safe(text));
                vec![format!("{name}={}", parts.join("%2C"))]
            }
        }
    }

    /// Takes a value apart: items, or names and values of fields.
    fn parts(&self, value: &Value, escape: &dyn Fn(&str) -> String) -> Vec<String> {
        match value {
            value if self.kind == Kind::Json => vec![escape(&value.to_string())],
            Value::Object(fields) if self.explode => fields
                .iter()
                .map(|(key, field)| format!("{}={}", escape(key), escape(&plain(field))))
                .collect(),
            value @ (Value::Array(_) | Value::Object(_)) => {
                flat(value).iter().map(|part| escape(part)).collect()
            }
            value => vec![escape(&plain(value))],
        }
    }
}

/// Escapes what must not stand in the value of a cookie (RFC 6265, section 4.1.1).
pub(super) fn cookie_safe(text: &str) -> String {
    let is_fine = |byte: &u8| byte.is_ascii_graphic() && !b"\",;\\".contains(byte);
    escaped(text, is_fine)
}

/// Lists the items of a list, or the names and values of an object, in turn.
fn flat(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => {
            fields.iter().flat_map(|(key, field)| [key.clone(), plain(field)]).collect()
        }
        other => vec![plain(other)],
    }
}

/// Writes `name[key]` for each field and `name[0]` for each item, however deep.
fn deep(name: &str, value: &Value, add: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::Null => {}
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                deep(&format!("{name}[{place}]"), item, add);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                deep(&format!("{name}[{key}]"), field, add);
            }
        }
        value => add(name, &plain(value)),
    }
}

/// Escapes what would end a pair or the query; the other marks of an address stay.
fn reserved(text: &str) -> String {
    escaped(text, |byte| byte.is_ascii_alphanumeric() || b"-_.~:/?@!$'()*,;=[]".contains(byte))
}

/// Escapes what would end the path; steps of it may be added.
fn reserved_step(text: &str) -> String {
    escaped(text, |byte| byte.is_ascii_alphanumeric() || b"-_.~:/@!$&'()*+,;=".contains(byte))
}

fn escaped(text: &str, is_fine: impl Fn(&u8) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        let mut bytes = [0; 4];
        let written = c.encode_utf8(&mut bytes);
        if written.as_bytes().iter().all(&is_fine) {
            escaped.push(c);
        } else {
            escaped.push_str(&percent(written));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn style(words: &Value, place: Place) -> Style {
        let mut fields = Fields::of(words, "").unwrap();
        let style = Style::read(&mut fields, place);
        assert_eq!(fields.finish(), [], "{words}");
        style
    }

    #[test]
    fn queries_are_written_in_every_style() {
        let (list, object) = (json!(["a b", 2]), json!({ "R": 100, "G": "x,y" }));
        for (words, of_list, of_object) in [
            (json!({ "style": "form" }), "c=a%20b&c=2", "R=100&G=x%2Cy"),
            (json!({ "style": "form", "explode": false }), "c=a%20b,2", "c=R,100,G,x%2Cy"),
            (json!({ "style": "spaceDelimited" }), "c=a%20b%202", "c=R%20100%20G%20x%2Cy"),
            (json!({ "style": "pipeDelimited" }), "c=a%20b%7C2", "c=R%7C100%7CG%7Cx%2Cy"),
            (json!({ "style": "pipeDelimited", "explode": true }), "c=a%20b&c=2", "R=100&G=x%2Cy"),
            (json!({ "style": "tabDelimited" }), "c=a%20b%092", "c=R%09100%09G%09x%2Cy"),
            (
                json!({ "style": "deepObject" }),
                "c%5B0%5D=a%20b&c%5B1%5D=2",
                "c%5BR%5D=100&c%5BG%5D=x%2Cy",
            ),
            (
                json!({ "style": "json" }),
                "c=%5B%22a%20b%22%2C2%5D",
                "c=%7B%22R%22%3A100%2C%22G%22%3A%22x%2Cy%22%7D",
            ),
        ] {
            let style = style(&words, Place::Query);
            assert_eq!(style.pairs("c", &list).join("&"), of_list, "{words}");
            assert_eq!(style.pairs("c", &object).join("&"), of_object, "{words}");
            assert!(style.pairs("c", &Value::Null).is_empty());
        }
        let deep = style(&json!({ "style": "deepObject" }), Place::Query);
        let nested = json!({ "a": [{ "b": 1 }, null], "c": { "d": true } });
        assert_eq!(deep.pairs("n", &nested), ["n%5Ba%5D%5B0%5D%5Bb%5D=1", "n%5Bc%5D%5Bd%5D=true"]);
    }

    #[test]
    fn reserved_marks_stay_but_for_those_that_end_a_pair() {
        let open = style(&json!({ "allow_reserved": true }), Place::Query);
        let value = json!("a/b?c=d&e#f:[g] +");
        assert_eq!(open.pairs("q", &value), ["q=a/b?c=d%26e%23f:[g]%20%2B"]);
        let open = style(&json!({ "allow_reserved": true }), Place::Path);
        assert_eq!(open.step("p", &json!("a/b?c#d e")).unwrap(), "a/b%3Fc%23d%20e");
    }

    #[test]
    fn paths_are_written_in_every_style() {
        let (list, object) = (json!(["a/b", 2]), json!({ "R": 100, "G": 200 }));
        for (words, one, of_list, of_object) in [
            (json!({}), "5", "a%2Fb,2", "R,100,G,200"),
            (json!({ "explode": true }), "5", "a%2Fb,2", "R=100,G=200"),
            (json!({ "style": "label" }), ".5", ".a%2Fb,2", ".R,100,G,200"),
            (json!({ "style": "label", "explode": true }), ".5", ".a%2Fb.2", ".R=100.G=200"),
            (json!({ "style": "matrix" }), ";c=5", ";c=a%2Fb,2", ";c=R,100,G,200"),
            (json!({ "style": "matrix", "explode": true }), ";c=5", ";c=a%2Fb;c=2", ";R=100;G=200"),
        ] {
            let style = style(&words, Place::Path);
            for (value, step) in [(&json!(5), one), (&list, of_list), (&object, of_object)] {
                assert_eq!(style.step("c", value).unwrap(), step, "{words}");
            }
            assert!(style.step("c", &json!("")).is_err() && style.step("c", &json!([])).is_err());
        }
        let named = style(&json!({ "style": "matrix", "name": "x y" }), Place::Path);
        assert_eq!(named.step("c", &json!(1)).unwrap(), ";x%20y=1");
    }

    #[test]
    fn headers_and_cookies_stay_in_their_place() {
        let object = json!({ "a": 1, "b": "x" });
        let header = |words: Value| style(&words, Place::Header).header(&object);
        assert_eq!(header(json!({})), "a,1,b,x");
        assert_eq!(header(json!({ "explode": true })), "a=1,b=x");
        assert_eq!(header(json!({ "style": "json" })), r#"{"a":1,"b":"x"}"#);
        let list = json!(["x;y", "z w"]);
        let cookie = |words: Value| style(&words, Place::Cookie).cookies("c", &list);
        assert_eq!(cookie(json!({})), ["c=x%3By", "c=z%20w"]);
        assert_eq!(cookie(json!({ "explode": false })), ["c=x%3By%2Cz%20w"]);
    }

    #[test]
    fn a_map_is_a_style_only_when_it_says_so() {
        let is_styled = |map: Value| is_styled(map.as_object().unwrap(), &["filename"]);
        assert!(is_styled(json!({ "value": "{a}", "style": "form" })));
        assert!(is_styled(json!({ "value": "{a}", "filename": "x" })));
        assert!(!is_styled(json!({ "value": "{a}" })));
        assert!(!is_styled(json!({ "value": "{a}", "style": "form", "unit": "cm" })));
        assert!(!is_styled(json!({ "style": "form" })));
    }
}
