//! One operation → one definition, in the keys that definition files have.

use std::collections::BTreeSet;

use toolsmith_core::{Map, Value, json};

use super::{
    ImportError, Options,
    arguments::{self, Argument},
    bodies,
    document::Document,
    entry::Parts,
    input::{self, Hurry},
    model::{Body, BodyContent, BodyKind, File, Location, Named, Operation, Parameter, Style},
    names,
    notes::Notes,
    output,
    paths::PathTemplate,
    schema::{Direction, Translator},
    security,
    servers::{self, Server},
    sorting::Sorter,
    wording,
};

/// How long the description of a tool is.
const DESCRIPTION: usize = 700;

/// How much work a document may be before its schemas are only looked at from outside.
const PATIENCE: usize = 4_000_000;

/// Makes definitions.
#[derive(Debug)]
pub(super) struct Maker<'a, 'd> {
    document: &'d Document<'a>,
    options: &'d Options,
    notes: &'d mut Notes,
    /// What variables begin with.
    api: String,
    variables: BTreeSet<String>,
    effort: usize,
}

impl<'a, 'd> Maker<'a, 'd> {
    pub(super) fn new(
        document: &'d Document<'a>,
        options: &'d Options,
        notes: &'d mut Notes,
    ) -> Result<Self, ImportError> {
        if let Some(url) = &options.base_url {
            let is_address =
                ["http://", "https://", "${"].iter().any(|start| url.starts_with(start));
            if !is_address {
                return Err(ImportError::new(format!(
                    "the base `{url}` is no address: it begins with http:// or https://"
                )));
            }
        }
        let api = match &options.prefix {
            Some(prefix) => names::variable(prefix),
            None => api_name(&document.title()),
        };
        Ok(Self { document, options, notes, api, variables: BTreeSet::new(), effort: 0 })
    }

    /// Returns a short name for folders.
    pub(super) fn slug(&self) -> String {
        self.api.trim_start_matches('_').to_ascii_lowercase()
    }

    /// Returns the variables that were used.
    pub(super) fn into_variables(self) -> Vec<String> {
        self.variables.into_iter().collect()
    }

    /// Makes a definition; what stands in the way is noted.
    pub(super) fn make(&mut self, named: &Named<'a>) -> Option<Value> {
        match self.try_make(named) {
            Ok(definition) => Some(definition),
            Err(why) => {
                self.notes.leave_out(named.operation.label(), why);
                None
            }
        }
    }

    fn try_make(&mut self, named: &Named<'a>) -> Result<Value, String> {
        let operation = &named.operation;
        let base_url = self.base_url(operation)?;
        let path = PathTemplate::parse(operation.path)?;
        let body = bodies::read(self.document, operation, self.notes)?;
        let auth = security::find(self.document, operation, &self.api)?;
        let (document, api) = (self.document, self.api.as_str());
        let label = operation.label();
        let mut sorter = Sorter { document, notes: self.notes, api, auth: &auth, label };
        let mut sorted = sorter.sort(operation, &path)?;
        let whole = body.as_ref().and_then(|body| self.add_body(body, &mut sorted.arguments));
        let mut arguments = arguments::name_all(std::mem::take(&mut sorted.arguments));
        let whole = whole.and_then(|()| arguments.last().map(|argument| argument.name.clone()));
        if let Some(body) = &body {
            loosen(&mut arguments, body);
        }
        let hurry = if self.effort > PATIENCE { Hurry::Yes } else { Hurry::No };
        let input = input::schema(self.document, &arguments, hurry);
        self.effort += input.effort;
        let parts = Parts {
            document: self.document,
            operation,
            base_url,
            path,
            arguments: &arguments,
            fixed: sorted.fixed,
            secrets: sorted.secrets,
            body: body.as_ref(),
            whole,
            nullable: &input.nullable,
            auth: &auth,
        };
        let entry = parts.write();
        for warning in auth.warnings.iter().chain(&input.warnings) {
            self.notes.warn(&operation.label(), warning);
        }
        self.note_variables(&entry);
        let output = match hurry {
            Hurry::No => output::schema(self.document, operation),
            Hurry::Yes => {
                let why = "the document is so large that this is only looked at from outside";
                self.notes.warn(&operation.label(), why);
                None
            }
        };
        Ok(self.assemble(named, input.schema, entry, output))
    }

    fn assemble(
        &self,
        named: &Named<'_>,
        input: Value,
        entry: Value,
        output: Option<Value>,
    ) -> Value {
        let operation = &named.operation;
        let (summary, text) = (operation.text("summary"), operation.text("description"));
        let title = wording::brief(summary, 80);
        let mut description = wording::sentence(&wording::joined(summary, text, DESCRIPTION));
        if description.is_empty() {
            description = format!("{} of {}.", operation.label(), self.document.title());
        }
        let mut tags: Vec<String> =
            operation.tags().take(20).map(|tag| wording::brief(tag, 60)).collect();
        tags.retain(|tag| !tag.is_empty());
        let mut definition = Map::new();
        definition.insert("name".to_owned(), named.name.clone().into());
        if !title.is_empty() {
            definition.insert("title".to_owned(), title.into());
        }
        definition.insert("description".to_owned(), description.into());
        definition.insert("category".to_owned(), "http".into());
        if !tags.is_empty() {
            definition.insert("tags".to_owned(), json!(tags));
        }
        definition.insert("input_schema".to_owned(), input);
        definition.extend(output.map(|output| ("output".to_owned(), output)));
        definition.values_mut().for_each(escape);
        definition.insert("entry".to_owned(), entry);
        definition.insert("annotations".to_owned(), annotations(operation.method));
        if operation.own.get("deprecated") == Some(&Value::Bool(true)) {
            definition.insert("deprecated".to_owned(), true.into());
        }
        Value::Object(definition)
    }

