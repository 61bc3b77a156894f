//! Stage 1, resolve: the name becomes a tool, and the tool and the call set the deadline.

use std::{sync::Arc, time::Duration};

use toolsmith_core::{ErrorKind, ToolError, ToolRef, ToolSpec, Value, Version, json};

use crate::{
    engine::Parts,
    registry::{Entry, NotFound},
    stages::record::Trace,
};

pub(crate) fn resolve<'a>(trace: &mut Trace<'a>) -> Result<&'a Arc<Entry>, ToolError> {
    let tool = find(trace)?;
    if !tool.is_indirect || !redirect(trace, tool) {
        return Ok(tool);
    }
    let named = find(trace)?;
    if named.is_indirect {
        return Err(ToolError::validation(format!(
            "`{}` calls tools that do something; `{}` is not one of them.",
            tool.spec.name, named.spec.name
        )));
    }
    Ok(named)
}

/// Makes the call one of the tool that it names, so that from here on everything is that tool's:
/// its schema, its limits, its approval, its record. Without a name it stays as it is.
fn redirect(trace: &mut Trace<'_>, tool: &Entry) -> bool {
    let Value::Object(fields) = &mut trace.input else { return false };
    let Some(name) = fields.get("name").and_then(Value::as_str).map(str::to_owned) else {
        return false;
    };
    fields.remove("name");
    let arguments = fields.remove("arguments").unwrap_or_else(|| json!({}));
    if !fields.is_empty() {
        let dropped: Vec<String> = fields.keys().cloned().collect();
        trace.note("dropped_parameters", json!(dropped));
    }
    // Models like to write objects as texts.
    let object = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    trace.input = object.unwrap_or(arguments);
    trace.note("called_through", json!(tool.spec.name));
    trace.asked = name;
    true
}

fn find<'a>(trace: &mut Trace<'a>) -> Result<&'a Arc<Entry>, ToolError> {
    let (engine, view) = (trace.engine, trace.view);
    let rights = &trace.cx.context().rights;
    // Whoever may not see a tool is told the same as when it does not exist, its versions too.
    if !rights.allows(ToolRef::split(&trace.asked).0) {
        return Err(explain(engine, trace, NotFound::Name));
    }
    let tool = view
        .find_ref(&trace.asked, rights.namespace.as_ref())
        .map_err(|not_found| explain(engine, trace, not_found))?;
    let timeout = timeout_of(engine, &tool.spec, trace.cx.context().timeout);
    trace.bind(tool, timeout);
    if !tool.spec.enabled {
        return Err(ToolError::new(
            ErrorKind::ToolNotFound,
            format!("`{}` is disabled; use another tool.", tool.spec.name),
        ));
    }
    for need in &tool.spec.depends_on {
        let needed = view.find_need(need, tool.namespace.as_ref());
        if needed.is_none_or(|needed| !needed.spec.enabled) {
            return Err(ToolError::new(
                ErrorKind::DependencyError,
                format!("`{}` needs `{need}`, which is not available.", tool.spec.name),
            ));
        }
    }
    Ok(tool)
}

/// The call's own limit, else the tool's, else the default; never more than the engine allows.
fn timeout_of(engine: &Parts, spec: &ToolSpec, asked: Option<Duration>) -> Duration {
    let config = &engine.config;
    let usual =
        if spec.category.is_network() { config.network_timeout } else { config.default_timeout };
    asked.or(spec.timeout).unwrap_or(usual).min(config.max_timeout)
}

fn explain(engine: &Parts, trace: &Trace<'_>, not_found: NotFound) -> ToolError {
    let (name, _) = ToolRef::split(&trace.asked);
    match not_found {
        NotFound::Name => {
            let rights = &trace.cx.context().rights;
            let near = engine.registry.suggest(name, |name| rights.allows(name));
            let hint = near.unwrap_or_else(|| "List the tools to see what there is.".to_owned());
            let shown: String = name.chars().take(80).collect();
            ToolError::new(ErrorKind::ToolNotFound, format!("There is no tool `{shown}`. {hint}"))
        }
        NotFound::Version(versions) => {
            let list: Vec<String> = versions.iter().map(Version::to_string).collect();
            ToolError::new(
                ErrorKind::ToolNotFound,
                format!("`{name}` has no such version; there are: {}.", list.join(", ")),
            )
            .with_details(json!({ "versions": list }))
        }
        NotFound::Range(error) => {
            ToolError::new(ErrorKind::ToolNotFound, format!("{}.", error.message()))
        }
    }
}
