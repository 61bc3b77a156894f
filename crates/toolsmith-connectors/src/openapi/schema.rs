//! Schemas of every version as one JSON Schema that a model can read.
//!
//! Each schema that is referred to is translated once, into `$defs`; [`sharing`](super::sharing)
//! then puts those used once back to where they are used. So the result grows with the document and
//! never with the number of ways through it. What goes beyond the budget is left open: the API
//! itself checks what is sent to it.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use toolsmith_core::{Map, Value, json};

use super::{
    constraints::{self, is_short, nullable, shown, too_many, types},
    document::{Document, reference_of},
    flat::flatten,
    kinds, names, sharing, wording,
};

/// How deep a schema may nest without a reference.
const LEVELS: usize = 8;

/// How many alternatives are kept.
const MOST_ALTERNATIVES: usize = 30;

/// How many fields of one object are kept.
const MOST_FIELDS: usize = 300;

/// Words that narrow a schema in ways that models make little of.
const UNCHECKED: [&str; 11] = [
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "contains",
    "dependentSchemas",
    "dependentRequired",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
];

/// How long descriptions are inside, and those of arguments.
const INNER_TEXT: usize = 160;
pub(super) const OUTER_TEXT: usize = 400;

/// Which way a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the API: what it only ever returns is left out.
    Request,
    /// From the API: only the look of it counts, since documents promise more than servers keep.
    Response,
}

/// Translates the schemas of one tool.
#[derive(Debug)]
pub(super) struct Translator<'a, 'd> {
    document: &'d Document<'a>,
    direction: Direction,
    /// How many more schemas are translated.
    pub(super) budget: usize,
    /// How many more bytes of text the result may have.
    room: usize,
    defs: Map<String, Value>,
    names: HashMap<&'a str, String>,
    taken: HashSet<String>,
    waiting: VecDeque<(&'a str, String)>,
    /// Whether something was left open.
    pub(super) is_cut: bool,
    /// What is left open or to the API, and why.
    pub(super) remarks: BTreeSet<String>,
}

impl<'a, 'd> Translator<'a, 'd> {
    /// Makes one that translates so many schemas.
    ///
    /// It may give up once the result is sure to be larger than `largest` bytes.
    pub(super) fn new(
        document: &'d Document<'a>,
        direction: Direction,
        budget: usize,
        largest: usize,
    ) -> Self {
        Self {
            document,
            direction,
            budget,
            // A text may be replaced by another one later, so there is some room to spare.
            room: largest.saturating_mul(2),
            defs: Map::new(),
            names: HashMap::new(),
            taken: HashSet::new(),
            waiting: VecDeque::new(),
            is_cut: false,
            remarks: BTreeSet::new(),
        }
    }

    /// Tells whether the result is too large to be of use.
    pub(super) fn is_full(&self) -> bool {
        self.room == 0
    }

    fn take_room(&mut self, text: &str) {
        self.room = self.room.saturating_sub(text.len());
    }

    /// Translates a schema; what it refers to is translated by [`Self::finish`].
    pub(super) fn translate(&mut self, schema: &'a Value) -> Value {
        self.at(schema, 0)
    }

    /// Translates what was referred to, and puts everything into one schema.
    pub(super) fn finish(&mut self, schema: Value) -> Value {
        while let Some((reference, name)) = self.waiting.pop_front() {
            if self.is_full() {
                return json!({});
            }
            let target =
                self.document.find(reference).and_then(|found| self.document.follow(found));
            let translated = match target {
                Ok(target) => self.at(target, 0),
                Err(_) => json!({}),
            };
            self.defs.insert(name, translated);
        }
        sharing::unite(schema, std::mem::take(&mut self.defs))
    }