    /// Returns where requests go: a variable, so that another server needs no change of files.
    fn base_url(&mut self, operation: &Operation<'_>) -> Result<String, String> {
        let variable = format!("{}_URL", self.api);
        let empty = Map::new();
        let general = Operation { shared: &empty, own: &empty, ..operation.clone() };
        let usual = servers::find(self.document, &general, self.options);
        match servers::find(self.document, operation, self.options) {
            Server::Known(url) if url.contains(['{', '}']) => Ok(url),
            found @ Server::Known(_) if found != usual => match found {
                Server::Known(url) => Ok(url),
                _ => Err("its server is not known".to_owned()),
            },
            Server::Known(url) => {
                let count = servers::count(self.document, self.options);
                if count > 1 {
                    self.notes.warn("", format!(
                        "the document has {count} servers; tools use {url}, or what {variable} says"
                    ));
                }
                Ok(format!("${{{variable}:{url}}}"))
            }
            Server::Foreign(scheme) => {
                Err(format!("its server speaks `{scheme}`; tools speak HTTP"))
            }
            Server::Unknown => {
                let why = format!(
                    "the document does not say where its server is; set {variable}, or import with a base address"
                );
                self.notes.warn("", why);
                Ok(format!("${{{variable}}}"))
            }
        }
    }

    /// Adds the arguments of a body; a body that is one argument is the last of them.
    fn add_body(&self, body: &Body<'a>, arguments: &mut Vec<Parameter<'a>>) -> Option<()> {
        match &body.content {
            BodyContent::Fields(fields) => {
                let translator = Translator::new(self.document, Direction::Request, 0, 0);
                let sent = fields.iter().filter(|field| {
                    field.schema.is_none_or(|schema| !translator.is_left_out(schema))
                });
                arguments.extend(sent.cloned());
                None
            }
            BodyContent::Whole(schema) => {
                let file = match body.kind {
                    BodyKind::Text => Some(File::Text { media_type: body.media_type.clone() }),
                    BodyKind::Binary => Some(File::Bytes),
                    BodyKind::Json | BodyKind::Form | BodyKind::Multipart => None,
                };
                arguments.push(Parameter {
                    name: "body",
                    location: Location::Body,
                    is_required: body.is_required,
                    description: body.description,
                    schema: *schema,
                    style: Style::usual(Location::Body),
                    file,
                    around: None,
                });
                Some(())
            }
        }
    }

    fn note_variables(&mut self, entry: &Value) {
        match entry {
            Value::String(text) => {
                for piece in text.split("${").skip(1) {
                    let inside = piece.split('}').next().unwrap_or_default();
                    // What has a default need not be set.
                    if !inside.contains(':') {
                        self.variables.insert(inside.to_owned());
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.note_variables(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.note_variables(field)),
            _ => {}
        }
    }
}

/// A body that may be left out needs none of its fields.
fn loosen(arguments: &mut [Argument<'_>], body: &Body<'_>) {
    let is_field = matches!(body.content, BodyContent::Fields(_));
    for argument in arguments.iter_mut().filter(|_| is_field && !body.is_required) {
        if argument.parameter.location == Location::Body {
            argument.parameter.is_required = false;
        }
    }
}

fn annotations(method: &str) -> Value {
    let mut annotations = Map::new();
    let words: &[&str] = match method {
        "GET" | "HEAD" | "OPTIONS" => &["read_only", "idempotent"],
        "PUT" => &["idempotent"],
        "DELETE" => &["destructive", "idempotent"],
        _ => &[],
    };
    annotations.extend(words.iter().map(|word| ((*word).to_owned(), true.into())));
    annotations.insert("open_world".to_owned(), true.into());
    Value::Object(annotations)
}

/// Names the API for its variables, from its title.
fn api_name(title: &str) -> String {
    const NOISE: [&str; 17] = [
        "API",
        "APIS",
        "REST",
        "THE",
        "OPENAPI",
        "SWAGGER",
        "SPECIFICATION",
        "SPEC",
        "DOCUMENTATION",
        "DOCS",
        "SERVICE",
        "WEB",
        "PUBLIC",
        "A",
        "AN",
        "OF",
        "S",
    ];
    let words = names::variable(title);
    let words: Vec<&str> = words.split('_').filter(|word| !NOISE.contains(word)).take(3).collect();
    let name = words.join("_");
    let name: String = name.chars().take(30).collect();
    if name.is_empty() { "API".to_owned() } else { names::variable(&name) }
}

/// Keeps texts of the document from being taken for variables.
fn escape(value: &mut Value) {
    match value {
        Value::String(text) if text.contains("${") => *text = text.replace("${", "$${"),
        Value::Array(items) => items.iter_mut().for_each(escape),
        Value::Object(fields) => fields.values_mut().for_each(escape),
        _ => {}
    }
}
