//! A heavy dependency has one owner; everyone else goes through it.

use super::{finding::Finding, tree::Tree};

const RULE: &str = "owners";

/// The heavy dependencies, and the crates that may list them in any section.
const OWNERS: &[(&str, &[&str])] = &[
    ("async-nats", &["toolsmith-cluster"]),
    ("axum", &["toolsmith-gateway", "toolsmith-testing"]),
    ("bollard", &["toolsmith-connectors"]),
    ("cap-std", &["toolsmith-builtins"]),
    ("clap", &["toolsmith-cli"]),
    ("genai", &["toolsmith-agents"]),
    ("jsonschema", &["toolsmith-engine"]),
    ("notify", &["toolsmith-definitions"]),
    ("reqwest", &["toolsmith-net"]),
    ("rmcp", &["toolsmith-connectors", "toolsmith-gateway"]),
    ("rquickjs", &["toolsmith-connectors"]),
    ("sqlx", &["toolsmith-store"]),
];

/// Crates that may list anything, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "toolsmith-bench",
    "it measures our way beside the plain use of a dependency; never shipped",
)];

/// Checks what every crate lists of the heavy dependencies.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &tree.packages {
        if EXCEPTIONS.iter().any(|&(name, _)| name == package.name) {
            continue;
        }
        for dependency in &package.dependencies {
            let owners = OWNERS.iter().find(|&&(name, _)| name == dependency.name);
            let Some((heavy, owners)) = owners else { continue };
            if owners.contains(&package.name.as_str()) {
                continue;
            }
            let message = format!("`{heavy}` belongs to {}; go through it", owners.join(" and "));
            let (path, line) = (package.manifest.clone(), tree.line_of(package, dependency));
            findings.push(Finding { path, line, rule: RULE, message });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::Section;

    fn findings(user: &str, used: &str, section: Section) -> Vec<Finding> {
        check(&Tree::default().with_package(user, &[(used, section)]))
    }

    #[test]
    fn an_owner_may_list_what_it_owns() {
        assert_eq!(findings("toolsmith-store", "sqlx", Section::Normal), []);
        assert_eq!(findings("toolsmith-gateway", "rmcp", Section::Normal), []);
        assert_eq!(findings("toolsmith-bench", "jsonschema", Section::Normal), []);
        assert_eq!(findings("toolsmith-core", "serde", Section::Normal), []);
    }

    #[test]
    fn everyone_else_may_not_even_in_tests() {
        for (user, used, section) in [
            ("toolsmith-engine", "sqlx", Section::Normal),
            ("toolsmith-cli", "reqwest", Section::Build),
            ("toolsmith-core", "jsonschema", Section::Dev),
            ("xtask", "clap", Section::Normal),
        ] {
            assert_eq!(findings(user, used, section).len(), 1, "{user} → {used}");
        }
    }
}
