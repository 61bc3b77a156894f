//! Our MCP client as the official conformance suite starts it.
//!
//! The suite starts a program with the address of a server; here it is the program of these tests
//! itself, which then runs this one alone. It lists what the server of the scenario offers, and asks for all of it: every tool is called, every
//! resource read and every prompt made. What the suite wants to be called comes in a variable.

use std::{collections::BTreeMap, env, sync::Arc};

use toolsmith_children::Children;
use toolsmith_connectors::mcp::{Address, Link, Prefix, ServerSettings, Servers, Surroundings};
use toolsmith_core::{
    Answer, Asker, BoxFuture, Call, Library, Map, Question, Reader, Redactor, Rights, Template,
    Value, Vault, json,
};
use toolsmith_engine::{
    Engine,
    registry::{Entry, Filter},
};
use toolsmith_net::Client;

/// Agrees to everything, and leaves every field empty.
#[derive(Debug)]
struct Agreeable;

impl Asker for Agreeable {
    fn ask(&self, _question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(async { Answer::Accept(json!({})) })
    }
}

/// What the program of these tests is told to run this alone; the address follows.
pub(crate) const ALONE: &str = "suite_client::asks_for_everything_when_the_suite_starts_it --exact";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asks_for_everything_when_the_suite_starts_it() {
    let address = env::args().next_back().filter(|last| last.starts_with("http://"));
    let Some(address) = address else { return };
    let (servers, engine) = join(&address);
    let library = servers.library();
    servers.attach(&engine, Arc::new(|_| false));
    let failed = servers.load().await;
    for (tool, input) in calls(&engine) {
        engine.call(Call::new(tool, input).with_asker(Arc::new(Agreeable))).await;
    }
    read(&*library).await;
    servers.close().await;
    assert!(failed.is_empty(), "{failed:?}");
}

/// Joins the server of the scenario, under the names of its own tools.
fn join(url: &str) -> (Servers, Engine) {
    let link = Link::Http(Address::new(Template::literal(url)));
    let settings = ServerSettings { prefix: Prefix::None, ..ServerSettings::new("suite", link) };
    let net = Client::new(toolsmith_net::Settings::default()).unwrap();
    let vault = Vault::with_values([("NOTHING", "nothing")], Redactor::default());
    let surroundings = Surroundings::new(Children::new(), &BTreeMap::new(), net, vault);
    (Servers::new(surroundings, vec![settings]), Engine::builder().build().unwrap())
}

/// Returns the calls that the suite wants, or else one of each tool.
fn calls(engine: &Engine) -> Vec<(String, Value)> {
    let variables: BTreeMap<String, String> = env::vars().collect();
    let context = variables.get("MCP_CONFORMANCE_CONTEXT");
    let context: Value =
        context.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    if let Some(wanted) = context.get("toolCalls").and_then(Value::as_array) {
        let name = |call: &Value| call["name"].as_str().unwrap_or_default().to_owned();
        // A value that is null was not given: the schemas of the suite take no null.
        let given = |call: &Value| {
            let arguments = call["arguments"].as_object().cloned().unwrap_or_default();
            Value::Object(arguments.into_iter().filter(|(_, value)| !value.is_null()).collect())
        };
        return wanted.iter().map(|call| (name(call), given(call))).collect();
    }
    let all = engine.registry().find(&Filter::default());
    let one = |entry: &Arc<Entry>| {
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
        library.read(resource["uri"].as_str().unwrap(), reader()).await.unwrap().unwrap();
    }
    for prompt in library.prompts(&rights).await {
        let name = prompt["name"].as_str().unwrap();
        library.prompt(name, Map::new(), reader()).await.unwrap().unwrap();
    }
}
