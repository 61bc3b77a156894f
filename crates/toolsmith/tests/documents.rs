//! The definitions in the documents load as they are written.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, path::Path, sync::Arc};

use toolsmith::{
    Overlay, Redactor, Vault, builtins,
    children::Children,
    connectors::{
        command::CommandMaker,
        container::ContainerMaker,
        javascript::JavascriptMaker,
        life::Services,
        mcp::{Servers, Surroundings},
        process::ProcessMaker,
        python::PythonMaker,
        remote::RemoteMaker,
        rest::RestMaker,
        sources::SourcesMaker,
    },
    definitions::{Definitions, Makers},
    net::{Client, Settings},
};

const GUIDE: &str = include_str!("../../../docs/guides/define-tools.md");
const SERVICES: &str = include_str!("../../../docs/guides/services.md");
const README: &str = include_str!("../../../README.md");
const README_IN_CHINESE: &str = include_str!("../../../README.zh-CN.md");

fn definitions() -> Definitions {
    let client = Client::new(Settings::default()).unwrap();
    let command = CommandMaker::new(Children::new(), &BTreeMap::new(), Overlay::default());
    let network = builtins::network::Network::new(client.clone());
    let settings = builtins::Settings { network: Some(network), ..builtins::Settings::new("/srv") };
    let vault = Vault::with_values::<String, String>([], Redactor::default());
    let surroundings =
        Surroundings::new(Children::new(), &BTreeMap::new(), client.clone(), vault.clone());
    let services = Services::new(Children::new(), BTreeMap::new(), client.clone());
    let process = ProcessMaker::new(services.clone());
    let python = PythonMaker::new(services.clone());
    let container = ContainerMaker::new(services, "");
    let remote = RemoteMaker::new(client.clone());
    let sources =
        SourcesMaker::new(process.clone(), python.clone(), container.clone(), remote.clone());
    let makers = Makers::new()
        .with(Arc::new(RestMaker::new(client)))
        .with(Arc::new(process))
        .with(Arc::new(python))
        .with(Arc::new(container))
        .with(Arc::new(remote))
        .with(Arc::new(sources))
        .with(Arc::new(command))
        .with(Arc::new(Servers::new(surroundings, Vec::new()).maker()))
        .with(Arc::new(JavascriptMaker))
        .with_handlers(builtins::all_with(&settings).unwrap());
    Definitions::open(Vec::new(), makers, vault)
}

/// Returns the blocks of a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("```{language}\n");
    page.split(&start).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

fn check(page: &str, text: &str) {
    // A list is a file of groups, everything else a file of tools.
    let name = if text.starts_with("- ") { "groups.yaml" } else { "tool.yaml" };
    let loaded = definitions().check(Path::new(name), text);
    assert!(loaded.problems.is_empty(), "{page}: {:?}\n{text}", loaded.problems);
    assert!(!loaded.tools.is_empty() || !loaded.groups.is_empty(), "{page}:\n{text}");
}

#[test]
fn definitions_in_the_documents_load() {
    for (page, text) in
        [("the guide", GUIDE), ("README", README), ("README.zh-CN", README_IN_CHINESE)]
    {
        let found = blocks(text, "yaml");
        assert!(!found.is_empty(), "{page} shows no definition");
        // What belongs into the configuration says so, and is tested with it.
        for block in found.iter().filter(|block| !block.starts_with("# toolsmith.yaml")) {
            check(page, block);
        }
    }
}

#[test]
fn entries_in_the_guide_of_services_load() {
    let found = blocks(SERVICES, "yaml");
    assert!(found.len() >= 5);
    for block in found {
        check("the guide of services", &format!("name: shown\n{block}"));
    }
}
