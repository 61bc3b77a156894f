//! REST tools against real servers in this process.

mod authorization;
mod entries;
mod failures;
mod requests;
#[path = "../../../../toolsmith-net/tests/it/server.rs"]
pub(crate) mod server;

use std::{path::Path, sync::Arc, time::Duration};

use tokio::time::Instant;
use toolsmith_core::{
    BoxFuture, Call, CallId, Caller, Context, Draft, Executor, Fields, Maker, Outcome, Parameter,
    ParameterType, Redactor, Timestamp, ToolContext, ToolError, ToolSpec, Value, Vault, Work,
};
use toolsmith_net::{Allow, Client, Settings};

use self::server::Server;
use super::RestMaker;

#[derive(Debug)]
struct Nobody;

impl Caller for Nobody {
    fn call(&self, _call: Call) -> BoxFuture<'_, Outcome> {
        Box::pin(std::future::pending())
    }
}

/// A tool, and what knows its secrets.
struct Bench {
    executor: Arc<dyn Executor>,
    redactor: Redactor,
}

/// Makes a tool with optional parameters of any type; the error is everything that is wrong.
fn make(entry: &Value, parameters: &[&str]) -> Result<Bench, Vec<String>> {
    make_with(entry, parameters, &[])
}

/// Makes a tool on a machine where some servers are open to addresses of an input.
fn make_with(entry: &Value, parameters: &[&str], open: &[&Server]) -> Result<Bench, Vec<String>> {
    let allow = Allow::parse(open.iter().map(|server| server.address.to_string())).unwrap();
    let client = Client::new(Settings { allow, ..Settings::default() }).unwrap();
    let list: Vec<Parameter> =
        parameters.iter().map(|name| Parameter::new(*name, ParameterType::Any)).collect();
    let spec = ToolSpec::new("tested").unwrap().with_parameters(&list);
    let redactor = Redactor::default();
    let values = [("TOKEN", "s3cret-token"), ("ID", "client-1"), ("SECRET", "client-s3cret")];
    let vault = Vault::with_values(values, redactor.clone());
    let draft = Draft { spec: &spec, folder: Path::new("/"), vault: &vault, confinement: None };
    let mut fields = Fields::of(entry, "/entry").unwrap();
    fields.any("type");
    let made = RestMaker::new(client).make(&draft, &mut fields);
    let faults = fields.finish();
    match made.map(|made| made.work) {
        Some(Work::Async(executor)) if faults.is_empty() => Ok(Bench { executor, redactor }),
        _ => Err(faults
            .into_iter()
            .map(|fault| format!("{}: {}", fault.pointer, fault.message))
            .collect()),
    }
}

impl Bench {
    async fn call(&self, input: Value) -> Result<Value, ToolError> {
        let call_id = CallId::from_parts(Timestamp::from_millis(0), 1);
        let deadline = Instant::now() + Duration::from_secs(10);
        let caller = Arc::new(Nobody);
        let cx = ToolContext::new(call_id, "tested".into(), Context::default(), deadline, caller);
        self.executor.execute(&cx, input).await
    }
}
