//! Words and numbers that are written as `${VAR}` or `${VAR:default}`.

use super::{Fault, Kind};
use crate::config::{
    Environment, Template,
    yaml::{self, Content, Node},
};

/// Reads a word or a number, after its variables are filled in.
///
/// What a variable holds may be a secret in the wrong place, so a complaint does not repeat it.
pub(super) fn read<K: Kind, T>(
    kind: &K,
    node: &Node,
    environment: &Environment,
    read: impl FnOnce(&Node) -> Result<T, Vec<Fault>>,
) -> Result<T, Vec<Fault>> {
    let Content::Text(text) = &node.value else { return read(node) };
    if !text.contains("${") {
        return read(node);
    }
    let complain = |message: String| vec![Fault::at(node, message)];
    let template = Template::parse(text).map_err(|error| complain(error.to_string()))?;
    let resolved = template.resolve(environment).map_err(|error| complain(error.to_string()))?;
    let Node { value, .. } = yaml::scalar(resolved.text.expose());
    let filled = Node { value, line: node.line, column: node.column };
    read(&filled).map_err(|_| {
        complain(format!("expected {}, but `{text}` gives something else", kind.expects()))
    })
}