    fn at(&mut self, schema: &'a Value, level: usize) -> Value {
        let Value::Object(words) = schema else {
            return if schema.is_boolean() { schema.clone() } else { json!({}) };
        };
        if self.is_full() {
            return json!({});
        }
        if self.budget == 0 || level > LEVELS {
            self.is_cut = true;
            return self.open(words);
        }
        self.budget -= 1;
        if let Some(reference) = reference_of(schema) {
            return self.reference(reference, words);
        }
        if words.contains_key("allOf") {
            return self.all_of(schema, words, level);
        }
        let mut made = Map::new();
        self.tell_unchecked(words);
        self.common(words, &mut made, INNER_TEXT);
        if self.kinds(schema, &mut made) {
            nullable(words, &mut made);
            return Value::Object(made);
        }
        self.alternatives(words, &mut made, level);
        self.object(words, &mut made, level);
        self.list(words, &mut made, level);
        if self.direction == Direction::Request {
            constraints::examples(schema, &mut made);
        }
        nullable(words, &mut made);
        Value::Object(made)
    }

    /// Writes an object that has kinds as a choice of them, where that can be done.
    fn kinds(&mut self, schema: &'a Value, made: &mut Map<String, Value>) -> bool {
        if self.direction == Direction::Response {
            return false;
        }
        let Some(kinds) = kinds::of(self.document, schema) else { return false };
        let few = |kinds: &Vec<&str>| kinds.len() <= MOST_ALTERNATIVES;
        let Some(references) = kinds.references(self.document).filter(few) else {
            let field: String = kinds.field.chars().take(60).collect();
            let why =
                format!("its input has kinds, told apart by `{field}`; their fields are open");
            self.remarks.insert(why);
            return false;
        };
        let empty = Map::new();
        let members = references.into_iter().map(|kind| self.reference(kind, &empty));
        made.insert("anyOf".to_owned(), members.collect());
        made.shift_remove("type");
        true
    }

    /// Notes the words of a schema that only the API itself will check.
    fn tell_unchecked(&mut self, words: &Map<String, Value>) {
        if self.direction == Direction::Response {
            return;
        }
        let has_both = words.contains_key("anyOf") && words.contains_key("oneOf");
        let both = has_both.then_some("oneOf");
        for word in UNCHECKED.into_iter().filter(|word| words.contains_key(*word)).chain(both) {
            self.remarks.insert(format!("`{word}` in its input is left to the API to check"));
        }
    }

    /// Returns what a schema says about itself, made short.
    fn described(&self, words: &Map<String, Value>, most: usize) -> Option<String> {
        let text = words.get("description").and_then(Value::as_str)?;
        Some(self.document.brief(text, most)).filter(|text| !text.is_empty())
    }

    /// Says of what is left open only what it is.
    fn open(&mut self, words: &Map<String, Value>) -> Value {
        let mut made = Map::new();
        if let Some(text) = self.described(words, INNER_TEXT) {
            self.take_room(&text);
            made.insert("description".to_owned(), text.into());
        }
        if self.direction == Direction::Request && !words.contains_key("nullable") {
            made.extend(types(words).map(|types| ("type".to_owned(), types)));
        }
        Value::Object(made)
    }

    fn reference(&mut self, reference: &'a str, words: &Map<String, Value>) -> Value {
        let target = self.document.find(reference).and_then(|found| self.document.follow(found));
        if let Err(why) = target {
            self.remarks.insert(format!("a part of its input is left open: {why}"));
            return json!({});
        }
        let name = match self.names.get(reference) {
            Some(name) => name.clone(),
            None => {
                let name = self.name_of(reference);
                self.taken.insert(name.clone());
                self.names.insert(reference, name.clone());
                self.waiting.push_back((reference, name.clone()));
                name
            }
        };
        let mut made = Map::new();
        if let Some(text) = self.described(words, INNER_TEXT) {
            made.insert("description".to_owned(), text.into());
        }
        made.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
        Value::Object(made)
    }

