//! The parameter list of a definition.

use std::collections::HashSet;

use toolsmith_core::{
    Fault, Fields, JsonText, Map, Parameter, ParameterType, Spot, Value, describe, json, schema_of,
};
use toolsmith_engine::schema::Schema;

use super::{
    rules::{self, TYPES, Where},
    schema,
};

/// Reads the list; nothing when there is none.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<Vec<Parameter>> {
    if let Some(Value::Object(map)) = fields.any("parameters") {
        let hint = if map.contains_key("properties") {
            "; a JSON Schema goes under `input_schema`"
        } else {
            " of parameters, each with its `name`"
        };
        fields.blame("parameters", format!("expected a list, found a map{hint}"));
        return None;
    }
    let items = fields.list("parameters")?;
    let mut parameters = Vec::with_capacity(items.len());
    let mut names = HashSet::new();
    for (place, item) in items.iter().enumerate() {
        let pointer = format!("/parameters/{place}");
        let mut inner = match Fields::of(item, pointer) {
            Ok(inner) => inner,
            Err(fault) => {
                fields.add(fault);
                continue;
            }
        };
        let parameter = parameter(&mut inner);
        if !parameter.name.is_empty() && !names.insert(parameter.name.clone()) {
            let message = format!("the parameter `{}` is listed twice", parameter.name);
            inner.blame("name", message);
        }
        parameters.push(parameter);
        fields.leave(inner);
    }
    check_schemas(fields, items, &parameters);
    Some(parameters)
}

fn parameter(inner: &mut Fields<'_>) -> Parameter {
    if inner.any("name").is_none() {
        inner.miss("name", "every parameter has one");
    }
    let name = inner.text("name").unwrap_or_default().to_owned();
    if inner.any("name").is_some_and(|name| name == "") {
        inner.blame("name", "a name has at least one character");
    }
    let word = inner.word("type", &TYPES);
    let required = inner.flag("required").unwrap_or_default();
    let default = inner.any("default").cloned();
    let description = inner.text("description").unwrap_or_default().to_owned();
    let mut validation = rules::read(inner, word, Where::Parameter);
    if let Some(mut nested) = inner.enter("validation") {
        let more = rules::read(&mut nested, word, Where::Validation);
        inner.leave(nested);
        merge(inner, &mut validation, more);
    }
    rules::check_bounds(inner, &validation);
    let r#type = word.map_or(ParameterType::Any, type_of);
    Parameter { name, r#type, required, default, description, validation, direct: Map::new() }
}

/// Joins the rules of both places; the same rule twice must say the same.
fn merge(inner: &mut Fields<'_>, rules: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match rules.get(&key) {
            Some(other) if *other != value => {
                let message = format!("`{key}` contradicts the one outside `validation`");
                let pointer = format!("{}/validation", inner.pointer());
                inner.add(rules::key_fault(&pointer, &key, message));
            }
            _ => {
                rules.insert(key, value);
            }
        }
    }
}

fn type_of(word: &str) -> ParameterType {
    match word {
        "string" => ParameterType::String,
        "number" => ParameterType::Number,
        "integer" => ParameterType::Integer,
        "boolean" => ParameterType::Boolean,
        "array" => ParameterType::Array,
        "object" => ParameterType::Object,
        _ => ParameterType::Any,
    }
}

/// Checks that the schemas of the parameters compile, and that defaults fit them.
fn check_schemas(fields: &mut Fields<'_>, items: &[Value], parameters: &[Parameter]) {
    if !fields.is_fine() {
        return;
    }
    if Schema::inspect(&schema_of(parameters)).is_err() {
        for (place, (item, parameter)) in items.iter().zip(parameters).enumerate() {
            let fault = bad_rule(&format!("/parameters/{place}"), item, parameter);
            rules::add_all(fields, fault);
        }
        if fields.is_fine() {
            let fault = schema::check(&schema_of(parameters).to_value(), "/parameters");
            rules::add_all(fields, fault);
        }
        return;
    }
    for (place, parameter) in parameters.iter().enumerate() {
        if let Some(message) = unfit_default(parameter) {
            fields.blame_at(&format!("parameters/{place}/default"), message);
        }
    }
}

/// Finds the rule of a parameter that makes no schema.
fn bad_rule(pointer: &str, item: &Value, parameter: &Parameter) -> Option<Fault> {
    for (key, value) in &parameter.validation {
        let alone = Parameter {
            validation: Map::from_iter([(key.clone(), value.clone())]),
            ..Parameter::new("x", parameter.r#type)
        };
        let schema = schema_of(&[alone]).to_value();
        let within = if item.get(key).is_some() { "" } else { "/validation" };
        let at = format!("{pointer}{within}/{key}");
        let fault = schema::check(schema.get("properties")?.get("x")?, &at);
        if let Some(Fault { message, .. }) = fault {
            return Some(Fault { pointer: at, spot: Spot::Value, message });
        }
    }
    None
}

/// Says why a default breaks the parameter's own rules.
fn unfit_default(parameter: &Parameter) -> Option<String> {
    let default = parameter.default.as_ref()?;
    if !fits_type(parameter.r#type, default) {
        let expected = json!(parameter.r#type);
        let expected = expected.as_str().unwrap_or_default();
        return Some(format!(
            "the default must be of type `{expected}`, found {}",
            describe(default)
        ));
    }
    // A schema is compiled only where a rule has to be asked.
    if parameter.validation.is_empty() {
        return None;
    }
    let schema =
        Schema::compile(&JsonText::of(&schema_of(std::slice::from_ref(parameter)))).ok()?;
    let problems = schema.problems(&json!({ (parameter.name.as_str()): default }));
    let problem = problems.into_iter().next()?;
    Some(format!("the default breaks a rule: {}", problem.message.trim_end_matches('.')))
}

fn fits_type(r#type: ParameterType, value: &Value) -> bool {
    match r#type {
        ParameterType::String => value.is_string(),
        ParameterType::Number => value.is_number(),
        ParameterType::Integer => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        ParameterType::Boolean => value.is_boolean(),
        ParameterType::Array => value.is_array(),
        ParameterType::Object => value.is_object(),
        ParameterType::Any => true,
    }
}
