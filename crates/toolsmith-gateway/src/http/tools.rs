//! `GET /tools`: the table of tools, with runtimes, groups and states.

use std::{collections::HashMap, sync::Arc};

use axum::{extract::State, http::HeaderMap, response::Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsmith_core::{
    BackendRuntime, Group, Kind, Map, Rights, State as ToolState, Text, ToolName, ToolSpec, Value,
};
use toolsmith_engine::registry::{Entry, Filter, Registry};

use super::{answer::Failure, asked::Asked, groups, rendering::Format, tagged};
use crate::{Gateway, House, Visitor, counts::RUNTIMES, cursor};

/// How many tools a search returns when nobody says.
const USUAL_HITS: usize = 20;

/// How many tools are looked at in one go when few of them may fit.
const LOOKED_AT: usize = 256;

/// What a client may ask for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    q: Option<String>,
    category: Option<Text>,
    group: Option<Text>,
    tag: Option<Text>,
    runtime: Option<BackendRuntime>,
    state: Option<ToolState>,
    limit: Option<usize>,
    /// The tool behind which the page begins.
    cursor: Option<String>,
    format: Option<Format>,
}

/// The table.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Table {
    backend_runtimes: Vec<Runtime>,
    groups: Vec<Group>,
    tools: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<Text>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the wire")]
struct Runtime {
    backend_runtime: BackendRuntime,
    name: &'static str,
    tool_count: usize,
}

/// A tool as the table shows it: `tool_id` is our `name`, and `name` our `title`.
#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    tool_id: Text,
    name: Text,
    description: Text,
    version: String,
    category: Text,
    kind: Kind,
    backend_runtime: BackendRuntime,
    group_ids: Vec<Text>,
    state: ToolState,
    status: Status,
}

/// Whether a tool can be called.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Active,
    Inactive,
}

/// The table, or the tools as a model takes them.
#[derive(Debug, JsonSchema)]
#[schemars(untagged, rename = "Tools")]
#[expect(dead_code, reason = "the forms that an answer can have, for the description")]
pub(super) enum Listed {
    Table(Table),
    Rendered(Vec<Map<String, Value>>),
}

/// Answers the tools that the caller may see.
pub(super) async fn tools(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let is_of_a_page = wanted.cursor.as_deref().is_none_or(cursor::is_one);
    if !is_of_a_page {
        return Err(Failure::wrong_cursor("next_cursor"));
    }
    if wanted.q.is_some() && wanted.cursor.is_some() {
        return Err(Failure::no_pages_of_hits());
    }
    if let Some(format) = wanted.format {
        let entries = wanted.entries(&gateway, &visitor.rights);
        let text = format.write(entries.iter().map(|entry| &entry.spec));
        return Ok(tagged::answer(&headers, format.media_type(), text));
    }
    let table = Table::of(&gateway, &visitor.rights, &wanted);
    let text = serde_json::to_vec(&table).unwrap_or_default();
    Ok(tagged::answer(&headers, "application/json", text.into()))
}

impl Table {
    fn of(gateway: &Gateway, rights: &Rights, wanted: &Wanted) -> Self {
        let groups = groups::visible(gateway, rights);
        let memberships = Memberships::of(&groups);
        let entries = wanted.entries(gateway, rights);
        let row = |entry: &Arc<Entry>| Row::of(&entry.spec, &*gateway.0.house, &memberships);
        let tools: Vec<Row> = entries.iter().map(row).collect();
        let is_full = wanted.q.is_none() && Some(tools.len()) == wanted.limit;
        let next_cursor = tools.last().filter(|_| is_full).map(|last| last.tool_id.clone());
        Self { backend_runtimes: runtimes(gateway, rights), groups, tools, next_cursor }
    }
}

