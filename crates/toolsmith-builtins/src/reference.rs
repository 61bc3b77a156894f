//! The page that describes the built-in tools for people.

use std::fmt::Write;

use toolsmith_core::{Annotations, JsonText, Map, Tool, ToolSpec, Value};

/// Writes a Markdown page of tools, by category and then by name.
pub fn reference(tools: &[Tool]) -> String {
    let mut specs: Vec<&ToolSpec> = tools.iter().map(|tool| &tool.spec).collect();
    specs.sort_by_key(|spec| (spec.category.as_str().to_owned(), spec.name.to_string()));
    let mut page = String::from("# Built-in tools\n\n");
    page.push_str("This page is generated from the tools themselves.\n");
    contents(&mut page, &specs);
    let mut category = "";
    for spec in specs {
        if spec.category.as_str() != category {
            category = spec.category.as_str();
            line(&mut page, &format!("\n## {category}"));
        }
        section(&mut page, spec);
    }
    page
}

fn contents(page: &mut String, specs: &[&ToolSpec]) {
    page.push_str("\n| tool | category | what it does |\n|---|---|---|\n");
    for spec in specs {
        let first = spec.description.split_inclusive(". ").next().unwrap_or_default();
        let (name, category) = (&spec.name, &spec.category);
        line(page, &format!("| [`{name}`](#{name}) | {category} | {} |", cell(first)));
    }
}

fn section(page: &mut String, spec: &ToolSpec) {
    line(page, &format!("\n### {}\n", spec.name));
    if let Some(title) = &spec.title {
        line(page, &format!("**{title}.** {}\n", spec.description));
    }
    line(page, &format!("It {}.\n", effects(spec.annotations)));
    parameters(page, &spec.input_schema.to_value());
    if let Some(output) = &spec.output_schema {
        page.push_str("\nOutput:\n\n");
        fields(page, &output.to_value(), Column::None);
    }
    spec.examples.iter().for_each(|example| show(page, example));
}

/// Says in words what a tool does to the world.
fn effects(annotations: Annotations) -> String {
    let mut words = vec![match annotations {
        Annotations { read_only: true, .. } => "changes nothing",
        Annotations { destructive: true, .. } => "may destroy something",
        _ => "changes something, but destroys nothing",
    }];
    if annotations.idempotent && !annotations.read_only {
        words.push("does no more when called twice");
    }
    if annotations.open_world {
        words.push("deals with the world outside");
    }
    words.join(", ")
}

fn parameters(page: &mut String, schema: &Value) {
    if schema["properties"].as_object().is_none_or(Map::is_empty) {
        page.push_str("It takes no parameters.\n");
        return;
    }
    page.push_str("Parameters:\n\n");
    fields(page, schema, Column::Required);
}

/// Whether a table says which fields are required.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Required,
    None,
}

fn fields(page: &mut String, schema: &Value, column: Column) {
    let (head, rule) = match column {
        Column::Required => ("| name | type | required | description |", "|---|---|---|---|"),
        Column::None => ("| name | type | description |", "|---|---|---|"),
    };
    line(page, head);
    line(page, rule);
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let needed = if required.iter().any(|word| word == name) { "yes" } else { "no" };
        let needed =
            if column == Column::Required { format!(" {needed} |") } else { String::new() };
        line(page, &format!("| `{name}` | {} |{needed} {} |", kind(field), describe(field)));
    }
}

/// Names the type of a field; a list names what is in it.
fn kind(field: &Value) -> String {
    match &field["type"] {
        Value::String(word) if word == "array" && field["items"]["type"].is_string() => {
            format!("array of {}", kind(&field["items"]))
        }
        Value::String(word) => word.clone(),
        Value::Array(words) => {
            words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

/// Says what a field is, what it must fulfil, and what it is when it is not given.
fn describe(field: &Value) -> String {
    let mut text = cell(field["description"].as_str().unwrap_or_default());
    if text.is_empty()
        && let Some(inner) = field["items"]["properties"].as_object()
    {
        let names: Vec<String> = inner.keys().map(|name| format!("`{name}`")).collect();
        text = format!("Each with {}.", names.join(", "));
    }
    for (key, before) in [("enum", "One of"), ("minimum", "At least"), ("maximum", "At most")] {
        if let Some(rule) = field.get(key) {
            add(&mut text, &format!("{before} {}.", values(rule)));
        }
    }
    if let Some(default) = field.get("default") {
        add(&mut text, &format!("Default: {}.", values(default)));
    }
    text
}

fn add(text: &mut String, sentence: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(sentence);
}

fn values(value: &Value) -> String {
    match value {
        Value::Array(several) => several.iter().map(values).collect::<Vec<_>>().join(", "),
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

fn show(page: &mut String, example: &JsonText) {
    let text = serde_json::to_string_pretty(&example.to_value()).unwrap_or_default();
    page.push_str("\nExample:\n\n```json\n");
    line(page, &text);
    page.push_str("```\n");
}

/// A cell of a table is one line, and a bar would end it.
fn cell(text: &str) -> String {
    text.trim().replace('\n', " ").replace('|', "\\|")
}

fn line(page: &mut String, text: &str) {
    // Writing into a text cannot fail.
    writeln!(page, "{text}").ok();
}
