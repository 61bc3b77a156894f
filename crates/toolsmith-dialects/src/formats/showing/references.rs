//! Puts schemas in the place of the references to them.

use serde_json::{Map, Value};

use super::schema::{Changes, DATA, NAMED, each_schema, escaped};

/// How many schemas are put in the place of references.
///
/// References may go in circles and fork on the way, so a depth alone would bound nothing.
const MOST: usize = 2_000;
/// How much text those schemas may be in all: 32 definitions can be doubled to any size.
const MOST_TEXT: usize = 1 << 20;
/// How deep the schema may become.
const DEEPEST: usize = 128;

/// Returns a schema without references; what goes in circles is cut.
pub(super) fn written_out(schema: &Value, changes: &mut Changes) -> Value {
    let mut writer =
        Writer { root: schema, open: Vec::new(), left: MOST, text: MOST_TEXT, depth: 0, changes };
    let mut whole = writer.schema(schema, "");
    for key in ["$defs", "definitions"] {
        if let Some(fields) = whole.as_object_mut() {
            fields.remove(key);
        }
        if schema.get(key).is_some() {
            let message = "what is defined here stands where it is referred to";
            changes.push((format!("/{key}"), message.to_owned()));
        }
    }
    whole
}

/// Takes out references that lead nowhere, for providers that follow references.
pub(super) fn drop_dangling(schema: &mut Value, changes: &mut Changes) {
    let mut places = Vec::new();
    each_schema(schema, "", &mut |fields, path| {
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            places.push((path.to_owned(), reference.to_owned()));
        }
    });
    for (path, reference) in places {
        let target = reference.strip_prefix('#').and_then(|place| schema.pointer(place));
        if target.is_some_and(|target| target.is_object() || target.is_boolean()) {
            continue;
        }
        if let Some(fields) = schema.pointer_mut(&path).and_then(Value::as_object_mut) {
            fields.remove("$ref");
            let message = format!("the reference `{reference}` leads nowhere; anything goes there");
            changes.push((path, message));
        }
    }
}

/// Tells whether a reference leads through the name of a property.
pub(super) fn name_properties(schema: &mut Value) -> bool {
    let mut is_found = false;
    each_schema(schema, "", &mut |fields, _| {
        let reference = fields.get("$ref").and_then(Value::as_str);
        is_found |= reference.is_some_and(|reference| reference.contains("/properties/"));
    });
    is_found
}

struct Writer<'a> {
    root: &'a Value,
    /// The references that are being written out.
    open: Vec<&'a str>,
    left: usize,
    text: usize,
    depth: usize,
    changes: &'a mut Changes,
}

impl<'a> Writer<'a> {
    fn schema(&mut self, schema: &'a Value, path: &str) -> Value {
        let Some(fields) = schema.as_object() else { return schema.clone() };
        if self.depth >= DEEPEST {
            self.note(path, "the schema is too deep; anything goes there".to_owned());
            return Value::Object(Map::new());
        }
        self.depth += 1;
        let reference = fields.get("$ref").and_then(Value::as_str);
        let mut whole = reference.map_or_else(Map::new, |reference| self.target(reference, path));
        for (key, value) in fields {
            let is_reference = key == "$ref" && value.is_string();
            let is_library = matches!(key.as_str(), "$defs" | "definitions") && path.is_empty();
            if !is_reference && !is_library {
                let value = self.member(key, value, &format!("{path}/{}", escaped(key)));
                self.put(&mut whole, key, value, path);
            }
        }
        self.depth -= 1;
        Value::Object(whole)
    }

    fn member(&mut self, key: &str, value: &'a Value, path: &str) -> Value {
        match value {
            _ if DATA.contains(&key) => value.clone(),
            Value::Object(members) if NAMED.contains(&key) => members
                .iter()
                .map(|(name, schema)| {
                    (name.clone(), self.schema(schema, &format!("{path}/{}", escaped(name))))
                })
                .collect(),
            Value::Array(members) => members
                .iter()
                .enumerate()
                .map(|(place, member)| self.schema(member, &format!("{path}/{place}")))
                .collect(),
            other => self.schema(other, path),
        }
    }

    fn target(&mut self, reference: &'a str, path: &str) -> Map<String, Value> {
        let target = reference.strip_prefix('#').and_then(|place| self.root.pointer(place));
        let why = match target {
            None => "leads nowhere",
            Some(_) if self.open.contains(&reference) => "leads in a circle",
            Some(target) if self.has_room(target) => {
                self.note(path, format!("`{reference}` was written out"));
                self.open.push(reference);
                let whole = self.schema(target, path);
                self.open.pop();
                return whole.as_object().cloned().unwrap_or_default();
            }
            Some(_) => "would make the schema too large",
        };
        self.note(path, format!("the reference `{reference}` {why}; anything goes there"));
        Map::new()
    }

    /// Takes the room that a schema needs; once there is too little, there is none.
    fn has_room(&mut self, target: &Value) -> bool {
        if self.left == 0 {
            return false;
        }
        let room = self.text.checked_sub(target.to_string().len());
        self.left = room.map_or(0, |_| self.left - 1);
        self.text = room.unwrap_or_default();
        room.is_some()
    }

    /// Adds what stands beside a reference, which holds too: mostly a description.
    fn put(&mut self, whole: &mut Map<String, Value>, key: &str, value: Value, path: &str) {
        match (whole.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                for (name, schema) in more {
                    let here = format!("{path}/properties/{}", escaped(&name));
                    if known.insert(name, schema).is_some() {
                        let message = "a property beside a reference is shown instead of its own";
                        self.note(&here, message.to_owned());
                    }
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                for name in more {
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
            (Some(known), value) => {
                let is_remark = matches!(key, "description" | "title" | "default" | "examples");
                if !is_remark && *known != value {
                    let message = format!("`{key}` beside a reference is shown instead of its own");
                    self.changes.push((format!("{path}/{}", escaped(key)), message));
                }
                *known = value;
            }
            (None, value) => {
                whole.insert(key.to_owned(), value);
            }
        }
    }

    fn note(&mut self, path: &str, message: String) {
        self.changes.push((path.to_owned(), message));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn definitions_that_double_each_other_do_not_grow_without_bound() {
        let mut library = Map::new();
        for number in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            let filler = "x".repeat(10_000);
            let fields = json!({"properties": {"a": next, "b": next}, "description": filler});
            library.insert(format!("d{number}"), fields);
        }
        let schema = json!({"properties": {"top": {"$ref": "#/$defs/d0"}}, "$defs": library});
        let mut changes = Vec::new();
        let whole = written_out(&schema, &mut changes).to_string();
        assert!(!whole.contains("$ref") && whole.len() < 2 * MOST_TEXT, "{}", whole.len());
        assert!(changes.iter().any(|(_, message)| message.contains("too large")));
    }

    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        let schema = json!({
            "properties": {"default": {"$ref": "#/$defs/a"}, "enum": {"$ref": "#/$defs/a"}},
            "default": {"$ref": "data"},
            "$defs": {"a": {"type": "string"}},
        });
        let string = json!({"type": "string"});
        let wanted =
            json!({"properties": {"default": string, "enum": string}, "default": {"$ref": "data"}});
        assert_eq!(written_out(&schema, &mut Vec::new()), wanted);
    }
}
