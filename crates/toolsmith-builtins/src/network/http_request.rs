//! `http_request`: any request, with every choice.

use std::time::Duration;

use toolsmith_core::{
    Annotations, ErrorKind, Parameter, ParameterType, Tool, ToolError, ToolSpec, Value, json,
};
use toolsmith_net::Client;

use super::{
    exchange::{self, Ask},
    http_get::{headers, url},
    http_post::body,
};
use crate::{about::about, input};

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// How long a request may take when the input does not say, in seconds: as all network tools.
const USUAL: f64 = 60.0;

/// The longest time that can be asked for, in seconds.
const LONGEST: u32 = 300;

/// Builds the tool.
pub(super) fn tool(client: &Client) -> Result<Tool, ToolError> {
    let client = client.clone();
    Ok(Tool::function(spec()?, move |_cx, input| {
        let client = client.clone();
        async move { run(&client, input::read(input)?).await }
    }))
}

async fn run(client: &Client, ask: Ask) -> Result<Value, ToolError> {
    let seconds = ask.timeout.unwrap_or(USUAL).clamp(1.0, LONGEST.into());
    let request = exchange::run(client, ask);
    let in_time = tokio::time::timeout(Duration::from_secs_f64(seconds), request).await;
    in_time.unwrap_or_else(|_| {
        Err(ToolError::new(
            ErrorKind::Timeout,
            format!("There was no complete answer within {seconds} seconds. Allow more `timeout`."),
        ))
    })
}

fn spec() -> Result<ToolSpec, ToolError> {
    let method = Parameter::string("method")
        .with_description("The method; GET unless given.")
        .with_rule("enum", METHODS.to_vec())
        .with_default("GET");
    let query = Parameter::new("query", ParameterType::Object)
        .with_description("Parameters for the address, by name; a list repeats its name.");
    let timeout = Parameter::number("timeout")
        .with_description("How long to wait for the whole answer, in seconds; 60 unless given.")
        .with_rule("min", 1)
        .with_rule("max", LONGEST);
    let spec = ToolSpec::new("http_request")?
        .with_description(
            "Sends an HTTP request of any method to a public address and returns status, headers \
             and body as they are. Private and local addresses are refused.",
        )
        .with_category("network")
        .with_parameters(&[method, url(), query, body(), headers(), timeout])
        .with_output_schema(&exchange::output_schema())
        .with_annotations(Annotations {
            destructive: true,
            open_world: true,
            ..Annotations::default()
        });
    let example = json!({
        "input": {
            "method": "PUT",
            "url": "https://api.example.com/items/7",
            "query": { "notify": true },
            "body": { "name": "lamp" }
        },
        "output": {
            "status": 200,
            "headers": { "content-type": "application/json" },
            "body": { "id": 7, "name": "lamp" }
        }
    });
    let spec = about(spec, "HTTP request", &["http", "api", "rest", "request"], &[example]);
    // The input may ask for more than the usual time of a network tool; it has its own limit.
    Ok(spec.with(|spec| spec.timeout = Some(Duration::from_secs(u64::from(LONGEST) + 5))))
}
