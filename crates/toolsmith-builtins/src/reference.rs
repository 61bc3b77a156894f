//! The page that describes the built-in tools for people.

use std::fmt::Write;

use toolsmith_core::{Annotations, JsonText, Map, Tool, ToolSpec, Value};

const HEAD: &str = "\
# Built-in tools

<!-- Made from the tools themselves; do not edit by hand. -->

These tools are there after the installation, without any definition. `toolsmith tools show NAME`
prints what stands here about one of them, and `toolsmith tools disable NAME` switches it off. A
definition of the same name takes the place of the built-in tool; one with `entry: {type: builtin,
handler: NAME}` gives it another name and description.
";

/// What is good to know about the tools of a category before reading about each.
const INTRODUCTIONS: [(&str, &str); 2] = [
    (
        "file",
        "Paths are relative to the first folder of `allowed_paths` (`./data` unless it is set), or \
         begin with one of those folders. Nothing outside is read or changed, whatever a path or a \
         link says. At most 8 MiB of a file are held at once.",
    ),
    (
        "network",
        "Addresses must be on the public internet; `network.allow` opens others. Redirects are \
         followed and checked again.",
    ),
];

/// Writes a Markdown page of tools, by category and then by name.
pub fn reference(tools: &[Tool]) -> String {
    let mut specs: Vec<&ToolSpec> = tools.iter().map(|tool| &tool.spec).collect();
    specs.sort_by_key(|spec| (spec.category.as_str().to_owned(), spec.name.to_string()));
    let mut page = HEAD.to_owned();
    contents(&mut page, &specs);
    let mut category = "";
    for spec in specs {
        if spec.category.as_str() != category {
            category = spec.category.as_str();
            introduce(&mut page, category);
        }
        section(&mut page, spec);
    }
    page
}

fn contents(page: &mut String, specs: &[&ToolSpec]) {
    page.push_str("\n| Category | Tool | What it does |\n|---|---|---|\n");
    for spec in specs {
        let (name, category) = (&spec.name, &spec.category);
        let what = cell(first_sentence(&spec.description));
        line(page, &format!("| {category} | [`{name}`](#{name}) | {what} |"));
    }
}

/// Returns the text up to the first full stop that ends a sentence.
fn first_sentence(text: &str) -> &str {
    let end = text.match_indices(". ").map(|(place, _)| place + 1).find(|end| {
        // A sentence may quote something with a full stop in it.
        text.get(..*end).is_some_and(|start| start.matches('`').count() % 2 == 0)
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn introduce(page: &mut String, category: &str) {
    line(page, &format!("\n## {category}"));
    let introduction = INTRODUCTIONS.iter().find(|(of, _)| *of == category);
    if let Some((_, text)) = introduction {
        line(page, &format!("\n{text}"));
    }
}

fn section(page: &mut String, spec: &ToolSpec) {
    line(page, &format!("\n### {}\n", spec.name));
    line(page, &format!("{} *{}*\n", spec.description, effects(spec.annotations)));
    parameters(page, &spec.input_schema.to_value());
    if let Some(output) = &spec.output_schema {
        returned(page, &output.to_value());
    }
    examples(page, &spec.examples);
}

/// Says in words what a tool does to the world.
fn effects(annotations: Annotations) -> String {
    let mut words = vec![match annotations {
        Annotations { read_only: true, .. } => "Read-only",
        Annotations { destructive: true, .. } => "Destructive",
        _ => "Changes something, destroys nothing",
    }];
    if annotations.idempotent && !annotations.read_only {
        words.push("idempotent");
    }
    if annotations.open_world {
        words.push("open world");
    }
    format!("{}.", words.join(", "))
}

fn parameters(page: &mut String, schema: &Value) {
    if schema["properties"].as_object().is_none_or(Map::is_empty) {
        page.push_str("It takes no parameters.\n");
        return;
    }
    line(page, "| Parameter | Type | Required | Meaning |\n|---|---|---|---|");
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let needed = if required.iter().any(|word| word == name) { "yes" } else { "" };
        line(page, &format!("| `{name}` | {} | {needed} | {} |", kind(field), describe(field)));
    }
}

fn returned(page: &mut String, schema: &Value) {
    let Some(fields) = schema["properties"].as_object() else {
        line(page, &format!("\nReturns {}. {}", kind(schema), describe(schema)));
        return;
    };
    line(page, "\n| Returns | Type | Meaning |\n|---|---|---|");
    for (name, field) in fields {
        line(page, &format!("| `{name}` | {} | {} |", kind(field), describe(field)));
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
    if let Some(inner) = field["items"]["properties"].as_object() {
        let names: Vec<String> = inner.keys().map(|name| format!("`{name}`")).collect();
        add(&mut text, &format!("Each with {}.", names.join(", ")));
    }
    if let Some(words) = field.get("enum") {
        add(&mut text, &format!("One of {}.", values(words)));
    }
    match (field.get("minimum"), field.get("maximum")) {
        (Some(least), Some(most)) => {
            add(&mut text, &format!("From {} to {}.", values(least), values(most)));
        }
        (Some(least), None) => add(&mut text, &format!("At least {}.", values(least))),
        (None, Some(most)) => add(&mut text, &format!("At most {}.", values(most))),
        (None, None) => {}
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
        Value::Array(several) if !several.is_empty() => {
            several.iter().map(values).collect::<Vec<_>>().join(", ")
        }
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

fn examples(page: &mut String, examples: &[JsonText]) {
    if examples.is_empty() {
        return;
    }
    page.push_str("\n```text\n");
    for example in examples {
        let example = example.to_value();
        line(page, &format!("{}\n  → {}", example["input"], example["output"]));
    }
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
