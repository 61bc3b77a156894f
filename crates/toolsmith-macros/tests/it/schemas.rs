//! What a model sees of a tool's input.

use std::collections::BTreeMap;

use toolsmith_core::{
    __private::{schemars, serde},
    IntoTool, ToolContext, Value, json,
};
use toolsmith_macros::tool;

use crate::workbench::schema;

/// Adds two numbers.
#[tool(crate = "toolsmith_core")]
async fn add(
    /// The first number.
    a: i64,
    /// The second number;
    /// one unless said.
    #[arg(default = 1)]
    b: i64,
) -> i64 {
    a + b
}

#[test]
fn parameters_become_a_closed_object_in_their_order() {
    assert_eq!(
        add.into_tool().unwrap().spec.input_schema.as_str(),
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""a":{"description":"The first number.","type":"integer","format":"int64"},"#,
            r#""b":{"description":"The second number; one unless said.","type":"integer","#,
            r#""format":"int64","default":1}},"#,
            r#""additionalProperties":false,"required":["a"]}"#
        )
    );
}

/// Greets someone.
#[tool(crate = "toolsmith_core")]
fn greet(
    mut name: String,
    title: Option<String>,
    #[arg(default)] loud: bool,
    #[arg(default = "hello", description = "How to greet.")] word: String,
) -> String {
    if let Some(title) = title {
        name = format!("{title} {name}");
    }
    let greeting = format!("{word}, {name}");
    if loud { greeting.to_uppercase() } else { greeting }
}

#[test]
fn options_and_defaults_may_be_left_out() {
    assert_eq!(
        schema(greet),
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "title": {"type": ["string", "null"]},
                "loud": {"type": "boolean", "default": false},
                "word": {"type": "string", "description": "How to greet.", "default": "hello"}
            },
            "required": ["name"],
            "additionalProperties": false
        })
    );
}

/// Sends a message.
#[tool(crate = "toolsmith_core")]
fn send(#[arg(rename = "from")] sender: String, r#type: u8, cx: &ToolContext) -> Value {
    json!([sender, r#type, &**cx.tool_name()])
}

#[test]
fn renamed_and_raw_names_are_shown_and_the_context_is_not() {
    assert_eq!(
        schema(send),
        json!({
            "type": "object",
            "properties": {
                "from": {"type": "string"},
                "type": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}
            },
            "required": ["from", "type"],
            "additionalProperties": false
        })
    );
}

/// Says nothing.
#[tool(crate = "toolsmith_core")]
fn nothing() {}

#[test]
fn no_parameters_make_an_empty_closed_object() {
    assert_eq!(schema(nothing), json!({"type": "object", "additionalProperties": false}));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolsmith_core::__private::serde", rename_all = "lowercase")]
#[schemars(crate = "toolsmith_core::__private::schemars")]
enum Order {
    Newest,
    Oldest,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolsmith_core::__private::serde")]
#[schemars(crate = "toolsmith_core::__private::schemars")]
struct SearchInput {
    /// What to look for.
    words: Vec<String>,
    order: Option<Order>,
}

/// Searches the archive.
#[tool(crate = "toolsmith_core")]
async fn search(cx: ToolContext, #[arg(whole)] query: SearchInput) -> String {
    let order = match query.order {
        Some(Order::Newest) => "newest",
        Some(Order::Oldest) => "oldest",
        None => "any",
    };
    format!("{}: {} ({order})", cx.tool_name(), query.words.join("+"))
}

#[test]
fn a_struct_can_be_the_whole_input() {
    assert_eq!(
        schema(search),
        json!({
            "type": "object",
            "properties": {
                "words": {
                    "description": "What to look for.",
                    "type": "array",
                    "items": {"type": "string"}
                },
                "order": {"type": ["string", "null"], "enum": ["newest", "oldest", null]}
            },
            "required": ["words"]
        })
    );
}

/// Draws points.
#[tool(crate = "toolsmith_core")]
fn draw(
    #[schemars(range(min = 1, max = 9))] width: u32,
    #[serde(alias = "points")] dots: Vec<(f64, f64)>,
    labels: BTreeMap<String, Value>,
) -> usize {
    width as usize + dots.len() + labels.len()
}

#[test]
fn attributes_of_schemars_and_serde_reach_the_property() {
    let schema = schema(draw);
    assert_eq!(schema["properties"]["width"]["minimum"], json!(1));
    assert_eq!(schema["properties"]["width"]["maximum"], json!(9));
    assert_eq!(schema["properties"]["dots"]["items"]["maxItems"], json!(2));
    assert_eq!(schema["properties"]["labels"]["additionalProperties"], json!(true));
}

#[tokio::test]
async fn the_functions_behind_these_schemas_run() {
    use crate::workbench::run;

    assert_eq!(run(add, json!({"a": 2})).await.unwrap(), json!(3));
    let greeting = json!({"name": "Ada", "title": "Lady", "loud": true});
    assert_eq!(run(greet, greeting).await.unwrap(), json!("HELLO, LADY ADA"));
    let message = json!({"from": "me", "type": 3});
    assert_eq!(run(send, message).await.unwrap(), json!(["me", 3, "send"]));
    let query = json!({"words": ["a", "b"], "order": "oldest"});
    assert_eq!(run(search, query).await.unwrap(), json!("search: a+b (oldest)"));
    let drawing = json!({"width": 1, "points": [[0.0, 1.0]], "labels": {"x": null}});
    assert_eq!(run(draw, drawing).await.unwrap(), json!(3));
}
