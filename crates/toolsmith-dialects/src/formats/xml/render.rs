//! Writes the `<functions>` block, calls and results as text.

use serde_json::{Map, Value, json};
use toolsmith_core::ToolSpec;

use crate::{
    Language, RenderSettings, Rendering, Repairs, ShownCall, ShownResult, Titles, Tools, Wanted,
    type_text,
};

/// The keys of a schema whose members are named by the user, not by JSON Schema.
const NAMED_SCHEMAS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// The keys of a schema whose values are data.
const DATA: [&str; 4] = ["enum", "const", "default", "examples"];

const ENGLISH: &str = r#"<output_instructions>
If you need to call a tool, use the following format:
<function_calls>
<invoke name="tool name">
<parameter name="parameter name">parameter value</parameter>
<parameter name="another parameter name">another parameter value</parameter>
</invoke>
</function_calls>
To call several tools, put several invoke blocks into function_calls.
If you do not need a tool, simply answer the user.
Note:
- the tool name must be exactly one of the names defined in functions
- the parameter names must be exactly those in the definition of the tool
- required parameters must not be left out
</output_instructions>"#;

const CHINESE: &str = r#"<output_instructions>
如果需要调用工具，请使用以下格式：
<function_calls>
<invoke name="工具名称">
<parameter name="参数名">参数值</parameter>
<parameter name="另一个参数名">另一个参数值</parameter>
</invoke>
</function_calls>
如果需要调用多个工具，可以在 function_calls 中包含多个 invoke 块。
如果不需要调用工具，直接回复用户即可。
注意：
- 工具名称必须精确匹配 functions 中定义的名称
- 参数名必须精确匹配工具定义中的参数名
- 必需的参数不能省略
</output_instructions>"#;

/// Returns the text that tells a model how to write a call.
pub(crate) fn instructions(language: Language) -> &'static str {
    match language {
        Language::English => ENGLISH,
        Language::Chinese => CHINESE,
    }
}

/// Writes the `<functions>` block: one definition a line, keys in alphabetical order.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    let definition = |spec: &&ToolSpec| {
        let definition = json!({
            "description": spec.description.as_str(),
            "name": spec.name.as_str(),
            "parameters": parameters(spec, settings.titles),
        });
        format!("<function>{definition}</function>")
    };
    let mut lines = vec!["<functions>".to_owned()];
    lines.extend(tools.iter().map(definition));
    lines.push("</functions>".to_owned());
    Rendering { content: Value::String(lines.join("\n")), ..Rendering::default() }
}

fn parameters(spec: &ToolSpec, titles: Titles) -> Value {
    let mut schema = spec.input_schema.to_value();
    if let Some(fields) = schema.as_object_mut() {
        // A schema that speaks of no properties at all takes any object.
        if fields.contains_key("properties") {
            fields.entry("additionalProperties").or_insert(Value::Bool(false));
        }
        if titles == Titles::On {
            let title = format!("{}Params", words(spec.name.as_str()).replace(' ', ""));
            fields.entry("title").or_insert(Value::String(title));
            add_titles(fields);
        }
    }
    sorted(&schema, titles)
}

fn add_titles(fields: &mut Map<String, Value>) {
    let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(property) = property.as_object_mut() {
            property.entry("title").or_insert_with(|| Value::String(words(name)));
        }
    }
}

/// Turns `check_availability` into `Check Availability`.
fn words(name: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>())
    };
    let words: Vec<_> = name.split(['_', '-', '.', ' ']).filter_map(capital).collect();
    words.join(" ")
}

/// Returns a schema with its keys in alphabetical order, and without titles where they are off.
fn sorted(schema: &Value, titles: Titles) -> Value {
    match schema {
        Value::Array(members) => members.iter().map(|member| sorted(member, titles)).collect(),
        Value::Object(fields) => ordered(fields)
            .filter(|(key, value)| titles == Titles::On || *key != "title" || !value.is_string())
            .map(|(key, value)| (key.clone(), sorted_field(key, value, titles)))
            .collect(),
        other => other.clone(),
    }
}

fn sorted_field(key: &str, value: &Value, titles: Titles) -> Value {
    match value.as_object().filter(|_| NAMED_SCHEMAS.contains(&key)) {
        Some(members) => {
            ordered(members).map(|(name, schema)| (name.clone(), sorted(schema, titles))).collect()
        }
        None if DATA.contains(&key) => sorted(value, Titles::On),
        None => sorted(value, titles),
    }
}

fn ordered(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_unstable_by_key(|(key, _)| *key);
    fields.into_iter()
}

