//! The generated references are those in the documents.

use std::{fs, path::Path};

use toolsmith_builtins::{Settings, network::Network};
use toolsmith_net::Client;

/// Set this variable to write the references anew.
const WRITE: &str = "TOOLSMITH_WRITE_REFERENCE";

#[test]
fn the_configuration_reference_is_that_of_the_code() {
    compare("configuration.md", &toolsmith_cli::config::reference());
}

#[test]
fn the_reference_of_built_in_tools_is_that_of_the_code() {
    let client = Client::new(toolsmith_net::Settings::default()).unwrap();
    let settings = Settings { network: Some(Network::new(client)), ..Settings::new("/srv") };
    let tools = toolsmith_builtins::all_with(&settings).unwrap();
    compare("builtins.md", &toolsmith_builtins::reference(&tools));
}

fn compare(name: &str, expected: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let page = folder.join(name);
    if std::env::var_os(WRITE).is_some() {
        fs::create_dir_all(folder).unwrap();
        fs::write(&page, expected).unwrap();
    }
    let written = fs::read_to_string(&page).unwrap_or_default();
    assert!(written == expected, "run the tests once with {WRITE}=1 and commit what changed");
}
