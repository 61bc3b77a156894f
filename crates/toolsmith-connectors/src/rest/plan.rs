//! What the entry of a definition says about its requests.

use toolsmith_core::{Draft, Fault, Fields, Map, Spot, Value, suggestion};
use toolsmith_net::{HeaderName, Method};

use super::{
    address::Address,
    answer::Mapping,
    auth::Auth,
    body::{BodyType, Shape},
    pattern::Pattern,
    slot::{self, Line, Part, Slot},
    style::{Place, Style},
};
use crate::texts;

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/// Keys that mean something only where the operator says where requests go.
const WITH_ADDRESS: [&str; 9] = [
    "path",
    "path_styles",
    "query",
    "cookies",
    "body",
    "body_type",
    "keep_null",
    "auth",
    "response",
];

/// What the entry of a definition says about its requests.
#[derive(Debug)]
pub(super) struct Plan {
    /// Where they go; the input says it when absent.
    pub(super) address: Option<Address>,
    /// How they are sent, where it is said.
    method: Option<Method>,
    pub(super) query: Vec<(String, Slot)>,
    pub(super) headers: Vec<(HeaderName, Line)>,
    pub(super) cookies: Vec<(String, Line)>,
    pub(super) body: Option<Body>,
    pub(super) body_type: BodyType,
    pub(super) auth: Auth,
    pub(super) mapping: Mapping,
    /// The parameters that no template uses: they go to the body, or to the query without one.
    pub(super) spare: Vec<String>,
    /// The parameters whose null is sent.
    pub(super) nulls: Vec<String>,
}

/// The body of a request.
#[derive(Debug)]
pub(super) enum Body {
    Whole(Shape),
    /// The fields of a form.
    Parts(Vec<(String, Part)>),
}

impl Plan {
    /// Reads an entry; what is wrong is told to it.
    pub(super) fn read(draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Self> {
        let parameters = parameters(draft);
        let address = address(entry, &parameters);
        let query = slot::query(entry);
        let (headers, cookies) = (slot::headers(entry), slot::cookies(entry));
        let whole = entry.any("body").and_then(|body| Shape::parse(body).ok());
        let body_type = body_type(entry, whole.as_ref());
        let body = match whole {
            Some(Shape::Object(_)) if body_type.has_fields() => {
                Some(Body::Parts(slot::parts(entry)))
            }
            whole => whole.map(Body::Whole),
        };
        let nulls = entry.texts("keep_null").unwrap_or_default();
        let mut plan = Self {
            method: method(entry),
            auth: Auth::read(entry),
            mapping: Mapping::read(entry),
            spare: Vec::new(),
            nulls: nulls.into_iter().map(str::to_owned).collect(),
            address,
            query,
            headers,
            cookies,
            body,
            body_type,
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
        if self.headers.iter().any(|(_, line)| line.pattern.has_secret) {
            let why = "a variable here would be sent to any address that the input names; set \
                       `base_url`";
            entry.blame("headers", why);
        }
    }

    fn used(&self) -> Vec<&str> {
        let mut used = Vec::new();
        used.extend(self.address.iter().flat_map(Address::parameters));
        used.extend(self.headers.iter().flat_map(|(_, line)| line.pattern.parameters()));
        used.extend(self.cookies.iter().flat_map(|(_, line)| line.pattern.parameters()));
        self.query.iter().for_each(|(_, slot)| slot.shape.parameters(&mut used));
        match &self.body {
            Some(Body::Whole(shape)) => shape.parameters(&mut used),
            Some(Body::Parts(parts)) => {
                for (_, part) in parts {
                    part.slot.shape.parameters(&mut used);
                    used.extend(part.filename.iter().flat_map(Pattern::parameters));
                }
            }
            None => {}
        }
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
    let styles = path_styles(entry);
    let mut address = Address::parse(base, path).ok()?;
    for (name, _) in &styles {
        if !address.parameters().any(|known| known == name) {
            let place = format!("path_styles/{}", texts::escaped(name));
            blame_key(entry, &place, format!("there is no `{{{name}}}` in the path"));
        }
    }
    address.styles = styles;
    Some(address)
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

/// Reads how parameters stand in the path: a word, or a map of the keys of a style.
fn path_styles(entry: &mut Fields<'_>) -> Vec<(String, Style)> {
    let mut found = Vec::new();
    for (name, value) in entry.map("path_styles").into_iter().flatten() {
        let place = format!("{}/path_styles/{}", entry.pointer(), texts::escaped(name));
        let short = Map::from_iter([("style".to_owned(), value.clone())]).into();
        let words = if value.is_string() { &short } else { value };
        match Fields::of(words, place) {
            Ok(mut fields) => {
                found.push((name.clone(), Style::read(&mut fields, Place::Path)));
                fields.finish().into_iter().for_each(|fault| entry.add(fault));
            }
            Err(fault) => entry.add(fault),
        }
    }
    found
}

/// Complains about a key further inside.
pub(super) fn blame_key(entry: &mut Fields<'_>, place: &str, message: String) {
    let (pointer, spot) = (format!("{}/{place}", entry.pointer()), Spot::Key);
    entry.add(Fault { pointer, spot, message });
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
    let keys = ["base_url", "url", "path", "query", "headers", "cookies", "body"];
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