/// Writes a block of calls.
pub(super) fn calls(calls: &[ShownCall<'_>], tools: &Tools) -> String {
    let mut text = String::from("<function_calls>\n");
    for call in calls {
        let shape = tools.shape(call.name);
        text.push_str("<invoke name=");
        push_quoted(&mut text, call.name);
        text.push_str(">\n");
        for (name, value) in call.arguments.as_object().into_iter().flatten() {
            let wanted = shape.as_ref().and_then(|shape| shape.wanted(name));
            text.push_str("<parameter name=");
            push_quoted(&mut text, name);
            text.push('>');
            text.push_str(&value_text(value, wanted.unwrap_or(Wanted::STRING)));
            text.push_str("</parameter>\n");
        }
        text.push_str("</invoke>\n");
    }
    text.push_str("</function_calls>");
    text
}

fn push_quoted(text: &mut String, name: &str) {
    let quote = if name.contains('"') { '\'' } else { '"' };
    text.push(quote);
    text.push_str(name);
    text.push(quote);
}

/// Writes a value so that it is read back as it was.
fn value_text(value: &Value, wanted: Wanted) -> String {
    let Value::String(string) = value else { return value.to_string() };
    let reads_back = |text: &str| type_text(text.to_owned(), wanted, Repairs::Try).0 == *value;
    // Where a string may be other things too, quotes may be what tells it from a number.
    if !reads_back(string) && reads_back(&value.to_string()) {
        return value.to_string();
    }
    string.clone()
}

/// Writes a block of results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let mut lines = vec!["<function_results>".to_owned()];
    lines.extend(results.iter().map(result));
    lines.push("</function_results>".to_owned());
    lines.join("\n")
}

fn result(shown: &ShownResult<'_>) -> String {
    let (tag, body) = match shown.result {
        Ok(Value::String(output)) => ("stdout", output.clone()),
        Ok(output) => ("stdout", output.to_string()),
        Err(message) => ("error", message.to_owned()),
    };
    let name = shown.name;
    format!("<result>\n<tool_name>{name}</tool_name>\n<{tag}>{body}</{tag}>\n</result>")
}

#[cfg(test)]
mod tests {
    use toolsmith_core::Parameter;

    use super::*;

    fn room() -> ToolSpec {
        let schema = json!({
            "type": "object",
            "title": "Old",
            "required": ["room", "time"],
            "properties": {
                "time": {"type": "string", "description": "时间范围"},
                "room": {"type": "string", "description": "会议室名称", "title": "Hall"},
                "title": {"type": "string"},
            },
        });
        ToolSpec::new("check_availability")
            .unwrap()
            .with_description("检查会议室可用性")
            .with_input_schema(&schema)
    }

    #[test]
    fn a_definition_is_one_line_with_its_keys_in_order() {
        let text = definitions(&[&room()], &RenderSettings::default()).text();
        assert_eq!(
            text,
            concat!(
                "<functions>\n",
                r#"<function>{"description":"检查会议室可用性","name":"check_availability","parameters":"#,
                r#"{"additionalProperties":false,"properties":{"room":{"description":"会议室名称","type":"string"},"#,
                r#""time":{"description":"时间范围","type":"string"},"title":{"type":"string"}},"#,
                r#""required":["room","time"],"type":"object"}}</function>"#,
                "\n</functions>"
            )
        );
    }

    #[test]
    fn titles_are_shown_where_a_setting_asks_for_them() {
        let text = definitions(&[&room()], &RenderSettings { titles: Titles::On }).text();
        assert!(text.contains(r#""title":"Hall","type":"string""#), "{text}");
        assert!(
            text.contains(r#""time":{"description":"时间范围","title":"Time","type""#),
            "{text}"
        );
        assert!(text.contains(r#""title":"Old","type":"object""#), "{text}");
        let plain = ToolSpec::new("book_room").unwrap().with_parameters(&[Parameter::string("a")]);
        let text = definitions(&[&plain], &RenderSettings { titles: Titles::On }).text();
        assert!(text.contains(r#""title":"BookRoomParams""#), "{text}");
    }

    #[test]
    fn results_are_written_as_text() {
        let text = results(&[
            ShownResult { id: None, name: "a", result: Ok(&json!({"ok": true})) },
            ShownResult { id: None, name: "b", result: Err("no such room") },
        ]);
        assert_eq!(
            text,
            "<function_results>\n<result>\n<tool_name>a</tool_name>\n<stdout>{\"ok\":true}</stdout>\n</result>\n\
             <result>\n<tool_name>b</tool_name>\n<error>no such room</error>\n</result>\n</function_results>"
        );
    }

    #[test]
    fn instructions_exist_in_both_languages() {
        for language in [Language::English, Language::Chinese] {
            let text = instructions(language);
            assert!(text.starts_with("<output_instructions>\n"));
            assert!(text.contains("<function_calls>\n<invoke name=\""));
        }
    }
}
