//! How much work a schema can make of an input: found once, so that no check runs away.
//!
//! Two things grow: the stack, when schemas refer to schemas that refer to schemas, and the
//! visits to one place of the input, when several schemas each look at it through a reference.

use super::{
    bounds,
    shape::{Node, NodeId, Shape},
};

/// The steps spent on finding out; a schema that needs more is taken to multiply its work.
const STEPS: usize = 200_000;

/// What a schema can cost.
pub(super) struct Effort {
    /// How deep an input may be nested, so that the stack holds.
    pub(super) depth: usize,
    /// Whether the visits to one place of an input can multiply from level to level.
    pub(super) multiplies: bool,
}

impl Effort {
    /// Measures a schema; nothing when the stack cannot hold even shallow inputs.
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        let (order, turns_on_itself) = shape.order(|node| node.same().collect::<Vec<_>>());
        let all = |node: &Node| node.same().chain(node.below()).collect::<Vec<_>>();
        let (whole_order, is_recursive) = shape.order(all);
        let depth = if is_recursive {
            let chain = if turns_on_itself {
                shape.len()
            } else {
                longest(shape, &order, |node| node.same().collect())
            };
            bounds::INPUT_DEPTH.min(bounds::STACKED_SCHEMAS / chain.max(1))
        } else if longest(shape, &whole_order, all) <= bounds::STACKED_SCHEMAS {
            bounds::INPUT_DEPTH
        } else {
            0
        };
        let multiplies = turns_on_itself || visits(shape, depth) > bounds::VISITS;
        (depth >= 8).then_some(Self { depth, multiplies })
    }
}

/// Returns the length of the longest chain of schemas along some edges.
fn longest(shape: &Shape, order: &[NodeId], edges: impl Fn(&Node) -> Vec<NodeId>) -> usize {
    let mut lengths = vec![0; shape.len()];
    for id in order {
        let after = edges(shape.node(*id)).into_iter();
        let after = after.filter_map(|next| lengths.get(next.0).copied()).max().unwrap_or(0);
        if let Some(length) = lengths.get_mut(id.0) {
            *length = after + 1;
        }
    }
    lengths.into_iter().max().unwrap_or(0)
}

/// Where inside a value a schema looks: equal places are visited together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place<'a> {
    Field(&'a str),
    AnyField,
    Item(usize),
    AnyItem,
    Anywhere,
}

/// One step of a schema into a value: where to, which schema then looks, and how often.
struct Step<'a> {
    place: Place<'a>,
    schema: NodeId,
    times: u64,
}

/// What a schema does with one value: how many schemas look at it, and the steps from there.
#[derive(Default)]
struct Visit<'a> {
    looks: u64,
    steps: Vec<Step<'a>>,
}

/// Returns the most visits that one place of an input can get, counted up to a large number.
fn visits(shape: &Shape, depth: usize) -> u64 {
    let Some(visits) = every_visit(shape) else { return u64::MAX };
    let mut now: Vec<u64> = visits.iter().map(|visit| visit.looks).collect();
    for _ in 0..depth {
        let next: Vec<u64> = visits.iter().map(|visit| total(visit, &now)).collect();
        let root = next.first().copied().unwrap_or(0);
        if root > bounds::VISITS || next == now {
            return root;
        }
        now = next;
    }
    now.first().copied().unwrap_or(0)
}

/// Works out the visits of the schemas that look at a value of their own; nothing when that takes
/// too long.
fn every_visit(shape: &Shape) -> Option<Vec<Visit<'_>>> {
    let mut left = STEPS;
    let mut is_start = vec![false; shape.len()];
    let below = shape.ids().flat_map(|id| shape.node(id).below().collect::<Vec<_>>());
    for id in below.chain([Shape::ROOT]) {
        if let Some(start) = is_start.get_mut(id.0) {
            *start = true;
        }
    }
    let starts = shape.ids().zip(is_start);
    starts.map(|(id, is_start)| visit(shape, id, is_start, &mut left)).collect()
}

fn visit<'a>(
    shape: &'a Shape,
    start: NodeId,
    is_start: bool,
    left: &mut usize,
) -> Option<Visit<'a>> {
    let mut visit = Visit::default();
    let mut stack = if is_start { vec![(start, 1_u64)] } else { Vec::new() };
    while let Some((id, times)) = stack.pop() {
        let node = shape.node(id);
        visit.looks = visit.looks.saturating_add(times);
        visit.steps.extend(steps(node).map(|(place, schema)| Step { place, schema, times }));
        let again = if node.is_doubled { times.saturating_mul(2) } else { times };
        stack.extend(node.same().map(|next| (next, again)));
        *left = left.checked_sub(1 + node.below().count())?;
    }
    visit.steps.sort_by_key(|step| step.place);
    Some(visit)
}

