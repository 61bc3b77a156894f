//! `GET /tools`: the table of tools, with runtimes, groups and states.

use std::sync::Arc;

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use toolsmith_core::{BackendRuntime, Group, Kind, State as ToolState, Text};
use toolsmith_engine::registry::{Entry, Filter, Registry};

use super::answer::{Failure, Json};
use crate::{Gateway, House, Visitor};

/// How many tools a search returns when nobody says.
const USUAL_HITS: usize = 20;

/// What a client may ask for.
#[derive(Debug, Default, Deserialize)]
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
}

/// The table.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    backend_runtimes: Vec<Runtime>,
    groups: Vec<Group>,
    tools: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<Text>,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the wire")]
struct Runtime {
    backend_runtime: BackendRuntime,
    name: &'static str,
    tool_count: usize,
}

/// A tool as the table shows it: `tool_id` is our `name`, and `name` our `title`.
#[derive(Debug, Serialize)]
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
    status: &'static str,
}

/// Answers the tools that the caller may see.
pub(super) async fn tools(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    wanted: Result<Query<Wanted>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Table>, Failure> {
    let Query(wanted) = wanted.map_err(|error| Failure::bad_request(error.body_text()))?;
    let house = &*gateway.0.house;
    let registry = gateway.0.engine.registry();
    let visible = Filter::visible_to(&visitor.rights);
    let all = registry.find(&visible);
    let groups = groups(house, &all);
    let found = wanted.find(registry, &all, visible);
    let rows = found.map(|entry| Row::of(&entry.spec, house, &groups));
    let limit = wanted.limit.unwrap_or(usize::MAX);
    let tools: Vec<Row> = rows.filter(|row| wanted.is_state_of(row)).take(limit).collect();
    let is_full = wanted.q.is_none() && tools.len() == limit;
    let next_cursor = tools.last().filter(|_| is_full).map(|last| last.tool_id.clone());
    Ok(Json(Table { backend_runtimes: runtimes(&all), groups, tools, next_cursor }))
}

impl Wanted {
    /// Returns the tools that fit, but for their state: the best first when there is a question.
    fn find<'a>(
        &'a self,
        registry: &Registry,
        all: &'a [Arc<Entry>],
        visible: Filter,
    ) -> Box<dyn Iterator<Item = Arc<Entry>> + 'a> {
        let filter = Filter {
            category: self.category.clone(),
            all_tags: self.tag.clone().into_iter().collect(),
            group: self.group.clone(),
            backend_runtime: self.runtime,
            ..visible
        };
        if let Some(question) = &self.q {
            let hits = registry.search(question, &filter, self.limit.unwrap_or(USUAL_HITS));
            return Box::new(hits.into_iter().map(|hit| hit.tool));
        }
        let after = self.cursor.as_deref().unwrap_or("");
        let rest = all.iter().skip_while(move |entry| entry.spec.name.as_str() <= after);
        Box::new(rest.filter(move |entry| filter.accepts(entry)).cloned())
    }

    fn is_state_of(&self, row: &Row) -> bool {
        self.state.is_none_or(|state| state == row.state)
    }
}

impl Row {
    fn of(spec: &toolsmith_core::ToolSpec, house: &dyn House, groups: &[Group]) -> Self {
        let name = Text::from(spec.name.as_str());
        let is_member = |group: &&Group| group.tool_ids.contains(&spec.name);
        Self {
            name: spec.title.clone().unwrap_or_else(|| name.clone()),
            tool_id: name,
            description: spec.description.clone(),
            version: spec.version.to_string(),
            category: spec.category.as_str().into(),
            kind: spec.kind,
            backend_runtime: spec.backend_runtime,
            group_ids: groups.iter().filter(is_member).map(|g| g.group_id.clone()).collect(),
            state: house.state(spec),
            status: if spec.enabled { "active" } else { "inactive" },
        }
    }
}

fn runtimes(all: &[Arc<Entry>]) -> Vec<Runtime> {
    let known = [
        (BackendRuntime::Embedded, "In this process"),
        (BackendRuntime::Local, "Local processes"),
        (BackendRuntime::Docker, "Docker containers"),
        (BackendRuntime::Remote, "Remote services"),
    ];
    let count = |runtime| all.iter().filter(|e| e.spec.backend_runtime == runtime).count();
    let counted = known.into_iter().map(|(backend_runtime, name)| Runtime {
        backend_runtime,
        name,
        tool_count: count(backend_runtime),
    });
    counted.collect()
}

/// Returns the groups that have a member the caller may see, with no other members.
fn groups(house: &dyn House, all: &[Arc<Entry>]) -> Vec<Group> {
    let is_visible = |name: &toolsmith_core::ToolName| {
        all.binary_search_by(|entry| entry.spec.name.as_str().cmp(name.as_str())).is_ok()
    };
    let seen = house.groups().into_iter().map(|group| {
        let mut group = Group::clone(&group);
        group.tool_ids.retain(is_visible);
        group.usage_order.retain(is_visible);
        group
    });
    seen.filter(|group| !group.tool_ids.is_empty()).collect()
}
