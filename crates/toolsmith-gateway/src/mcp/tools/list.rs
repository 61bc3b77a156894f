//! `tools/list`: a page of the tools that a client may see.

use serde::{Deserialize, Serialize};
use toolsmith_core::{Annotations, Exposure, Kind, TaskSupport, ToolSpec};
use toolsmith_engine::registry::Filter;

use super::schema::{is_of_object, write_input};
use crate::{
    Gateway, cursor,
    mcp::{
        clean,
        peer::Peer,
        refusal::Refusal,
        revision::Revision,
        wire::{self, Request, put},
        writing::{Freshness, Writing},
    },
};

/// How many tools are on a page.
pub(crate) const PAGE: usize = 200;

/// What a client asks for.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Wanted {
    /// Where the page begins: behind the item of that name.
    pub(crate) cursor: Option<String>,
}

impl Wanted {
    /// Reads it; a cursor that no page has given is refused.
    pub(crate) fn read(request: &Request<'_>) -> Result<Self, Refusal> {
        let wanted: Self = wire::params(request.params)?;
        if wanted.cursor.as_deref().is_none_or(cursor::is_one) {
            return Ok(wanted);
        }
        let why = "The `cursor` is none of this list: send the `nextCursor` of the page before.";
        Err(Refusal::invalid_params(why))
    }
}

/// Answers a page of the tools that are shown to models, by name.
pub(crate) fn list(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Vec<u8>, Refusal> {
    let wanted = Wanted::read(request)?;
    let registry = gateway.0.engine.registry();
    let rights = &peer.visitor.rights;
    let filter = Filter {
        exposure: Some(Exposure::Direct),
        enabled: Some(true),
        ..Filter::visible_to(rights)
    };
    let mut page = registry.page(&filter, wanted.cursor.as_deref(), PAGE + 1);
    let is_last = page.len() <= PAGE;
    page.truncate(PAGE);
    let next = page.last().filter(|_| !is_last).map(|entry| entry.spec.name.as_str().to_owned());
    if is_last {
        page.extend(gateway.0.mcp.deferred.pair(registry, rights));
    }
    let mut writing = Writing::to(request.id, peer.revision);
    let text = writing.member("tools");
    text.push(b'[');
    for (index, entry) in page.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        write_tool(text, &entry.spec, peer.revision);
    }
    text.push(b']');
    if let Some(next) = next {
        writing.put("nextCursor", &next);
    }
    writing.holds(Freshness::ForAWhile);
    Ok(clean(gateway, writing.end()))
}

fn write_tool(text: &mut Vec<u8>, spec: &ToolSpec, revision: Revision) {
    text.extend_from_slice(br#"{"name":"#);
    put(text, &spec.name);
    if let Some(title) = spec.title.as_ref().filter(|_| revision.has_titles()) {
        text.extend_from_slice(br#","title":"#);
        put(text, title);
    }
    text.extend_from_slice(br#","description":"#);
    put(text, &spec.description);
    text.extend_from_slice(br#","inputSchema":"#);
    write_input(text, &spec.input_schema);
    if let Some(schema) = &spec.output_schema
        && is_promised(spec, revision)
    {
        text.extend_from_slice(br#","outputSchema":"#);
        text.extend_from_slice(schema.as_str().as_bytes());
    }
    if revision.has_annotations() {
        text.extend_from_slice(br#","annotations":"#);
        put(text, &Hints::of(spec));
    }
    if let Some(support) = told_support(spec, revision) {
        text.extend_from_slice(br#","execution":{"taskSupport":"#);
        put(text, support);
        text.push(b'}');
    }
    if let Some(author) = spec.author.as_ref().filter(|_| spec.kind == Kind::Mcp) {
        text.extend_from_slice(br#","_meta":{"toolsmith/author":"#);
        put(text, author);
        text.push(b'}');
    }
    text.push(b'}');
}

/// Returns what clients are told that decide by themselves what becomes a task.
fn told_support(spec: &ToolSpec, revision: Revision) -> Option<&'static str> {
    match spec.task_support {
        _ if !revision.has_tasks() => None,
        TaskSupport::Auto | TaskSupport::Optional => Some("optional"),
        TaskSupport::Required => Some("required"),
        TaskSupport::Forbidden => None,
    }
}

/// Tells whether clients of a revision are told what the output of a tool looks like.
pub(super) fn is_promised(spec: &ToolSpec, revision: Revision) -> bool {
    let is_legal = |schema| revision.has_any_structure() || is_of_object(schema);
    revision.has_structured_output() && spec.output_schema.as_ref().is_some_and(is_legal)
}

/// What a tool does to the world, in the words of the protocol.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the names of the wire")]
struct Hints<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    read_only_hint: bool,
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
}

impl<'a> Hints<'a> {
    fn of(spec: &'a ToolSpec) -> Self {
        let Annotations { read_only, destructive, idempotent, open_world } = spec.annotations;
        Self {
            title: spec.title.as_deref(),
            read_only_hint: read_only,
            destructive_hint: destructive,
            idempotent_hint: idempotent,
            open_world_hint: open_world,
        }
    }
}
