//! The keys of a definition, except those that have a file of their own.

use toolsmith_core::{
    Category, Exposure, Fields, JsonText, Scope, TaskSupport, Text, ToolName, ToolRef, ToolSpec,
    Value, Version, describe, schema_of,
};

use super::{output, parameters, policies, schema};

/// Reads the keys; the name of a definition without a good one is a stand-in.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<ToolSpec> {
    let mut spec = name(fields).map(ToolSpec::named).or_else(|| ToolSpec::new("unnamed").ok())?;
    spec.title = text(fields, "title");
    spec.version = version(fields).unwrap_or_default();
    spec.description = text(fields, "description").unwrap_or_default();
    spec.category = fields.text("category").map(Category::new).unwrap_or_default();
    spec.tags = texts(fields, "tags");
    if let Some(schema) = input(fields) {
        spec.input_schema = schema;
    }
    spec.output_schema = output::read(fields);
    spec.author = text(fields, "author");
    spec.icon = text(fields, "icon");
    spec.shareable_scope = match fields.word("shareable_scope", &["private", "team", "public"]) {
        Some("team") => Scope::Team,
        Some("public") => Scope::Public,
        _ => Scope::Private,
    };
    spec.groups = texts(fields, "groups");
    spec.depends_on = depends_on(fields);
    spec.exposure = match fields.word("exposure", &["direct", "deferred", "hidden"]) {
        Some("deferred") => Exposure::Deferred,
        Some("hidden") => Exposure::Hidden,
        _ => Exposure::Direct,
    };
    spec.parallel = fields.flag("parallel");
    spec.coerce = fields.flag("coerce").unwrap_or_default();
    spec.stream_support = fields.flag("stream_support").unwrap_or_default();
    let supports = ["auto", "optional", "required", "forbidden"];
    spec.task_support = match fields.word("task_support", &supports) {
        Some("optional") => TaskSupport::Optional,
        Some("required") => TaskSupport::Required,
        Some("forbidden") => TaskSupport::Forbidden,
        _ => TaskSupport::Auto,
    };
    spec.examples = fields
        .list("examples")
        .map_or_else(Vec::new, |list| list.iter().map(JsonText::of).collect());
    policies::read(fields, &mut spec);
    Some(spec)
}

fn name(fields: &mut Fields<'_>) -> Option<ToolName> {
    if fields.any("name").is_none() {
        fields.miss("name", "say by which name the tool is called");
        return None;
    }
    match ToolName::new(fields.text("name")?) {
        Ok(name) => Some(name),
        Err(error) => {
            fields.blame("name", error.message());
            None
        }
    }
}

fn version(fields: &mut Fields<'_>) -> Option<Version> {
    // YAML reads 1.10 as the number 1.1: a version without quotes may be another one.
    if let Some(number @ Value::Number(_)) = fields.any("version") {
        fields.blame(
            "version",
            format!("expected text, found {}; put the version in quotes", describe(number)),
        );
        return None;
    }
    match fields.text("version")?.parse() {
        Ok(version) => Some(version),
        Err(error) => {
            let error: toolsmith_core::ToolError = error;
            fields.blame("version", error.message());
            None
        }
    }
}

fn input(fields: &mut Fields<'_>) -> Option<JsonText> {
    let is_listed = fields.any("parameters").is_some();
    match fields.any("input_schema") {
        Some(_) if is_listed => {
            let message = "`input_schema` and `parameters` say the same thing in two ways: \
                           remove one of them";
            fields.add(super::rules::key_fault(fields.pointer(), "input_schema", message));
            None
        }
        Some(_) => {
            let value = Value::Object(fields.map("input_schema")?.clone());
            super::rules::add_all(fields, schema::check(&value, "/input_schema"));
            Some(JsonText::of(&value).shrunk())
        }
        None => Some(schema_of(&parameters::read(fields)?).shrunk()),
    }
}

fn depends_on(fields: &mut Fields<'_>) -> Vec<ToolRef> {
    let texts = fields.texts("depends_on").unwrap_or_default();
    let mut needs = Vec::with_capacity(texts.len());
    for (place, text) in texts.into_iter().enumerate() {
        match text.parse() {
            Ok(need) => needs.push(need),
            Err(error) => {
                let error: toolsmith_core::ToolError = error;
                fields.blame_at(&format!("depends_on/{place}"), error.message());
            }
        }
    }
    needs
}

pub(super) fn text(fields: &mut Fields<'_>, key: &'static str) -> Option<Text> {
    fields.text(key).map(Text::from)
}

fn texts(fields: &mut Fields<'_>, key: &'static str) -> Vec<Text> {
    fields.texts(key).unwrap_or_default().into_iter().map(Text::from).collect()
}
