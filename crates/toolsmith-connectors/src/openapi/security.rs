//! Security schemes as the `auth` of a REST tool, with variables for the secrets.

use toolsmith_core::{Map, Value, json};

use super::{
    document::{Dialect, Document},
    model::{Location, Operation},
    names,
};

/// How an operation shows who calls it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Auth {
    /// The key `auth` of the entry.
    pub(super) main: Option<Value>,
    /// Further keys, which stand in the request as they are: place, name, text.
    pub(super) more: Vec<(Place, String, String)>,
    pub(super) warnings: Vec<String>,
}

impl Auth {
    /// Tells whether it writes a parameter of this place and name by itself.
    pub(super) fn writes(&self, location: Location, name: &str) -> bool {
        let is_it = |place: &str, key: &str| {
            place == location.as_str()
                && if location == Location::Header {
                    key.eq_ignore_ascii_case(name)
                } else {
                    key == name
                }
        };
        let text = |auth: &Value, key: &str| {
            auth.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let by_main = self.main.as_ref().is_some_and(|auth| {
            if is_key(Some(auth)) {
                is_it(&text(auth, "in"), &text(auth, "name"))
            } else {
                is_it("header", "authorization")
            }
        });
        by_main || self.more.iter().any(|(place, key, _)| is_it(place.as_str(), key))
    }
}

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Header,
    Query,
    Cookie,
}

impl Place {
    fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Query => "query",
            Self::Cookie => "cookie",
        }
    }
}

/// What a scheme becomes.
enum Mapped {
    Auth(Value),
    Key(Place, String, String),
    /// A token that somebody has to get by other means.
    Token(Value, String),
    /// Nothing is known about it.
    Nothing(String),
}

/// Maps the first alternative that can be mapped; the error says why none can.
pub(super) fn find(
    document: &Document<'_>,
    operation: &Operation<'_>,
    api: &str,
) -> Result<Auth, String> {
    let asked = operation.own.get("security").or(document.root.get("security"));
    let alternatives: Vec<&Map<String, Value>> = asked
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    if alternatives.is_empty() {
        return Ok(Auth::default());
    }
    let mut mapped: Vec<(bool, Auth)> = Vec::new();
    let mut reasons = Vec::new();
    for alternative in alternatives.iter().take(20) {
        match map_all(document, alternative, api) {
            Ok(found) => mapped.push(found),
            Err(why) => reasons.push(why),
        }
    }
    // A token that has to be got elsewhere comes after what works by itself.
    let best = mapped.iter().position(|(is_whole, _)| *is_whole).unwrap_or(0);
    let Some((_, mut auth)) = mapped.get(best).cloned() else {
        reasons.dedup();
        return Err(reasons.join("; "));
    };
    // Alternatives may differ in their scopes alone.
    let is_one =
        mapped.iter().all(|(_, other)| (&other.main, &other.more) == (&auth.main, &auth.more));
    if !is_one || !reasons.is_empty() {
        let list = named(&alternatives);
        auth.warnings.push(format!(
            "several kinds of authorization would do ({list}); the first that can be mapped is taken"
        ));
    }
    Ok(auth)
}

/// Names alternatives for people, each once.
fn named(alternatives: &[&Map<String, Value>]) -> String {
    let mut names: Vec<String> = Vec::new();
    for alternative in alternatives {
        let words = alternative.keys().map(String::as_str).collect::<Vec<_>>().join(" and ");
        let words = if words.is_empty() { "nothing".to_owned() } else { words };
        if !names.contains(&words) {
            names.push(words);
        }
    }
    names.join(", ").chars().take(200).collect()
}

/// Maps schemes that are needed together; the flag tells whether they work by themselves.
fn map_all(
    document: &Document<'_>,
    schemes: &Map<String, Value>,
    api: &str,
) -> Result<(bool, Auth), String> {
    let mut auth = Auth::default();
    let mut is_whole = true;
    for (name, scopes) in schemes {
        match map_one(document, (name, scopes), api)? {
            Mapped::Nothing(warning) => auth.warnings.push(warning),
            Mapped::Key(place, key, value) if auth.main.is_some() => {
                auth.more.push((place, key, value));
            }
            Mapped::Key(place, key, value) => auth.main = Some(key_auth(place, &key, &value)),
            // One token may be asked for under several names, one for each way to get it.
            Mapped::Auth(value) | Mapped::Token(value, _) if auth.main.as_ref() == Some(&value) => {
            }
            Mapped::Auth(value) | Mapped::Token(value, _)
                if auth.main.is_some() && !is_key(auth.main.as_ref()) =>
            {
                drop(value);
                return Err(format!(
                    "`{}` is needed beside another kind of authorization",
                    short(name)
                ));
            }
            Mapped::Auth(value) => replace_main(&mut auth, value),
            Mapped::Token(value, warning) => {
                is_whole = false;
                auth.warnings.push(warning);
                replace_main(&mut auth, value);
            }
        }
    }
    Ok((is_whole, auth))
}

