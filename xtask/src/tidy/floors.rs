//! Crates use lower floors only, never a neighbour, never up.

use super::{
    finding::Finding,
    tree::{Dependency, Package, Section, Tree},
};

const RULE: &str = "floors";

/// The floor of every crate; a new crate is given its floor here.
const FLOORS: &[(&str, u8)] = &[
    ("toolsmith-core", 0),
    ("toolsmith-macros", 0),
    ("toolsmith-testing", 0),
    ("toolsmith-engine", 1),
    ("toolsmith-store", 1),
    ("toolsmith-dialects", 1),
    ("toolsmith-net", 1),
    ("toolsmith-children", 1),
    ("toolsmith-definitions", 2),
    ("toolsmith-connectors", 2),
    ("toolsmith-builtins", 2),
    ("toolsmith-flows", 2),
    ("toolsmith", 3),
    ("toolsmith-gateway", 3),
    ("toolsmith-agents", 3),
    ("toolsmith-cluster", 3),
    ("toolsmith-cli", TOP),
    ("toolsmith-bench", TOP),
    ("xtask", TOP),
];

/// The floor of programs: nothing may depend on them, tests neither.
const TOP: u8 = 4;

/// The crate that only tests may use.
const TESTING: &str = "toolsmith-testing";

/// Pairs that may break the rule, each with its reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (TESTING, "toolsmith-core", "the fakes implement the traits of core, and nothing ships them"),
    ("toolsmith-bench", TESTING, "it measures with a sink that only counts, and is not shipped"),
];

/// Checks what every crate lists of our own crates.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &tree.packages {
        if floor(&package.name).is_none() {
            let message = format!("`{}` has no floor; give it one in this rule", package.name);
            findings.push(Finding { path: package.manifest.clone(), line: 1, rule: RULE, message });
        }
        for dependency in &package.dependencies {
            if let Some(message) = problem(package, dependency) {
                let (path, line) = (package.manifest.clone(), tree.line_of(package, dependency));
                findings.push(Finding { path, line, rule: RULE, message });
            }
        }
    }
    findings
}

fn problem(package: &Package, dependency: &Dependency) -> Option<String> {
    let (user, used) = (package.name.as_str(), dependency.name.as_str());
    let (from, to) = (floor(user)?, floor(used)?);
    if to == TOP {
        return Some(format!("`{used}` is a program; nothing may depend on it"));
    }
    if dependency.section == Section::Dev {
        return None;
    }
    if EXCEPTIONS.iter().any(|&(one, other, _)| one == user && other == used) {
        return None;
    }
    if used == TESTING {
        return Some(format!("`{TESTING}` may be listed under [dev-dependencies] only"));
    }
    if to < from {
        return None;
    }
    Some(format!("`{user}` (floor {from}) may not use `{used}` (floor {to}): lower floors only"))
}

fn floor(name: &str) -> Option<u8> {
    FLOORS.iter().find(|&&(known, _)| known == name).map(|&(_, floor)| floor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(user: &str, used: &str, section: Section) -> Vec<Finding> {
        check(&Tree::default().with_package(user, &[(used, section)]))
    }

    #[test]
    fn lower_floors_may_be_used() {
        for (user, used) in [
            ("toolsmith-cli", "toolsmith-gateway"),
            ("toolsmith-builtins", "toolsmith-macros"),
            ("toolsmith-engine", "toolsmith-core"),
            ("toolsmith-testing", "toolsmith-core"),
            ("toolsmith-engine", "serde"),
        ] {
            assert_eq!(findings(user, used, Section::Normal), [], "{user} → {used}");
        }
    }

    #[test]
    fn neighbours_and_higher_floors_may_not() {
        for (user, used, section) in [
            ("toolsmith-engine", "toolsmith-store", Section::Normal),
            ("toolsmith-core", "toolsmith-macros", Section::Normal),
            ("toolsmith-engine", "toolsmith-builtins", Section::Build),
            ("toolsmith-gateway", "toolsmith-testing", Section::Normal),
        ] {
            assert_eq!(findings(user, used, section).len(), 1, "{user} → {used}");
        }
        let finding = &findings("toolsmith-engine", "toolsmith-store", Section::Normal)[0];
        assert_eq!(
            (finding.path.as_str(), finding.line),
            ("crates/toolsmith-engine/Cargo.toml", 8)
        );
    }

    #[test]
    fn tests_may_look_anywhere_but_at_the_programs() {
        assert_eq!(findings("toolsmith-core", "toolsmith-engine", Section::Dev), []);
        assert_eq!(findings("toolsmith-core", "toolsmith-testing", Section::Dev), []);
        assert_eq!(findings("toolsmith-core", "toolsmith-cli", Section::Dev).len(), 1);
    }

    #[test]
    fn an_unknown_crate_is_asked_for_its_floor() {
        let findings = check(&Tree::default().with_package("toolsmith-attic", &[]));
        assert!(findings[0].message.contains("no floor"), "{findings:?}");
    }
}
