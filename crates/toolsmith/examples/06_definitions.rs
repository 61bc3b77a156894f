//! Tools defined in files: loaded, found, and kept when their file is broken for a while.

use std::{collections::BTreeMap, fs, sync::Arc};

use toolsmith::{
    EventKind, Overlay, Redactor, Vault,
    children::Children,
    connectors::{command::CommandMaker, javascript::JavascriptMaker, rest::RestMaker},
    definitions::{Definitions, Makers},
    net::{Client, Settings},
    prelude::*,
    registry::Filter,
};

const TOTAL: &str = "
name: total
description: Adds up the prices of a shopping list.
parameters:
  - {name: prices, type: array, required: true, validation: {items: number}}
entry:
  type: javascript
  code: |
    function main(input) {
      return input.prices.reduce((sum, price) => sum + price, 0);
    }
";

/// Says what runs each type of entry, and whose code `type: builtin` may take over.
fn makers(builtins: &[Tool]) -> anyhow::Result<Makers> {
    // Commands see these variables and what conversations set, nothing of the process.
    let environment = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
    let command = CommandMaker::new(Children::new(), &environment, Overlay::default());
    Ok(Makers::new()
        .with(Arc::new(RestMaker::new(Client::new(Settings::default())?)))
        .with(Arc::new(command))
        .with(Arc::new(JavascriptMaker))
        .with_handlers(builtins.iter().cloned()))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("total.yaml");
    fs::write(&file, TOTAL)?;

    // What `${VAR}` stands for in the files; the redactor takes it out of every output.
    let redactor = Redactor::default();
    let vault = Vault::with_values([("API_KEY", "sk-12345678")], redactor.clone());
    let builtins = toolsmith::builtins::all()?;
    let definitions = Definitions::open(vec![folder.path().to_owned()], makers(&builtins)?, vault);
    let engine = Engine::builder().tools(builtins).with_redactor(redactor).build()?;
    assert!(definitions.attach(&engine).problems.is_empty());

    let call = || Call::new("total", json!({ "prices": [2.5, 1] }));
    assert_eq!(engine.call(call()).await.output(), &json!(3.5));
    let found = engine.registry().search("sum of my shopping", &Filter::default(), 1);
    assert_eq!(found[0].tool.spec.name.as_str(), "total");

    // A broken file is told of, and the tool stays as it was. `Watcher` reloads by itself.
    let mut events = engine.subscribe();
    fs::write(&file, TOTAL.replace("parameters", "paramters"))?;
    let problem = definitions.reload().problems[0].to_string();
    assert!(problem.ends_with("unknown key `paramters`. Did you mean `parameters`?"), "{problem}");
    assert_eq!(engine.call(call()).await.output(), &json!(3.5));
    while let Some(toolsmith::Heard::Event(event)) = events.next().await {
        if event.kind == EventKind::LoadError {
            break;
        }
    }
    Ok(())
}