fn steps(node: &Node) -> impl Iterator<Item = (Place<'_>, NodeId)> {
    let fields = node.fields.iter().map(|(name, id)| (Place::Field(name), *id));
    let items = node.prefix.iter().enumerate().map(|(at, id)| (Place::Item(at), *id));
    fields
        .chain(node.rest.map(|id| (Place::AnyField, id)))
        .chain(items)
        .chain(node.items.map(|id| (Place::AnyItem, id)))
        .chain(node.beneath.iter().map(|id| (Place::Anywhere, *id)))
}

/// Returns the visits along the busiest path into a value.
fn total(visit: &Visit<'_>, inner: &[u64]) -> u64 {
    let (mut field, mut any_field, mut item, mut any_item, mut anywhere) = (0, 0, 0, 0, 0_u64);
    for same_place in visit.steps.chunk_by(|a, b| a.place == b.place) {
        let sum = same_place.iter().fold(0_u64, |sum, step| {
            let inside = inner.get(step.schema.0).copied().unwrap_or(0);
            sum.saturating_add(step.times.saturating_mul(inside))
        });
        match same_place.first().map(|step| step.place) {
            Some(Place::Field(_)) => field = sum.max(field),
            Some(Place::AnyField) => any_field = sum,
            Some(Place::Item(_)) => item = sum.max(item),
            Some(Place::AnyItem) => any_item = sum,
            Some(Place::Anywhere) => anywhere = sum,
            None => {}
        }
    }
    // A value is an object or an array, never both.
    let object = field.saturating_add(any_field);
    let array = item.saturating_add(any_item);
    visit.looks.saturating_add(object.max(array)).saturating_add(anywhere)
}

#[cfg(test)]
mod tests {
    use jsonschema::Draft;
    use serde_json::{Value, json};

    use super::*;
    use crate::schema::reading::Reading;

    fn effort(schema: &Value) -> Option<Effort> {
        Effort::of(&Reading::of(schema, Draft::Draft202012).unwrap().shape)
    }

    fn multiplies(schema: &Value) -> bool {
        effort(schema).unwrap().multiplies
    }

    #[test]
    fn trees_lists_and_filters_do_not_multiply() {
        let node = json!({"$ref": "#"});
        assert!(!multiplies(&json!({"properties": {"left": node, "right": node}})));
        assert!(!multiplies(&json!({"anyOf": [
            {"type": "string"},
            {"type": "array", "items": node},
            {"type": "object", "additionalProperties": node},
        ]})));
        assert!(!multiplies(&json!({"oneOf": [
            {"properties": {"and": {"items": node}}},
            {"properties": {"or": {"items": node}}},
            {"properties": {"not": node}},
        ]})));
    }

    #[test]
    fn two_looks_at_the_same_field_multiply() {
        let field = json!({"properties": {"next": {"$ref": "#"}}});
        for word in ["anyOf", "oneOf", "allOf"] {
            assert!(multiplies(&json!({word: [field, field]})), "{word}");
        }
        assert!(multiplies(&json!({"if": field, "then": field})));
        assert!(multiplies(&json!({"not": field, "properties": {"next": {"$ref": "#"}}})));
        assert!(multiplies(&json!({"allOf": [field], "unevaluatedProperties": false})));
    }

    #[test]
    fn a_ladder_of_references_multiplies_without_any_loop() {
        let mut defs = serde_json::Map::new();
        for rung in 0..30 {
            let next = json!({"$ref": format!("#/$defs/r{}", rung + 1)});
            defs.insert(format!("r{rung}"), json!({"anyOf": [next, next]}));
        }
        defs.insert("r30".to_owned(), json!({"const": 1}));
        assert!(multiplies(&json!({"$ref": "#/$defs/r0", "$defs": defs})));
    }

    #[test]
    fn long_chains_leave_less_room_for_the_input() {
        let chain = |length: usize, last: &Value| {
            let mut defs = serde_json::Map::new();
            for link in 0..length {
                let next = json!({"$ref": format!("#/$defs/l{}", link + 1)});
                defs.insert(format!("l{link}"), next);
            }
            defs.insert(format!("l{length}"), last.clone());
            json!({"$ref": "#/$defs/l0", "$defs": defs})
        };
        let end = json!({"const": 1});
        let back = json!({"properties": {"next": {"$ref": "#"}}});
        assert_eq!(effort(&chain(500, &end)).unwrap().depth, bounds::INPUT_DEPTH);
        assert!(effort(&chain(5_000, &end)).is_none());
        assert_eq!(effort(&chain(2, &back)).unwrap().depth, bounds::INPUT_DEPTH);
        assert_eq!(effort(&chain(98, &back)).unwrap().depth, 20);
        assert!(effort(&chain(500, &back)).is_none());
    }
}
