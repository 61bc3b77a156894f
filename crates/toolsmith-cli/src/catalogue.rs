//! Finding a tool by the name that a person wrote.

use std::sync::Arc;

use toolsmith_core::{ErrorKind, ToolError, ToolName, ToolRef, suggestion};
use toolsmith_engine::registry::{Entry, Registry};

/// Returns the tool that `name`, `name@1.2.0` or `name@^1` means, or says which ones are near.
pub(crate) fn find(registry: &Registry, tool: &str) -> Result<Arc<Entry>, ToolError> {
    if let Some(entry) = registry.get(tool) {
        return Ok(entry);
    }
    let (name, range) = ToolRef::split(tool);
    let versions = registry.versions(name);
    if versions.is_empty() {
        let names = registry.names();
        let near = suggestion(name, names.iter().map(ToolName::as_str));
        let hint = near.unwrap_or_else(|| "`toolsmith tools list` shows what there is.".to_owned());
        let shown: String = name.chars().take(80).collect();
        return Err(not_found(format!("There is no tool `{shown}`. {hint}")));
    }
    range.map_or(Ok(()), |range| ToolRef::parse_range(range).map(drop))?;
    let versions: Vec<String> =
        versions.iter().map(|entry| entry.spec.version.to_string()).collect();
    let list = versions.join(", ");
    Err(not_found(format!("`{name}` has no such version; there are: {list}.")))
}

/// Returns the names of a tool and of all that it depends on, which stands before it.
pub(crate) fn with_needs(registry: &Registry, tool: &str) -> Result<Vec<String>, ToolError> {
    let mut order = Vec::new();
    sort(registry, tool, &mut order)?;
    Ok(order)
}

fn sort(registry: &Registry, tool: &str, order: &mut Vec<String>) -> Result<(), ToolError> {
    let entry = find(registry, tool)?;
    let name = entry.spec.name.to_string();
    if order.contains(&name) {
        return Ok(());
    }
    // Circles are refused when definitions are loaded.
    for needed in &entry.spec.depends_on {
        sort(registry, needed.name.as_str(), order)?;
    }
    order.push(name);
    Ok(())
}

fn not_found(message: String) -> ToolError {
    ToolError::new(ErrorKind::ToolNotFound, message)
}

#[cfg(test)]
mod tests {
    use toolsmith_engine::Engine;

    use super::*;

    #[test]
    fn what_is_not_there_is_answered_with_what_is_near() {
        let engine = Engine::builder().tools(toolsmith_builtins::all().unwrap()).build().unwrap();
        let find = |name: &str| find(engine.registry(), name).map(|tool| tool.spec.name.clone());
        assert_eq!(find("echo@^1").unwrap().as_str(), "echo");
        for (name, message) in [
            ("ech", "There is no tool `ech`. Did you mean `echo`?"),
            ("zzz", "There is no tool `zzz`. `toolsmith tools list` shows what there is."),
            ("echo@^2", "`echo` has no such version; there are: 1.0.0."),
            ("echo@new", "`new` is not a version or a range such as 1.2.0, ^1 or >=1, <2"),
        ] {
            assert_eq!(find(name).unwrap_err().message(), message);
        }
    }
}
