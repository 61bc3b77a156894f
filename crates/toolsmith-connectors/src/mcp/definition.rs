//! A server's definition of a tool, in the words of the registry.

use std::time::Duration;

use rmcp::model::{Tool, ToolAnnotations};
use toolsmith_core::{
    Annotations, BackendRuntime, Category, JsonText, Kind, Text, ToolName, ToolSpec, Value, visible,
};

use super::settings::{Link, ServerSettings};

/// The longest icon that is kept, in bytes: pictures can stand in the address itself.
const LONGEST_ICON: usize = 16 * 1024;

/// The words of a schema that only a reader takes notice of.
const TEXTS: [&str; 3] = ["title", "description", "$comment"];

/// Describes a tool for the registry.
pub(super) fn spec(settings: &ServerSettings, name: ToolName, tool: &Tool) -> ToolSpec {
    let hints = tool.annotations.as_ref();
    let title = tool.title.as_deref().or_else(|| hints.and_then(|hints| hints.title.as_deref()));
    ToolSpec::named(name).with(|spec| {
        spec.title = title.map(|title| Text::from(&*visible(title)));
        spec.description = (&*visible(tool.description.as_deref().unwrap_or_default())).into();
        spec.category = Category::new("mcp");
        spec.tags = vec![Text::from(settings.name.as_str())];
        spec.kind = Kind::Mcp;
        spec.backend_runtime = runtime(&settings.link);
        spec.input_schema = JsonText::of(&input_schema(tool)).shrunk();
        spec.output_schema = tool.output_schema.as_ref().map(|schema| {
            let mut schema = Value::Object(schema.as_ref().clone());
            make_visible(&mut schema);
            JsonText::of(&schema).shrunk()
        });
        spec.annotations = annotations(hints);
        // Whoever reads the description should know that it is not from here.
        spec.author = Some(format!("MCP server {}", settings.name).into());
        spec.icon = icon(tool);
        spec.timeout = Some(settings.call_timeout).filter(|limit| *limit > Duration::ZERO);
    })
}

/// Returns where tools of a server run.
pub(super) fn runtime(link: &Link) -> BackendRuntime {
    match link {
        Link::Stdio(_) => BackendRuntime::Local,
        Link::Http(_) => BackendRuntime::Remote,
    }
}

/// Returns the schema of the input; some servers leave out that it is an object.
fn input_schema(tool: &Tool) -> Value {
    let mut schema = tool.input_schema.as_ref().clone();
    schema.entry("type").or_insert_with(|| "object".into());
    let mut schema = Value::Object(schema);
    make_visible(&mut schema);
    schema
}

/// Takes what cannot be seen out of the texts of a schema; names and values stay to the letter.
pub(super) fn make_visible(schema: &mut Value) {
    match schema {
        Value::Object(words) => {
            for (word, value) in words {
                match value {
                    Value::String(text) if TEXTS.contains(&word.as_str()) => {
                        *text = visible(text).into_owned();
                    }
                    other => make_visible(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_visible),
        _ => {}
    }
}

/// Takes over the hints; what is not said is what the protocol says it then is.
fn annotations(hints: Option<&ToolAnnotations>) -> Annotations {
    let Some(hints) = hints else {
        return Annotations { destructive: true, open_world: true, ..Annotations::default() };
    };
    let read_only = hints.read_only_hint.unwrap_or(false);
    Annotations {
        read_only,
        destructive: !read_only && hints.is_destructive(),
        idempotent: hints.is_idempotent(),
        open_world: hints.open_world_hint.unwrap_or(true),
    }
}

fn icon(tool: &Tool) -> Option<Text> {
    let icons = tool.icons.iter().flatten();
    let fitting = icons.map(|icon| icon.src.as_str()).find(|src| src.len() <= LONGEST_ICON);
    fitting.map(Text::from)
}

/// Names the parts in which two definitions of a tool differ.
pub(super) fn differences(old: &Tool, new: &Tool) -> Vec<&'static str> {
    let parts = [
        ("title", old.title != new.title),
        ("description", old.description != new.description),
        ("input_schema", old.input_schema != new.input_schema),
        ("output_schema", old.output_schema != new.output_schema),
        ("annotations", old.annotations != new.annotations),
        ("icons", old.icons != new.icons),
    ];
    parts.into_iter().filter(|(_, differs)| *differs).map(|(part, _)| part).collect()
}
