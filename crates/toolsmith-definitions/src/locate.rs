//! From the pointer of a fault to the line and the key that people see.

use std::path::Path;

use toolsmith_core::{Fault, Spot};

use crate::{
    problem::Problem,
    yaml::{Content, Node},
};

/// Finds the line, the column and the dotted key of a fault.
pub(crate) fn problem(file: &Path, document: &Node, fault: &Fault) -> Problem {
    let Found { line, column, key } = find(document, fault);
    Problem { file: file.to_owned(), line, column, key, message: fault.message.clone() }
}

/// Returns where the value of a pointer begins, or what is nearest when it is not there.
pub(crate) fn place_at(document: &Node, pointer: &str) -> (usize, usize) {
    let fault = Fault { pointer: pointer.to_owned(), spot: Spot::Value, message: String::new() };
    let found = find(document, &fault);
    (found.line, found.column)
}

struct Found {
    line: usize,
    column: usize,
    key: String,
}

/// Walks as far as the pointer leads; what is missing is told at the place where it would stand.
fn find(document: &Node, fault: &Fault) -> Found {
    let mut node = document;
    let (mut line, mut column) = (node.line, node.column);
    let mut keys = vec![String::new()];
    let mut last = String::new();
    for segment in fault.pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let before = keys.last().cloned().unwrap_or_default();
        match &node.value {
            Content::Map(entries) => {
                let Some(entry) = entries.iter().find(|entry| entry.key == segment) else { break };
                (line, column) = match fault.spot {
                    Spot::Key => (entry.line, entry.column),
                    Spot::Value => (entry.value.line, entry.value.column),
                };
                let dot = if before.is_empty() { "" } else { "." };
                keys.push(format!("{before}{dot}{segment}"));
                node = &entry.value;
            }
            Content::List(items) => {
                let Some(item) = segment.parse().ok().and_then(|at: usize| items.get(at)) else {
                    break;
                };
                (line, column) = (item.line, item.column);
                keys.push(format!("{before}[{segment}]"));
                node = item;
            }
            _ => break,
        }
        last = segment;
    }
    // A message that names the key itself needs only the way to the object around it.
    if fault.spot == Spot::Key && keys.len() > 1 && fault.message.contains(&format!("`{last}`")) {
        keys.pop();
    }
    Found { line, column, key: keys.pop().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    fn shown(pointer: &str, spot: Spot, message: &str) -> String {
        let text = "name: x\nparameters:\n  - name: a\n    validation: {patern: b}\nentry:\n  \"a/b\": 1\n";
        let document = yaml::parse(text).unwrap().remove(0);
        let fault = Fault { pointer: pointer.to_owned(), spot, message: message.to_owned() };
        problem(Path::new("f"), &document, &fault).to_string()
    }

    #[test]
    fn faults_are_found_by_key_and_by_value() {
        assert_eq!(shown("/entry/a~1b", Spot::Key, "odd"), "f:6:3: entry.a/b: odd");
        assert_eq!(shown("/entry/a~1b", Spot::Value, "odd"), "f:6:10: entry.a/b: odd");
        assert_eq!(
            shown("/parameters/0/validation/patern", Spot::Key, "unknown key `patern`"),
            "f:4:18: parameters[0].validation: unknown key `patern`"
        );
    }

    #[test]
    fn what_is_not_there_is_told_as_near_as_possible() {
        assert_eq!(shown("", Spot::Key, "`x` is missing"), "f:1:1: `x` is missing");
        assert_eq!(shown("/entry/url", Spot::Value, "odd"), "f:6:3: entry: odd");
        assert_eq!(shown("/parameters/7/name", Spot::Value, "odd"), "f:3:3: parameters: odd");
    }
}
