//! `http_post`: sends something to an address.

use toolsmith_core::{Annotations, Parameter, ParameterType, Tool, ToolError, ToolSpec, json};
use toolsmith_net::Client;

use super::{
    exchange::{self, Ask},
    http_get::{headers, url},
};
use crate::{about::about, input};

/// Builds the tool.
pub(super) fn tool(client: &Client) -> Result<Tool, ToolError> {
    let client = client.clone();
    Ok(Tool::function(spec()?, move |_cx, input| {
        let client = client.clone();
        async move {
            let ask: Ask = input::read(input)?;
            exchange::run(&client, Ask { method: Some("POST".to_owned()), ..ask }).await
        }
    }))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let spec = ToolSpec::new("http_post")?
        .with_description(
            "Sends a POST request to a public address and returns status, headers and body as they \
             are. A JSON body is sent as application/json. Private and local addresses are refused.",
        )
        .with_category("network")
        .with_parameters(&[url(), body(), headers()])
        .with_output_schema(&exchange::output_schema())
        .with_annotations(Annotations { open_world: true, ..Annotations::default() });
    let example = json!({
        "input": { "url": "https://api.example.com/items", "body": { "name": "lamp" } },
        "output": {
            "status": 201,
            "headers": { "content-type": "application/json" },
            "body": { "id": 7 }
        }
    });
    Ok(about(spec, "HTTP POST", &["http", "api", "request", "send"], &[example]))
}

/// The parameter for a body.
pub(super) fn body() -> Parameter {
    Parameter::new("body", ParameterType::Any)
        .with_description("What to send: text as it is, or any JSON value.")
}
