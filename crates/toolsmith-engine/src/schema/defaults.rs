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

/// How deep defaults may put further defaults into one another.
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
        self.fill_node(Self::ROOT, value, &mut Steps::new(WALKING_STEPS))
    }

    /// Fills the defaults into the defaults themselves, so that filling twice changes nothing.
    pub(super) fn expand_defaults(&mut self) -> Result<(), TooMuch> {
        let mut steps = Steps::new(EXPANDING_STEPS);
        for _ in 0..NESTING {
            if !self.expand_once(&mut steps)? {
                return Ok(());
            }
        }
        Err(TooMuch)
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
            self.fill_node(id, &mut full, steps)?;
            if full != *default
                && let Some(node) = self.node_mut(id)
            {
                node.default = Some(Arc::new(full));
                has_changed = true;
            }
        }
        Ok(has_changed)
    }

    fn fill_node(&self, id: NodeId, value: &mut Value, steps: &mut Steps) -> Result<(), TooMuch> {
        let node = self.node(id);
        if !node.fills || !(value.is_object() || value.is_array()) {
            return Ok(());
        }
        loop {
            let mut has_added = false;
            for part in self.whole(id) {
                has_added |= self.fill_part(part, value, steps)?;
            }
            // What one part added may have fields that another part describes.
            if !has_added || node.parts.is_empty() {
                return Ok(());
            }
        }
    }

    /// Fills in what one of the schemas for a value says; tells whether it added a field.
    fn fill_part(
        &self,
        part: &Node,
        value: &mut Value,
        steps: &mut Steps,
    ) -> Result<bool, TooMuch> {
        steps.take(1 + part.fields.len() as u64)?;
        match value {
            Value::Object(fields) => {
                let has_added = self.fill_fields(part, fields, steps)?;
                if let Some(rest) = part.rest.filter(|rest| self.node(*rest).fills) {
                    let others =
                        fields.iter_mut().filter(|(name, _)| !part.named.contains(name.as_str()));
                    for (_, field) in others {
                        self.fill_node(rest, field, steps)?;
                    }
                }
                Ok(has_added)
            }
            Value::Array(items) => {
                let after = part.items.into_iter().cycle();
                for (item, id) in items.iter_mut().zip(part.prefix.iter().copied().chain(after)) {
                    self.fill_node(id, item, steps)?;
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn fill_fields(
        &self,
        part: &Node,
        fields: &mut Map<String, Value>,
        steps: &mut Steps,
    ) -> Result<bool, TooMuch> {
        let mut has_added = false;
        for (name, id) in &part.fields {
            let child = self.node(*id);
            if child.default.is_none() && !child.fills {
                continue;
            }
            match (fields.get_mut(name.as_ref()), &child.default) {
                (Some(field), _) => self.fill_node(*id, field, steps)?,
                (None, Some(default)) => {
                    steps.take(bounds::count(default))?;
                    fields.insert(name.as_ref().to_owned(), default.as_ref().clone());
                    has_added = true;
                }
                (None, None) => {}
            }
        }
        Ok(has_added)
    }
}
