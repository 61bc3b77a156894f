//! The official conformance suite, run against our client.

use std::{env, process::Output};

use toolsmith_testing::{
    conformance::{suite, verdicts},
    skip,
};

use crate::suite_client::ALONE;

/// The scenarios of a requirement set that need no authorization.
///
/// Those of authorization (`auth/…`) want a person at a browser, or to be told who the person is;
/// the tests of `logins` are about that.
const SCENARIOS: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"],
    ),
    (
        "2026-07-28",
        &[
            "tools_call",
            "request-metadata",
            "sep-2322-client-request-state",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
            "json-schema-2020-12-preservation",
        ],
    ),
];

/// Where scenarios of authorization are.
const LEFT_OUT: &str = "auth/";

/// Runs the suite; nothing when it is not installed.
fn run(arguments: &[&str]) -> Option<Output> {
    let Some(mut suite) = suite() else {
        skip("the MCP conformance suite is not installed; ./test installs it");
        return None;
    };
    Some(suite.args(arguments).output().unwrap())
}

fn passes((revision, scenarios): (&str, &[&str])) {
    let (program, results) = (env::current_exe().unwrap(), tempfile::tempdir().unwrap());
    let client = format!("{} {ALONE}", program.display());
    for scenario in scenarios {
        let folder = results.path().join(scenario);
        let into = folder.to_str().unwrap();
        let which = ["--scenario", scenario, "--spec-version", revision];
        let how = ["client", "--command", &client, "-o", into];
        let Some(output) = run(&[&how[..], &which].concat()) else { return };
        let verdicts = verdicts(&folder);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(verdicts.len() == 1 && verdicts[0].is_good(), "{scenario}: {verdicts:#?}\n{said}");
    }
}

#[test]
fn our_client_speaks_the_revision_of_november_2025() {
    passes(SCENARIOS[0]);
}

#[test]
fn our_client_speaks_the_revision_of_july_2026() {
    passes(SCENARIOS[1]);
}

#[test]
fn no_scenario_without_authorization_is_left_out() {
    for (revision, scenarios) in SCENARIOS {
        let Some(output) = run(&["list", "--requirements", revision]) else { return };
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, clients) = text.split_once("Client scenarios").unwrap();
        let (required, _) = clients.split_once("Run and reported").unwrap();
        let required: Vec<&str> =
            required.lines().filter_map(|line| line.trim().strip_prefix("- ")).collect();
        assert!(required.len() > 10, "{text}");
        let is_known = |name: &&&str| !name.starts_with(LEFT_OUT) && !scenarios.contains(name);
        let unknown: Vec<_> = required.iter().filter(is_known).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
