//! Our MCP client as the official conformance suite starts it: `conformance_client URL`.
//!
//! It lists what the server of the scenario offers, and asks for all of it: every tool is called, every
//! resource read and every prompt made. What the suite wants to be called comes in a variable.

use std::{collections::BTreeMap, env, process::ExitCode, sync::Arc};

use toolsmith_children::Children;
use toolsmith_connectors::mcp::{Address, Link, Prefix, ServerSettings, Servers, Surroundings};
use toolsmith_core::{
    Answer, Asker, BoxFuture, Call, Library, Map, Question, Reader, Redactor, Rights, Template,
    Value, Vault, json,
};
use toolsmith_engine::Engine;
use toolsmith_net::Client;

/// Agrees to everything, and leaves every field empty.
#[derive(Debug)]
struct Agreeable;

impl Asker for Agreeable {
    fn ask(&self, _question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(async { Answer::Accept(json!({})) })
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let Some(url) = env::args().next_back() else { return ExitCode::from(2) };
    let Some((servers, engine)) = join(&url) else { return ExitCode::from(2) };
    let library = servers.library();
    servers.attach(&engine, Arc::new(|_| false));
    let failed = servers.load().await;
    for (tool, input) in calls(&engine) {
        let call = Call::new(tool, input).with_asker(Arc::new(Agreeable));
        let outcome = engine.call(call).await;
        eprintln!("{}", serde_json::to_string(&outcome).unwrap_or_default());
    }
    read(&*library).await;
    servers.close().await;
    for (server, error) in &failed {
        eprintln!("{server}: {error}");
    }
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Joins the server of the scenario, under the names of its own tools.
fn join(url: &str) -> Option<(Servers, Engine)> {
    let link = Link::Http(Address::new(Template::literal(url)));
    let settings = ServerSettings { prefix: Prefix::None, ..ServerSettings::new("suite", link) };
    let net = Client::new(toolsmith_net::Settings::default()).ok()?;
    let vault = Vault::with_values([("NOTHING", "nothing")], Redactor::default());
    let surroundings = Surroundings::new(Children::new(), &BTreeMap::new(), net, vault);
    let engine = Engine::builder().build().ok()?;
    Some((Servers::new(surroundings, vec![settings]), engine))
}

/// Returns the calls that the suite wants, or else one of each tool.
fn calls(engine: &Engine) -> Vec<(String, Value)> {
    let variables: BTreeMap<String, String> = env::vars().collect();
    let context = variables.get("MCP_CONFORMANCE_CONTEXT");
    let context: Value =
        context.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    if let Some(wanted) = context.get("toolCalls").and_then(Value::as_array) {
        let name = |call: &Value| call["name"].as_str().unwrap_or_default().to_owned();
        return wanted.iter().map(|call| (name(call), call["arguments"].clone())).collect();
    }
    let all = engine.registry().find(&toolsmith_engine::registry::Filter::default());
    let one = |entry: &Arc<toolsmith_engine::registry::Entry>| {
        let spec = &entry.spec;
        (spec.name.as_str().to_owned(), input(engine, &spec.input_schema.to_value()))
    };
    all.iter().map(one).collect()
}

/// Makes an input with what a schema requires.
fn input(engine: &Engine, schema: &Value) -> Value {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let names = required.iter().filter_map(Value::as_str);
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(7),
        Some("boolean") => json!(true),
        // One scenario wants to see the schema of another tool as we know it.
        Some("object") => engine
            .registry()
            .get("json_schema_2020_12_tool")
            .map_or(json!({}), |entry| entry.spec.input_schema.to_value()),
        Some("array") => json!([]),
        _ => json!("a text"),
    };
    names.map(|name| (name.to_owned(), value(name))).collect::<Map<_, _>>().into()
}

/// Reads every resource and makes every prompt.
async fn read(library: &dyn Library) {
    let rights = Rights::default();
    let reader = || Reader { rights: Rights::default(), asker: Some(Arc::new(Agreeable)) };
    for resource in library.resources(&rights).await {
        let uri = resource["uri"].as_str().unwrap_or_default();
        eprintln!("{uri}: {:?}", library.read(uri, reader()).await);
    }
    for prompt in library.prompts(&rights).await {
        let name = prompt["name"].as_str().unwrap_or_default();
        eprintln!("{name}: {:?}", library.prompt(name, Map::new(), reader()).await);
    }
}
