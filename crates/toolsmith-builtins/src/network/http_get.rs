//! `http_get`: asks for what is at an address.

use toolsmith_core::{Annotations, Parameter, ParameterType, Tool, ToolError, ToolSpec, json};
use toolsmith_net::Client;

use super::exchange::{self, Ask};
use crate::{about::about, input};

/// Builds the tool.
pub(super) fn tool(client: &Client) -> Result<Tool, ToolError> {
    let client = client.clone();
    Ok(Tool::function(spec()?, move |_cx, input| {
        let client = client.clone();
        async move {
            let ask: Ask = input::read(input)?;
            exchange::run(&client, Ask { url: ask.url, headers: ask.headers, ..Ask::default() })
                .await
        }
    }))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let spec = ToolSpec::new("http_get")?
        .with_description(
            "Sends a GET request to a public address and returns status, headers and body as they \
             are. Use it for APIs; use web_fetch to read a page. Private and local addresses are \
             refused.",
        )
        .with_category("network")
        .with_parameters(&[url(), headers()])
        .with_output_schema(&exchange::output_schema())
        .with_annotations(Annotations {
            read_only: true,
            idempotent: true,
            open_world: true,
            ..Annotations::default()
        });
    let example = json!({
        "input": { "url": "https://api.example.com/status" },
        "output": {
            "status": 200,
            "headers": { "content-type": "application/json" },
            "body": { "ok": true }
        }
    });
    Ok(about(spec, "HTTP GET", &["http", "api", "request", "download"], &[example]))
}

/// The parameter that says where.
pub(super) fn url() -> Parameter {
    Parameter::string("url")
        .required()
        .with_description("The whole address, such as `https://api.example.com/v1/items`.")
        .with_rule("min_length", 1)
}

/// The parameter for headers.
pub(super) fn headers() -> Parameter {
    Parameter::new("headers", ParameterType::Object)
        .with_description("Headers to send, by name, such as `{\"Accept\": \"application/json\"}`.")
}