    fn name_of(&self, reference: &str) -> String {
        let last = reference.rsplit('/').next().unwrap_or_default();
        // What came from a file of its own is called as the file is.
        let last = last.rsplit("~1").next().unwrap_or_default().replace("~0", "_");
        let last = [".yaml", ".yml", ".json"]
            .iter()
            .find_map(|end| last.strip_suffix(end))
            .unwrap_or(&last);
        let base = names::argument(last);
        let is_taken = |name: &str| self.taken.contains(name);
        let mut name = base.clone();
        let mut number = 2;
        while is_taken(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    /// Joins what is plainly one object; otherwise the parts stay side by side.
    fn all_of(&mut self, schema: &'a Value, words: &'a Map<String, Value>, level: usize) -> Value {
        let members = words.get("allOf").and_then(Value::as_array);
        let members = members.map(Vec::as_slice).unwrap_or_default();
        let beside = ["properties", "required", "oneOf", "anyOf"];
        if let ([only], false) = (members, beside.iter().any(|word| words.contains_key(*word))) {
            // Older documents wrap a reference like this to describe it, or to allow null.
            let inner = self.at(only, level + 1);
            return wrapped(inner, words, self.described(words, INNER_TEXT));
        }
        let Some(flat) = flatten(self.document, schema) else {
            let mut made = Map::new();
            self.common(words, &mut made, INNER_TEXT);
            if self.direction == Direction::Request {
                let parts = members.iter().take(MOST_ALTERNATIVES);
                let parts: Vec<Value> = parts.map(|member| self.at(member, level + 1)).collect();
                if !parts.is_empty() {
                    made.insert("allOf".to_owned(), parts.into());
                }
                self.object(words, &mut made, level);
                self.alternatives(words, &mut made, level);
            }
            return Value::Object(made);
        };
        let mut made = Map::new();
        let text = self.document.brief(flat.description, INNER_TEXT);
        if !text.is_empty() {
            self.take_room(&text);
            made.insert("description".to_owned(), text.into());
        }
        made.insert("type".to_owned(), self.type_of("object"));
        self.fields(&flat.fields, &flat.required, &mut made, level);
        nullable(words, &mut made);
        Value::Object(made)
    }

    /// Takes over the words that mean the same everywhere.
    fn common(
        &mut self,
        words: &'a Map<String, Value>,
        made: &mut Map<String, Value>,
        most: usize,
    ) {
        let said = self.described(words, most).unwrap_or_default();
        let mut text = said.clone();
        if self.direction == Direction::Request {
            if let Some(default) = words.get("default").filter(|value| is_short(value)) {
                // As `default` it would be filled in and sent; the API knows it by itself.
                text = format!("{} Default: {}.", wording::sentence(&text), shown(default));
            }
            if let Some(kinds) = words.get("discriminator").and_then(kinds::told) {
                text = format!("{} {kinds}", wording::sentence(&text));
            }
            if let Some(values) =
                words.get("enum").and_then(Value::as_array).filter(|v| too_many(v))
            {
                let some: Vec<String> = values.iter().take(10).map(shown).collect();
                text = format!("{} One of: {}, …", wording::sentence(&text), some.join(", "));
            }
        }
        let text = if text == said { said } else { wording::brief(&text, most + 100) };
        if !text.is_empty() {
            self.take_room(&text);
            made.insert("description".to_owned(), text.into());
        }
        if let Some(types) = types(words) {
            let types = match (self.direction, &types) {
                (Direction::Response, Value::String(word)) => self.type_of(word),
                (Direction::Response, _) => return,
                _ => types,
            };
            made.insert("type".to_owned(), types);
        }
        if self.direction == Direction::Request {
            constraints::take_over(words, made);
        }
    }

    /// In an answer nothing is promised not to be null, and numbers are numbers.
    fn type_of(&self, word: &str) -> Value {
        match self.direction {
            Direction::Request => word.into(),
            Direction::Response if word == "integer" => json!(["number", "null"]),
            Direction::Response => json!([word, "null"]),
        }
    }

    /// `oneOf` becomes `anyOf`: alternatives that overlap would refuse good values.
    fn alternatives(
        &mut self,
        words: &'a Map<String, Value>,
        made: &mut Map<String, Value>,
        level: usize,
    ) {
        if self.direction == Direction::Response {
            return;
        }
        let lists = ["anyOf", "oneOf"].iter().filter_map(|word| words.get(*word)?.as_array());
        let Some(members) = lists.into_iter().find(|list| !list.is_empty()) else { return };
        if members.len() > MOST_ALTERNATIVES {
            self.is_cut = true;
            return;
        }
        let members: Vec<Value> = members.iter().map(|member| self.at(member, level + 1)).collect();
        made.insert("anyOf".to_owned(), members.into());
    }

    fn object(
        &mut self,
        words: &'a Map<String, Value>,
        made: &mut Map<String, Value>,
        level: usize,
    ) {
        if let Some(fields) = words.get("properties").and_then(Value::as_object) {
            let fields: Vec<(&str, &Value)> =
                fields.iter().map(|(name, field)| (name.as_str(), field)).collect();
            let required = words.get("required").and_then(Value::as_array);
            let required: Vec<&str> =
                required.into_iter().flatten().filter_map(Value::as_str).collect();
            self.fields(&fields, &required, made, level);
        }
        if self.direction == Direction::Response {
            return;
        }
        match words.get("additionalProperties") {
            // What has fields that are not listed here must not be refused for them.
            Some(Value::Bool(false)) if is_listed_whole(words) => {
                made.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            Some(more @ Value::Object(inner)) if !inner.is_empty() => {
                let more = self.at(more, level + 1);
                made.insert("additionalProperties".to_owned(), more);
            }
            _ => {}
        }
    }

    fn fields(
        &mut self,
        fields: &[(&'a str, &'a Value)],
        required: &[&str],
        made: &mut Map<String, Value>,
        level: usize,
    ) {
        self.is_cut |= fields.len() > MOST_FIELDS;
        let left: Vec<(&str, &Value)> = fields
            .iter()
            .take(MOST_FIELDS)
            .filter(|(_, field)| !self.is_left_out(field))
            .copied()
            .collect();
        for (name, _) in &left {
            self.take_room(name);
        }
        let known: HashSet<&str> = left.iter().map(|(name, _)| *name).collect();
        let mut needed: Vec<&str> =
            required.iter().filter(|name| known.contains(**name)).copied().collect();
        needed.sort_unstable();
        needed.dedup();
        let translated =
            left.iter().map(|(name, field)| ((*name).to_owned(), self.at(field, level + 1)));
        let translated: Map<String, Value> = translated.collect();
        if !translated.is_empty() {
            made.insert("properties".to_owned(), Value::Object(translated));
        }
        if !needed.is_empty() && self.direction == Direction::Request {
            made.insert("required".to_owned(), json!(needed));
        }
    }

    /// Tells whether a field never goes this way.
    pub(super) fn is_left_out(&self, field: &'a Value) -> bool {
        let word = match self.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let is_so = |value: &Value| value.get(word) == Some(&Value::Bool(true));
        is_so(field)
            || (reference_of(field).is_some() && self.document.follow(field).is_ok_and(is_so))
    }

    fn list(&mut self, words: &'a Map<String, Value>, made: &mut Map<String, Value>, level: usize) {
        if let Some(items) = words.get("items").filter(|items| items.is_object()) {
            let items = self.at(items, level + 1);
            made.insert("items".to_owned(), items);
        }
    }
}

fn is_listed_whole(words: &Map<String, Value>) -> bool {
    let fields = words.get("properties").and_then(Value::as_object);
    fields.is_none_or(|fields| fields.len() <= MOST_FIELDS)
        && !words.contains_key("patternProperties")
        && !words.contains_key("discriminator")
}

/// Describes and widens what `allOf` wrapped.
fn wrapped(inner: Value, words: &Map<String, Value>, text: Option<String>) -> Value {
    let Value::Object(mut made) = inner else { return inner };
    if let Some(text) = text {
        made.insert("description".to_owned(), text.into());
    }
    nullable(words, &mut made);
    Value::Object(made)
}
