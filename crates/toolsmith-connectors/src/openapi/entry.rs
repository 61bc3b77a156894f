//! The `entry` of a definition: how the REST connector sends the request.

use toolsmith_core::{Map, Value, json};

use super::{
    arguments::Argument,
    document::Document,
    flat::{self, Shape},
    input,
    model::{Body, BodyContent, BodyKind, File, Location, Operation, Parameter, Style},
    paths::{PathTemplate, Piece},
    security::{Auth, Place},
};

/// What an entry is made of.
#[derive(Debug)]
pub(super) struct Parts<'a, 'd> {
    pub(super) document: &'d Document<'a>,
    pub(super) operation: &'d Operation<'a>,
    pub(super) base_url: String,
    pub(super) path: PathTemplate<'a>,
    pub(super) arguments: &'d [Argument<'a>],
    /// Parameters that have only one value.
    pub(super) fixed: Vec<(Parameter<'a>, Value)>,
    /// Headers with a secret in them.
    pub(super) secrets: Vec<(String, String)>,
    pub(super) body: Option<&'d Body<'a>>,
    /// The name of the argument that is the whole body.
    pub(super) whole: Option<String>,
    pub(super) nullable: &'d [String],
    pub(super) auth: &'d Auth,
}

impl Parts<'_, '_> {
    /// Writes the entry.
    pub(super) fn write(&self) -> Value {
        let mut entry = Map::new();
        let mut set = |key: &str, value: Value| {
            let is_empty = value.as_object().is_some_and(Map::is_empty) || value == json!([]);
            if !is_empty && !value.is_null() {
                entry.insert(key.to_owned(), value);
            }
        };
        set("type", "rest".into());
        set("base_url", self.base_url.clone().into());
        set("method", self.operation.method.into());
        set("path", self.path.write(|name| self.argument(name)).into());
        set("path_styles", self.path_styles());
        set("query", self.query());
        set("headers", self.headers());
        set("cookies", self.cookies());
        let (body, body_type) = self.body();
        set("body", body);
        set("body_type", body_type.map_or(Value::Null, Value::from));
        set("keep_null", self.keep_null());
        set("auth", self.auth.main.clone().unwrap_or_default());
        Value::Object(entry)
    }

