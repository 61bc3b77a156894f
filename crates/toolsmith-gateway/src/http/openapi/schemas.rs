//! The schemas of what is sent and answered, made of the types that are read and written.

use schemars::{
    SchemaGenerator,
    generate::SchemaSettings,
    transform::{Transform, transform_subschemas},
};
use toolsmith_core::{Map, Outcome, Value, json};

use super::{
    super::{addresses::Of, answer},
    message::Message,
};

/// Gathers the schemas that a description names.
#[derive(Debug)]
pub(super) struct Schemas {
    reading: SchemaGenerator,
    writing: SchemaGenerator,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let reading = settings.clone().for_deserialize();
        let writing = settings.for_serialize().with_transform(Closed);
        Self {
            reading: reading.with_transform(Bounded).into_generator(),
            writing: writing.into_generator(),
        }
    }
}

impl Schemas {
    /// Returns the schema of what is read from a body.
    pub(super) fn read(&mut self, of: Of) -> Value {
        of(&mut self.reading).to_value()
    }

    /// Returns the schema of what is answered.
    pub(super) fn written(&mut self, of: Of) -> Value {
        of(&mut self.writing).to_value()
    }

    /// Returns the schema of a failed request.
    pub(super) fn error(&mut self) -> Value {
        self.writing.subschema_for::<answer::Wire<'_>>().to_value()
    }

    /// Returns the schema of what came of a call.
    pub(super) fn outcome(&mut self) -> Value {
        self.writing.subschema_for::<Outcome>().to_value()
    }

    /// Returns the schema of a message of MCP.
    pub(super) fn message(&mut self) -> Value {
        self.writing.subschema_for::<Message>().to_value()
    }

    /// Returns the parameters that a query is read into.
    pub(super) fn query(&mut self, of: Of) -> Vec<Value> {
        let mut apart = SchemaGenerator::new(self.reading.settings().clone().with(|settings| {
            settings.inline_subschemas = true;
        }));
        let mut schema = of(&mut apart);
        for transform in apart.transforms_mut() {
            transform.transform(&mut schema);
        }
        let required = schema.get("required").and_then(Value::as_array).cloned();
        let required = required.unwrap_or_default();
        let Some(Value::Object(properties)) = schema.remove("properties") else {
            return Vec::new();
        };
        let parameter = |(name, mut schema): (String, Value)| {
            let description = without_null(&mut schema);
            let is_required = required.iter().any(|other| other.as_str() == Some(&name));
            let mut parameter = json!({ "name": name, "in": "query", "required": is_required });
            parameter["schema"] = schema;
            if let Some(description) = description {
                parameter["description"] = description;
            }
            parameter
        };
        properties.into_iter().map(parameter).collect()
    }

    /// Returns all schemas that were named.
    pub(super) fn all(mut self) -> Map<String, Value> {
        let mut all = self.reading.take_definitions(true);
        all.append(&mut self.writing.take_definitions(true));
        all
    }
}

/// A query has no null: what is absent is left out. Returns what there is to say.
fn without_null(schema: &mut Value) -> Option<Value> {
    let fields = schema.as_object_mut()?;
    let description = fields.remove("description");
    fields.remove("default");
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            fields["type"] = only.clone();
        }
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [only] = choices.as_slice() {
            *schema = only.clone();
        }
    }
    description
}

/// Says that objects have no other members than those that their type has.
#[derive(Clone, Debug)]
struct Closed;

impl Transform for Closed {
    fn transform(&mut self, schema: &mut schemars::Schema) {
        let is_open = schema.get("additionalProperties").is_none();
        if schema.get("properties").is_some() && is_open {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        transform_subschemas(self, schema);
    }
}

/// Says how large the numbers of a type can be.
#[derive(Clone, Debug)]
struct Bounded;

impl Transform for Bounded {
    fn transform(&mut self, schema: &mut schemars::Schema) {
        let bounds: Option<(Value, Value)> = match schema.get("format").and_then(Value::as_str) {
            Some("uint32") => Some((0.into(), u32::MAX.into())),
            Some("int32") => Some((i32::MIN.into(), i32::MAX.into())),
            Some("uint" | "uint64") => Some((0.into(), u64::MAX.into())),
            _ => None,
        };
        if let Some((least, most)) = bounds {
            schema.insert("minimum".to_owned(), least);
            schema.insert("maximum".to_owned(), most);
        }
        transform_subschemas(self, schema);
    }
}
