//! What the entry of a definition says about its requests.

use toolsmith_core::{Draft, Fault, Fields, Map, Spot, Value, describe, suggestion};
use toolsmith_net::{HeaderName, Method};

use super::{
    address::Address,
    answer::Mapping,
    auth::Auth,
    body::{BodyType, Shape},
    pattern::Pattern,
};
use crate::texts;

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Keys that mean something only where the operator says where requests go.
const WITH_ADDRESS: [&str; 6] = ["path", "query", "body", "body_type", "auth", "response"];

/// What the entry of a definition says about its requests.
#[derive(Debug)]
pub(super) struct Plan {
    /// Where they go; the input says it when absent.
    pub(super) address: Option<Address>,
    /// How they are sent, where it is said.
    method: Option<Method>,
    pub(super) query: Vec<(String, Shape)>,
    pub(super) headers: Vec<(HeaderName, Pattern)>,
    pub(super) body: Option<Shape>,
    pub(super) body_type: BodyType,
    pub(super) auth: Auth,
    pub(super) mapping: Mapping,
    /// The parameters that no template uses: they go to the body, or to the query without one.
    pub(super) spare: Vec<String>,
}

impl Plan {
    /// Reads an entry; what is wrong is told to it.
    pub(super) fn read(draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Self> {
        let parameters = parameters(draft);
        let address = address(entry, &parameters);
        let query = shapes(entry, "query");
        let headers = headers(entry);
        let raw_body = entry.any("body");
        let body = raw_body.and_then(|body| Shape::parse(body).ok());
        let mut plan = Self {
            method: method(entry),
            body_type: body_type(entry, body.as_ref()),
            auth: Auth::read(entry),
            mapping: Mapping::read(entry),
            spare: Vec::new(),
            address,
            query,
            headers,
            body,
        };
        if entry.any("base_url").or(entry.any("url")).is_none() {
            plan.check_open(entry, &parameters);
        }
        let used: Vec<String> = plan.used().into_iter().map(str::to_owned).collect();
        check_names(entry, &used, &parameters);
        plan.spare = parameters.into_iter().filter(|name| !used.contains(name)).collect();
        (entry.is_fine() && texts::are_readable(entry.object())).then_some(plan)
    }

    /// Returns the method of a request: what is said, else POST with a body and GET without.
    pub(super) fn method(&self, body: Option<&Value>) -> Method {
        let has_body = self.body.is_some() || body.is_some();
        let usual = if has_body { Method::POST } else { Method::GET };
        self.method.clone().unwrap_or(usual)
    }

    /// Without an address of the operator, nothing of the operator's may be sent.
    fn check_open(&self, entry: &mut Fields<'_>, parameters: &[String]) {
        if !parameters.is_empty() && !parameters.iter().any(|name| name == "url") {
            let why = "say where requests go, or give the tool a parameter `url`";
            entry.miss("base_url", why);
            return;
        }
        for key in WITH_ADDRESS {
            if entry.any(key).is_some() {
                entry.blame(key, "it needs `base_url`: the input alone says where requests go");
            }
        }
        if self.headers.iter().any(|(_, value)| value.has_secret) {
            let why = "a variable here would be sent to any address that the input names; set \
                       `base_url`";
            entry.blame("headers", why);
        }
    }

    fn used(&self) -> Vec<&str> {
        let mut used = Vec::new();
        used.extend(self.address.iter().flat_map(Address::parameters));
        used.extend(self.headers.iter().flat_map(|(_, value)| value.parameters()));
        self.query.iter().for_each(|(_, shape)| shape.parameters(&mut used));
        self.body.iter().for_each(|shape| shape.parameters(&mut used));
        used
    }
}

/// Returns the names of the tool's parameters.
fn parameters(draft: &Draft<'_>) -> Vec<String> {
    let schema = draft.spec.input_schema.to_value();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|fields| fields.keys().cloned()).collect()
}