impl Wanted {
    /// Returns the tools that fit: the best first when there is a question, else by name.
    fn entries(&self, gateway: &Gateway, rights: &Rights) -> Vec<Arc<Entry>> {
        let (registry, house) = (gateway.0.engine.registry(), &*gateway.0.house);
        let is_in_state =
            |entry: &Arc<Entry>| self.state.is_none_or(|state| state == house.state(&entry.spec));
        let filter = self.filter(rights);
        if let Some(question) = &self.q {
            let hits = registry.search(question, &filter, self.limit.unwrap_or(USUAL_HITS));
            return hits.into_iter().map(|hit| hit.tool).filter(is_in_state).collect();
        }
        let limit = self.limit.unwrap_or(usize::MAX);
        let Some(state) = self.state else {
            return registry.page(&filter, self.cursor.as_deref(), limit);
        };
        let Some(places) = house.runtimes_in(state).filter(|_| self.runtime.is_none()) else {
            return self.pages(registry, &filter, limit, is_in_state);
        };
        let of_place = |place: &BackendRuntime| {
            let filter = Filter { backend_runtime: Some(*place), ..filter.clone() };
            self.pages(registry, &filter, limit, is_in_state)
        };
        let mut entries: Vec<Arc<Entry>> = places.iter().flat_map(of_place).collect();
        entries.sort_by(|a, b| a.spec.name.as_str().cmp(b.spec.name.as_str()));
        entries.truncate(limit);
        entries
    }

    /// Takes pages of the registry until enough of them fit something that it does not know.
    fn pages(
        &self,
        registry: &Registry,
        filter: &Filter,
        limit: usize,
        fits: impl Fn(&Arc<Entry>) -> bool,
    ) -> Vec<Arc<Entry>> {
        let mut entries = Vec::new();
        let mut after = self.cursor.clone();
        let size = limit.max(LOOKED_AT);
        while entries.len() < limit {
            let page = registry.page(filter, after.as_deref(), size);
            after = page.last().map(|last| last.spec.name.to_string());
            let is_last = page.len() < size;
            let room = limit - entries.len();
            entries.extend(page.into_iter().filter(&fits).take(room));
            if is_last {
                break;
            }
        }
        entries
    }

    fn filter(&self, rights: &Rights) -> Filter {
        Filter {
            category: self.category.clone(),
            all_tags: self.tag.clone().into_iter().collect(),
            group: self.group.clone(),
            backend_runtime: self.runtime,
            ..Filter::visible_to(rights)
        }
    }
}

/// The groups of each tool.
struct Memberships<'a>(HashMap<&'a ToolName, Vec<Text>>);

impl<'a> Memberships<'a> {
    fn of(groups: &'a [Group]) -> Self {
        let mut memberships: HashMap<&ToolName, Vec<Text>> = HashMap::new();
        for group in groups {
            for member in &group.tool_ids {
                memberships.entry(member).or_default().push(group.group_id.clone());
            }
        }
        Self(memberships)
    }
}

impl Row {
    fn of(spec: &ToolSpec, house: &dyn House, groups: &Memberships<'_>) -> Self {
        let name = Text::from(spec.name.as_str());
        Self {
            name: spec.title.clone().unwrap_or_else(|| name.clone()),
            tool_id: name,
            description: spec.description.clone(),
            version: spec.version.to_string(),
            category: spec.category.as_str().into(),
            kind: spec.kind,
            backend_runtime: spec.backend_runtime,
            group_ids: groups.0.get(&spec.name).cloned().unwrap_or_default(),
            state: house.state(spec),
            status: if spec.enabled { Status::Active } else { Status::Inactive },
        }
    }
}

fn runtimes(gateway: &Gateway, rights: &Rights) -> Vec<Runtime> {
    let counts = gateway.0.counts.of(gateway.0.engine.registry(), rights);
    let counted = RUNTIMES.into_iter().zip(counts.by_runtime);
    let runtime = |(backend_runtime, tool_count)| {
        let name = match backend_runtime {
            BackendRuntime::Embedded => "In this process",
            BackendRuntime::Local => "Local processes",
            BackendRuntime::Docker => "Docker containers",
            BackendRuntime::Remote => "Remote services",
        };
        Runtime { backend_runtime, name, tool_count }
    };
    counted.map(runtime).collect()
}