/// A key can stand anywhere in a request, other kinds only as the authorization itself.
fn replace_main(auth: &mut Auth, value: Value) {
    let before = auth.main.replace(value);
    if let Some(before) = before {
        let text =
            |key: &str| before.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let place = match text("in").as_str() {
            "query" => Place::Query,
            "cookie" => Place::Cookie,
            _ => Place::Header,
        };
        auth.more.push((place, text("name"), text("value")));
    }
}

fn is_key(auth: Option<&Value>) -> bool {
    auth.and_then(|auth| auth.get("type")).is_some_and(|word| word == "api_key")
}

fn key_auth(place: Place, name: &str, value: &str) -> Value {
    json!({ "type": "api_key", "in": place.as_str(), "name": name, "value": value })
}

fn map_one(
    document: &Document<'_>,
    (name, scopes): (&str, &Value),
    api: &str,
) -> Result<Mapped, String> {
    let all = match document.dialect {
        Dialect::Two => document.root.get("securityDefinitions"),
        Dialect::Three => document.root.pointer("/components/securitySchemes"),
    };
    let shown = short(name);
    let Some(scheme) = all.and_then(|all| all.get(name)) else {
        let why = format!(
            "it asks for the authorization `{shown}`, which is not described; none is sent"
        );
        return Ok(Mapped::Nothing(why));
    };
    let scheme = document.follow(scheme)?;
    let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
    let bearer = || json!({ "type": "bearer", "token": format!("${{{api}_TOKEN}}") });
    let basic = || {
        json!({
            "type": "basic", "username": format!("${{{api}_USERNAME}}"), "password": format!("${{{api}_PASSWORD}}")
        })
    };
    match text("type") {
        "apiKey" => {
            let key = text("name");
            let place = match text("in") {
                "header" => Place::Header,
                "query" => Place::Query,
                "cookie" => Place::Cookie,
                _ => return Err(format!("the key of `{shown}` stands in no place that is known")),
            };
            if key.is_empty()
                || key.contains("${")
                || (place != Place::Query
                    && toolsmith_net::HeaderName::from_bytes(key.as_bytes()).is_err())
            {
                return Err(format!("the key of `{shown}` has no name that can be sent"));
            }
            Ok(Mapped::Key(place, key.to_owned(), format!("${{{}}}", key_variable(all, name, api))))
        }
        "basic" => Ok(Mapped::Auth(basic())),
        "http" => match text("scheme").to_ascii_lowercase().as_str() {
            "bearer" => Ok(Mapped::Auth(bearer())),
            "basic" => Ok(Mapped::Auth(basic())),
            other => {
                Err(format!("it needs the authorization `{}`, which tools cannot do", short(other)))
            }
        },
        "oauth2" => Ok(oauth(document.dialect, scheme, scopes, api, bearer())),
        "openIdConnect" => Ok(Mapped::Token(bearer(), elsewhere("OpenID Connect", api))),
        "mutualTLS" => {
            Err("it needs a certificate of the client (mutual TLS), which tools cannot show"
                .to_owned())
        }
        other => {
            Err(format!("it needs the authorization `{}`, which tools cannot do", short(other)))
        }
    }
}

/// Maps client credentials; for other flows a person has to get the token.
fn oauth(dialect: Dialect, scheme: &Value, scopes: &Value, api: &str, bearer: Value) -> Mapped {
    let flow = match dialect {
        Dialect::Two => Some(scheme)
            .filter(|scheme| scheme.get("flow").is_some_and(|flow| flow == "application")),
        Dialect::Three => scheme.pointer("/flows/clientCredentials"),
    };
    let token_url = flow.and_then(|flow| flow.get("tokenUrl")).and_then(Value::as_str);
    let is_address = |url: &&str| {
        (url.starts_with("https://") || url.starts_with("http://"))
            && !url.contains("${")
            && url.len() < 2_000
    };
    let Some(token_url) = token_url.filter(is_address) else {
        return Mapped::Token(bearer, elsewhere("OAuth 2", api));
    };
    let mut auth = json!({
        "type": "oauth2",
        "token_url": token_url,
        "client_id": format!("${{{api}_CLIENT_ID}}"),
        "client_secret": format!("${{{api}_CLIENT_SECRET}}")
    });
    let scopes: Vec<&str> =
        scopes.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let scope = scopes.join(" ");
    if !scope.is_empty() && !scope.contains("${") && scope.len() < 1_000 {
        auth["scope"] = scope.into();
    }
    Mapped::Auth(auth)
}

fn elsewhere(kind: &str, api: &str) -> String {
    format!("{kind} asks a person to agree; get an access token yourself and set {api}_TOKEN")
}

/// Names the variable of a key: by the API alone, unless it has several keys.
fn key_variable(all: Option<&Value>, name: &str, api: &str) -> String {
    let schemes = all.and_then(Value::as_object).into_iter().flatten();
    let keys =
        schemes.filter(|(_, scheme)| scheme.get("type").is_some_and(|word| word == "apiKey"));
    let own = names::variable(name);
    if keys.count() > 1 && !own.is_empty() {
        return format!("{api}_{}", own.trim_start_matches('_'));
    }
    match api {
        "API" => "API_KEY".to_owned(),
        api => format!("{api}_API_KEY"),
    }
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}