fn address(entry: &mut Fields<'_>, parameters: &[String]) -> Option<Address> {
    let (base, url) = (entry.text("base_url"), entry.text("url"));
    if base.is_some() && url.is_some() {
        entry.blame("url", "`base_url` says the same; write one of them");
    }
    let base = base.or(url)?;
    let key = if entry.any("base_url").is_some() { "base_url" } else { "url" };
    let path = entry.text("path").unwrap_or_default();
    if !path.is_empty() && base.contains('?') {
        entry.blame(key, "it has a query, so no `path` can follow it; put the query in `query`");
    }
    let is_http = ["http://", "https://", "${", "{"].iter().any(|start| base.starts_with(start));
    if !is_http {
        entry.blame(key, "expected an address that begins with http:// or https://");
    }
    // An address that is a parameter as a whole is no address of the operator.
    if base
        .strip_prefix('{')
        .is_some_and(|rest| parameters.iter().any(|p| rest == format!("{p}}}")))
    {
        entry.blame(key, "leave it out: without it the parameter `url` is the address");
    }
    Address::parse(base, path).ok()
}

/// Reads the name of a method; the error lists those that there are.
pub(super) fn read_method(text: &str) -> Result<Method, String> {
    let upper = text.to_ascii_uppercase();
    let known = METHODS.contains(&upper.as_str());
    if let Some(method) = Method::from_bytes(upper.as_bytes()).ok().filter(|_| known) {
        return Ok(method);
    }
    let near = suggestion(&upper, METHODS).map(|near| format!(". {near}")).unwrap_or_default();
    Err(format!("expected one of `{}`, found {text:?}{near}", METHODS.join("`, `")))
}

fn method(entry: &mut Fields<'_>) -> Option<Method> {
    match read_method(texts::literal(entry, "method")?) {
        Ok(method) => Some(method),
        Err(message) => {
            entry.blame("method", message);
            None
        }
    }
}

/// A body that is a text with something around its placeholders is sent as text unless said.
fn body_type(entry: &mut Fields<'_>, body: Option<&Shape>) -> BodyType {
    match (entry.word("body_type", &BodyType::NAMES), body) {
        (Some(name), _) => BodyType::from_name(name),
        (None, Some(Shape::Text(pattern))) if pattern.whole().is_none() => BodyType::Text,
        (None, _) => BodyType::Json,
    }
}

fn shapes(entry: &mut Fields<'_>, key: &'static str) -> Vec<(String, Shape)> {
    let mut found = Vec::new();
    for (name, value) in entry.map(key).into_iter().flatten() {
        if let Ok(shape) = Shape::parse(value) {
            found.push((name.clone(), shape));
        }
    }
    found
}

fn headers(entry: &mut Fields<'_>) -> Vec<(HeaderName, Pattern)> {
    let mut found = Vec::new();
    for (name, value) in entry.map("headers").into_iter().flatten() {
        let place = format!("headers/{}", texts::escaped(name));
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
            let (pointer, spot) = (format!("{}/{place}", entry.pointer()), Spot::Key);
            let message = format!("`{name}` is no name of a header");
            entry.add(Fault { pointer, spot, message });
            continue;
        };
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            other => {
                entry.blame_at(&place, format!("expected text, found {}", describe(other)));
                continue;
            }
        };
        if let Ok(pattern) = Pattern::parse(&text) {
            found.push((header, pattern));
        }
    }
    found
}

/// Complains about placeholders that no parameter fills.
fn check_names(entry: &mut Fields<'_>, used: &[String], parameters: &[String]) {
    // A tool that takes any object names no parameters.
    if parameters.is_empty() {
        return;
    }
    for name in used.iter().filter(|name| !parameters.contains(name)) {
        let near = suggestion(name, parameters.iter().map(String::as_str));
        let near =
            near.unwrap_or_else(|| format!("Write `{{{{{name}}}}}` for a plain `{{{name}}}`"));
        let place = place(entry.object(), name);
        entry.blame_at(&place, format!("the tool has no parameter `{name}`. {near}"));
    }
}

/// Finds the text in which a placeholder stands.
fn place(entry: &Map<String, Value>, name: &str) -> String {
    let placeholder = format!("{{{name}}}");
    let keys = ["base_url", "url", "path", "query", "headers", "body"];
    let mut texts = keys.iter().filter_map(|key| holder(entry.get(*key)?, key, &placeholder));
    texts.next().unwrap_or_else(|| "path".to_owned())
}

fn holder(value: &Value, pointer: &str, placeholder: &str) -> Option<String> {
    match value {
        Value::String(text) => text.contains(placeholder).then(|| pointer.to_owned()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(place, item)| holder(item, &format!("{pointer}/{place}"), placeholder)),
        Value::Object(fields) => fields.iter().find_map(|(key, field)| {
            holder(field, &format!("{pointer}/{}", texts::escaped(key)), placeholder)
        }),
        _ => None,
    }
}
