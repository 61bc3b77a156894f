//! Defaults: what a call leaves out and the schema says.
//!
//! They are filled in where a field is absent, at the top and inside of objects and items that
//! are there, through `allOf` and references; never inside the forms of `anyOf` and `oneOf`,
//! since nobody knows which form is meant.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    bounds::{self, EXPANDING_STEPS, Steps, TooMuch, WALKING_STEPS},
    shape::{Node, NodeId, Shape},
};

/// How often defaults may be put into one another before they count as endless.
const NESTING: usize = 32;

impl Shape {
    /// Fills the defaults into an input.
    ///
    /// Recursion follows the input, so a recursive schema fills no further than the input goes.
    #[inline]
    pub(super) fn fill(&self, value: &mut Value) -> Result<(), TooMuch> {
        if !self.node(Self::ROOT).fills {
            return Ok(());
        }
        let mut steps = Steps::new(WALKING_STEPS);
        self.filling(&mut steps).node(Self::ROOT, value).map(drop)
    }

    /// Fills the defaults into the defaults themselves, so that filling twice changes nothing.
    ///
    /// Where that has no end, or no bearable one, such defaults are forgotten: a node of a tree
    /// whose default is an empty node would grow for ever.
    pub(super) fn expand_defaults(&mut self) {
        let mut steps = Steps::new(EXPANDING_STEPS);
        for _ in 0..NESTING {
            match self.expand_once(&mut steps) {
                Ok(true) => {}
                Ok(false) => return,
                Err(TooMuch) => break,
            }
        }
        for id in self.ids() {
            if let Some(node) = self.node_mut(id).filter(|node| node.fills) {
                node.default = None;
            }
        }
    }

    /// Drops the default of a parameter.
    pub(super) fn forget_default(&mut self, name: &str) {
        let is_meant = |(field, id): &(Box<str>, NodeId)| (field.as_ref() == name).then_some(*id);
        let ids: Vec<NodeId> = self
            .whole(Self::ROOT)
            .flat_map(|node| node.fields.iter().filter_map(is_meant))
            .collect();
        for id in ids {
            if let Some(node) = self.node_mut(id) {
                node.default = None;
            }
        }
    }

    fn expand_once(&mut self, steps: &mut Steps) -> Result<bool, TooMuch> {
        let mut has_changed = false;
        for id in self.ids() {
            let node = self.node(id);
            let Some(default) = node.default.clone().filter(|_| node.fills) else { continue };
            steps.take(bounds::count(&default))?;
            let mut full = default.as_ref().clone();
            if self.filling(steps).node(id, &mut full)?
                && let Some(node) = self.node_mut(id)
            {
                node.default = Some(Arc::new(full));
                has_changed = true;
            }
        }
        Ok(has_changed)
    }

    fn filling<'a>(&'a self, steps: &'a mut Steps) -> Filling<'a> {
        Filling { shape: self, steps, depth: bounds::INPUT_DEPTH }
    }
}

struct Filling<'a> {
    shape: &'a Shape,
    steps: &'a mut Steps,
    /// How many levels the walk may still go down.
    depth: usize,
}

impl Filling<'_> {
    /// Fills one value; tells whether anything was added inside.
    fn node(&mut self, id: NodeId, value: &mut Value) -> Result<bool, TooMuch> {
        let shape = self.shape;
        let node = shape.node(id);
        if !node.fills || !(value.is_object() || value.is_array()) {
            return Ok(false);
        }
        self.depth = self.depth.checked_sub(1).ok_or(TooMuch)?;
        let mut has_added = false;
        loop {
            let mut has_more = false;
            for part in shape.whole(id) {
                has_more |= self.part(part, value)?;
            }
            has_added |= has_more;
            // What one part added may have fields that another part describes.
            if !has_more || node.parts.is_empty() {
                break;
            }
        }
        self.depth += 1;
        Ok(has_added)
    }

    /// Fills in what one of the schemas for a value says.
    fn part(&mut self, part: &Node, value: &mut Value) -> Result<bool, TooMuch> {
        self.steps.take(1 + part.fields.len() as u64)?;
        let mut has_added = false;
        match value {
            Value::Object(fields) => {
                has_added |= self.fields(part, fields)?;
                let Some(rest) = part.rest.filter(|rest| self.shape.node(*rest).fills) else {
                    return Ok(has_added);
                };
                for (name, field) in fields {
                    if !part.named.contains(name.as_str()) {
                        has_added |= self.node(rest, field)?;
                    }
                }
            }
            Value::Array(items) => {
                let after = part.items.into_iter().cycle();
                for (item, id) in items.iter_mut().zip(part.prefix.iter().copied().chain(after)) {
                    has_added |= self.node(id, item)?;
                }
            }
            _ => {}
        }
        Ok(has_added)
    }

    fn fields(&mut self, part: &Node, fields: &mut Map<String, Value>) -> Result<bool, TooMuch> {
        let shape = self.shape;
        let mut has_added = false;
        for (name, id) in &part.fields {
            let child = shape.node(*id);
            if child.default.is_none() && !child.fills {
                continue;
            }
            match (fields.get_mut(name.as_ref()), &child.default) {
                (Some(field), _) => has_added |= self.node(*id, field)?,
                (None, Some(default)) => {
                    self.steps.take(bounds::count(default))?;
                    fields.insert(name.as_ref().to_owned(), default.as_ref().clone());
                    has_added = true;
                }
                (None, None) => {}
            }
        }
        Ok(has_added)
    }
}