    fn at(&self, location: Location) -> impl Iterator<Item = &Argument<'_>> {
        self.arguments.iter().filter(move |argument| argument.parameter.location == location)
    }

    fn argument(&self, name: &str) -> String {
        let found = self.at(Location::Path).find(|argument| argument.parameter.name == name);
        found.map_or_else(|| name.to_owned(), |argument| argument.name.clone())
    }

    fn path_styles(&self) -> Value {
        let mut styles = Map::new();
        for argument in self.at(Location::Path) {
            let parameter = &argument.parameter;
            let is_open = self.path.pieces.iter().any(|piece| {
                matches!(piece, Piece::Slot { name, is_open: true } if *name == parameter.name)
            }) || parameter.style.allow_reserved;
            let shape = self.shape(parameter);
            let style = parameter.style;
            if style.word == "simple" && shape == Shape::Single && !is_open {
                continue;
            }
            let mut words = Map::new();
            words.insert("style".to_owned(), style.word.into());
            if style.explode {
                words.insert("explode".to_owned(), true.into());
            }
            if is_open {
                words.insert("allow_reserved".to_owned(), true.into());
            }
            if style.word == "matrix" && argument.name != parameter.name {
                words.insert("name".to_owned(), parameter.name.into());
            }
            styles.insert(argument.name.clone(), Value::Object(words));
        }
        Value::Object(styles)
    }

    fn shape(&self, parameter: &Parameter<'_>) -> Shape {
        // The schema belongs to the document, whose life the compiler cannot see from here.
        let schema = self.arguments.iter().find(|argument| {
            argument.parameter.name == parameter.name
                && argument.parameter.location == parameter.location
        });
        flat::shape(self.document, schema.and_then(|argument| argument.parameter.schema), 3)
    }

    fn query(&self) -> Value {
        let mut query = Map::new();
        for (parameter, value) in self.fixed(Location::Query) {
            query.insert(parameter.name.to_owned(), value.clone());
        }
        for argument in self.at(Location::Query) {
            query.insert(argument.parameter.name.to_owned(), self.pair(argument));
        }
        for (place, name, value) in &self.auth.more {
            if *place == Place::Query {
                query.insert(name.clone(), value.clone().into());
            }
        }
        Value::Object(query)
    }

    /// Writes a pair of a query or a form: as short as its style allows.
    fn pair(&self, argument: &Argument<'_>) -> Value {
        let value = format!("{{{}}}", argument.name);
        let (style, shape) = (argument.parameter.style, self.shape(&argument.parameter));
        let is_plain = match (style.word, shape) {
            ("json" | "deepObject", _) => false,
            (_, Shape::Single) => true,
            ("form", Shape::List) => style.explode,
            ("form", Shape::Object) => {
                // In a form, objects that nobody speaks of are JSON.
                argument.parameter.location == Location::Body
                    && style == Style::usual(Location::Body)
            }
            _ => false,
        };
        if is_plain && !style.allow_reserved {
            return value.into();
        }
        let mut words = Map::new();
        words.insert("value".to_owned(), value.into());
        words.insert("style".to_owned(), style.word.into());
        let usual = matches!(style.word, "form" | "deepObject");
        if style.explode != usual && style.word != "json" {
            words.insert("explode".to_owned(), style.explode.into());
        }
        if style.allow_reserved {
            words.insert("allow_reserved".to_owned(), true.into());
        }
        Value::Object(words)
    }

    fn headers(&self) -> Value {
        let mut headers = Map::new();
        if let Some(body) = self.body.filter(|body| !body.media_type.is_empty()) {
            headers.insert("Content-Type".to_owned(), body.media_type.clone().into());
        }
        for (parameter, value) in self.fixed(Location::Header) {
            headers.insert(parameter.name.to_owned(), value.clone());
        }
        for argument in self.at(Location::Header) {
            headers.insert(argument.parameter.name.to_owned(), self.line(argument));
        }
        for (name, value) in &self.secrets {
            headers.insert(name.clone(), value.clone().into());
        }
        for (place, name, value) in &self.auth.more {
            if *place == Place::Header {
                headers.insert(name.clone(), value.clone().into());
            }
        }
        Value::Object(headers)
    }

    fn cookies(&self) -> Value {
        let mut cookies = Map::new();
        for (parameter, value) in self.fixed(Location::Cookie) {
            cookies.insert(parameter.name.to_owned(), value.clone());
        }
        for argument in self.at(Location::Cookie) {
            cookies.insert(argument.parameter.name.to_owned(), self.line(argument));
        }
        for (place, name, value) in &self.auth.more {
            if *place == Place::Cookie {
                cookies.insert(name.clone(), value.clone().into());
            }
        }
        Value::Object(cookies)
    }

    /// Writes a header or a cookie.
    fn line(&self, argument: &Argument<'_>) -> Value {
        let value = format!("{{{}}}", argument.name);
        let (style, shape) = (argument.parameter.style, self.shape(&argument.parameter));
        let is_cookie = argument.parameter.location == Location::Cookie;
        let is_plain = match (style.word, shape) {
            ("json", _) | (_, Shape::Object) => false,
            (_, Shape::Single) => true,
            (_, Shape::List) => !is_cookie,
        };
        if is_plain {
            return value.into();
        }
        if style.word == "json" {
            return json!({ "value": value, "style": "json" });
        }
        json!({ "value": value, "style": style.word, "explode": style.explode })
    }

    fn fixed(&self, location: Location) -> impl Iterator<Item = (&Parameter<'_>, &Value)> {
        let here = self.fixed.iter().filter(move |(parameter, _)| parameter.location == location);
        here.map(|(parameter, value)| (parameter, value))
    }

    /// Writes the body; what goes to a JSON body by itself is not written down.
    fn body(&self) -> (Value, Option<&'static str>) {
        let Some(body) = self.body else { return (Value::Null, None) };
        let said = (body.kind != BodyKind::Json).then(|| body.kind.as_str());
        if let Some(name) = &self.whole {
            return (format!("{{{name}}}").into(), said);
        }
        let BodyContent::Fields(_) = &body.content else { return (Value::Null, None) };
        let mut fields = Map::new();
        let mut goes_by_itself = matches!(self.operation.method, "POST" | "PUT" | "PATCH");
        for argument in self.at(Location::Body) {
            let field = self.field(argument, body.kind);
            goes_by_itself &= argument.name == argument.parameter.name && field.is_string();
            fields.insert(argument.parameter.name.to_owned(), field);
        }
        if fields.is_empty() {
            return (Value::Null, None);
        }
        if goes_by_itself { (Value::Null, said) } else { (Value::Object(fields), said) }
    }

    fn field(&self, argument: &Argument<'_>, kind: BodyKind) -> Value {
        let value = format!("{{{}}}", argument.name);
        match (&argument.parameter.file, kind) {
            (Some(File::Part { content_type }), BodyKind::Multipart) => {
                let filename = format!("{{{}}}", input::filename(argument, self.arguments));
                let mut words = json!({ "value": value, "filename": filename });
                if let Some(content_type) = content_type {
                    words["content_type"] = content_type.clone().into();
                }
                words
            }
            (_, BodyKind::Form) => self.pair(argument),
            (_, BodyKind::Multipart) if argument.parameter.style.word == "json" => {
                json!({ "value": value, "style": "json" })
            }
            _ => value.into(),
        }
    }

    fn keep_null(&self) -> Value {
        let is_json =
            self.body.is_some_and(|body| body.kind == BodyKind::Json) && self.whole.is_none();
        let names = self.at(Location::Body).map(|argument| &argument.name);
        let kept: Vec<&String> =
            names.filter(|name| is_json && self.nullable.contains(name)).collect();
        json!(kept)
    }
}
