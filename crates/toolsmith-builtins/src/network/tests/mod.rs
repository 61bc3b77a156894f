//! The network tools against real servers in this process.

mod fetching;
mod requests;
mod searching;
#[path = "../../../../toolsmith-net/tests/it/server.rs"]
#[expect(dead_code, reason = "shared with the tests of the client, which use all of it")]
mod server;

use std::sync::Arc;

use tokio::time::{Duration, Instant};
use toolsmith_core::{
    BoxFuture, Call, CallId, Caller, Context, Outcome, Redactor, Template, Timestamp, ToolContext,
    ToolError, Value, Vault, Work,
};
use toolsmith_net::{Allow, Client, Settings};

use self::server::Server;
use super::{Network, Search, search::SearchEngine, tools};

#[derive(Debug)]
struct Nobody;

impl Caller for Nobody {
    fn call(&self, _call: Call) -> BoxFuture<'_, Outcome> {
        Box::pin(std::future::pending())
    }
}

/// Makes the tools of a machine on which these servers may be reached.
fn network(open: &[&Server]) -> Network {
    let allow = Allow::parse(open.iter().map(|server| server.address.to_string())).unwrap();
    Network::new(Client::new(Settings { allow, ..Settings::default() }).unwrap())
}

/// Makes the tools of a machine that searches with an engine at a server.
fn searching(engine: SearchEngine, server: &Server) -> Network {
    let template = |text: &str| Some(Template::parse(text).unwrap());
    let mut network = network(&[]);
    let values = [("SEARCH_KEY", "key-12345678"), ("CX", "engine-1")];
    network.vault = Vault::with_values(values, Redactor::default());
    network.search = Some(Search {
        engine,
        api_key: template("${SEARCH_KEY}"),
        engine_id: template("${CX}"),
        base_url: template(&server.url("")),
    });
    network
}

async fn call(network: &Network, name: &str, input: Value) -> Result<Value, ToolError> {
    let tools = tools(network).unwrap();
    let tool = tools.into_iter().find(|tool| tool.spec.name.as_str() == name).unwrap();
    let call_id = CallId::from_parts(Timestamp::from_millis(0), 0);
    let name = tool.spec.name.text().clone();
    let deadline = Instant::now() + Duration::from_secs(10);
    let cx = ToolContext::new(call_id, name, Context::default(), deadline, Arc::new(Nobody));
    let Work::Async(executor) = &tool.work else { panic!("it runs on the caller's task") };
    executor.execute(&cx, input).await
}

#[test]
fn every_tool_is_described_for_models() {
    for tool in tools(&network_without_servers()).unwrap() {
        let (spec, name) = (&tool.spec, &tool.spec.name);
        assert!(spec.title.is_some() && spec.description.len() > 20, "{name}");
        assert!(!spec.examples.is_empty() && spec.output_schema.is_some(), "{name}");
        assert_eq!(spec.category.as_str(), "network", "{name}");
        assert!(spec.annotations.open_world, "{name}");
        let schema = spec.input_schema.to_value();
        for (parameter, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{parameter}");
        }
    }
}

fn network_without_servers() -> Network {
    network(&[])
}
