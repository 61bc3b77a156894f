//! The generated reference is the one in the documents.

use std::{fs, path::Path};

/// Set this variable to write the reference anew.
const WRITE: &str = "TOOLSMITH_WRITE_REFERENCE";

#[test]
fn the_configuration_reference_is_that_of_the_code() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/configuration.md");
    let expected = toolsmith_cli::config::reference();
    if std::env::var_os(WRITE).is_some() {
        fs::create_dir_all(page.parent().unwrap()).unwrap();
        fs::write(&page, &expected).unwrap();
    }
    let written = fs::read_to_string(&page).unwrap_or_default();
    assert!(written == expected, "run the tests once with {WRITE}=1 and commit what changed");
}
