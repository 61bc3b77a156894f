//! `groups.yaml` and `groups.json`: groups of tools, defined beside the tools.

use toolsmith_core::{Fault, Fields, Group, Spot, Text, ToolName, Value};

use crate::{
    problem::{About, Findings},
    variables::escaped,
};

/// Reads the groups of a document, each with its pointer.
///
/// A document is a list of groups, a map whose `groups` is a list or a map by identifier, or one
/// group.
pub(crate) fn read(document: &Value, findings: &mut Findings) -> Vec<(String, Group)> {
    match document {
        Value::Array(items) => list(items, "", findings),
        Value::Object(map) if map.contains_key("groups") => within(document, findings),
        _ => one(document, "", None, findings).into_iter().collect(),
    }
}

fn within(document: &Value, findings: &mut Findings) -> Vec<(String, Group)> {
    let mut fields = match Fields::of(document, "") {
        Ok(fields) => fields,
        Err(fault) => {
            findings.fault(fault);
            return Vec::new();
        }
    };
    let groups = match fields.any("groups") {
        Some(Value::Object(map)) => {
            let each = |(id, group): (&String, &Value)| {
                one(group, &format!("/groups/{}", escaped(id)), Some(id), findings)
            };
            map.iter().filter_map(each).collect()
        }
        _ => list(fields.list("groups").map_or(&[], Vec::as_slice), "/groups", findings),
    };
    findings.faults.extend(fields.finish());
    groups
}

fn list(items: &[Value], pointer: &str, findings: &mut Findings) -> Vec<(String, Group)> {
    let each = |(place, item)| one(item, &format!("{pointer}/{place}"), None, findings);
    items.iter().enumerate().filter_map(each).collect()
}

fn one(
    value: &Value,
    pointer: &str,
    key: Option<&str>,
    findings: &mut Findings,
) -> Option<(String, Group)> {
    let mut fields = match Fields::of(value, pointer) {
        Ok(fields) => fields,
        Err(fault) => {
            findings.fault(fault);
            return None;
        }
    };
    let id = fields.text("group_id");
    if fields.any("group_id").is_none() && key.is_none() {
        fields.miss("group_id", "say by which identifier the group is found");
    }
    let id = id.or(key).unwrap_or_default();
    if id.is_empty() && fields.is_fine() {
        fields.blame("group_id", "an identifier has at least one character");
    }
    let mut text = |key| fields.text(key).map(Text::from);
    let group = Group {
        name: text("name").unwrap_or_else(|| id.into()),
        group_id: id.into(),
        description: text("description").unwrap_or_default(),
        category: text("category"),
        usage_example: text("usage_example"),
        tool_ids: names(&mut fields, "tool_ids"),
        usage_order: names(&mut fields, "usage_order"),
    };
    for (place, name) in group.usage_order.iter().enumerate() {
        if !group.tool_ids.contains(name) {
            let pointer = format!("{pointer}/usage_order/{place}");
            let message = format!("`{name}` is not among the `tool_ids` of the group");
            findings.warn(About::Other, Fault { pointer, spot: Spot::Value, message });
        }
    }
    findings.faults.extend(fields.finish());
    Some((pointer.to_owned(), group))
}

fn names(fields: &mut Fields<'_>, key: &'static str) -> Vec<ToolName> {
    let texts = fields.texts(key).unwrap_or_default();
    let mut names = Vec::with_capacity(texts.len());
    for (place, text) in texts.into_iter().enumerate() {
        match ToolName::new(text) {
            Ok(name) => names.push(name),
            Err(error) => fields.blame_at(&format!("{key}/{place}"), error.message()),
        }
    }
    names
}
