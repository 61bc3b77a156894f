//! Tools for a model: shown in its dialect, its reply read back, its calls run.

use toolsmith::{
    dialects::Dialect,
    models::{self, Order, Toolset},
    prelude::*,
};

/// Tells whether a room is free.
#[tool(read_only)]
async fn check_availability(
    /// The room.
    room: String,
    /// For how many nights.
    nights: u32,
) -> Value {
    json!({ "room": room, "available": nights < 7 })
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), ToolError> {
    let engine = Engine::builder().tool(check_availability).build()?;

    // A model without native tools reads this in its prompt, and writes XML.
    let prompt = models::functions_xml(&engine);
    assert!(prompt.starts_with("<functions>\n<function>{"));
    let reply = "I will look.\n<function_calls>\n<invoke name=\"check_availability\">\n\
                 <parameter name=\"room\">观星阁</parameter>\n\
                 <parameter name=\"nights\">2</parameter>\n</invoke>\n</function_calls>";
    let event = models::parse_and_execute(&engine, reply).await;
    assert_eq!(event["data"]["results"][0]["result"]["available"], true);

    // Any other dialect: definitions for the request, a reply with two calls, results to send back.
    let tools = Toolset::of(&engine, Dialect::Hermes);
    let reply = r#"<tool_call>
{"name": "check_availability", "arguments": {"room": "A", "nights": 9}}
</tool_call>
<tool_call>
{"name": "check_availability", "arguments": {"room": "B"}}
</tool_call>"#;
    let answer = tools.answer(reply, Order::Parallel).await;
    let succeeded: Vec<bool> = answer.results.iter().map(|result| result.result.is_ok()).collect();
    assert_eq!(succeeded, [true, false]);
    assert!(answer.render().contains("nights"), "the model is told which parameter is missing");
    Ok(())
}
