//! The check of an input: unknown parameters, defaults, coercion, and then the schema.

use std::collections::HashSet;

use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use toolsmith_core::{Problem, ProblemKind};

use super::{
    Schema, bounds, coerce,
    extras::Names,
    problems::{self, Subject, Telling},
    types::Types,
};

/// What happens to parameters that the tool does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extras {
    /// They are left out, and named in the notes.
    #[default]
    Drop,
    /// They are a problem.
    Refuse,
}

/// Whether a value of the wrong type may be turned into the right one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coerce {
    /// A value is what it is.
    #[default]
    No,
    /// `"3"` is as good as 3.
    Yes,
}

/// How strict the check of an input is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What happens to unknown parameters.
    pub extras: Extras,
    /// Whether values may be turned.
    pub coerce: Coerce,
}

/// What the check of an input changed, besides filling in defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The unknown parameters that were left out, in the order of the input.
    pub dropped: Vec<String>,
    /// Where values were turned into another type: JSON Pointers.
    pub coerced: Vec<String>,
}

impl Schema {
    /// Checks the input of a call and makes it ready for the tool, or tells every problem.
    ///
    /// No input at all (null) is an empty one. After problems the input may be changed in part.
    pub fn check_input(&self, input: &mut Value, rules: Rules) -> Result<Notes, Vec<Problem>> {
        let mut check = Check { schema: self, rules, notes: Notes::default(), unknown: Vec::new() };
        check.open(input)?;
        check.sort_out(input);
        check.fill(input)?;
        if check.unknown.is_empty() && self.fits(input) == Some(true) {
            return Ok(check.notes);
        }
        check.mend(input)
    }
}

struct Check<'a> {
    schema: &'a Schema,
    rules: Rules,
    notes: Notes,
    /// The unknown parameters that are a problem.
    unknown: Vec<String>,
}

impl Check<'_> {
    /// Makes sure that the input is an object that is not too deep.
    fn open(&mut self, input: &mut Value) -> Result<(), Vec<Problem>> {
        if input.is_null() {
            *input = Value::Object(Map::new());
        }
        if self.rules.coerce == Coerce::Yes
            && let Some(turned) = coerce::turned(input, Types::OBJECT)
        {
            *input = turned;
            self.notes.coerced.push(String::new());
        }
        if !input.is_object() {
            return Err(vec![self.telling().not_an_object(input)]);
        }
        self.measure(input)
    }

    fn measure(&self, input: &Value) -> Result<(), Vec<Problem>> {
        if bounds::is_deeper(input, self.schema.depth) {
            return Err(vec![self.telling().too_deep(self.schema.depth)]);
        }
        Ok(())
    }

    /// Finds the unknown parameters, and takes them out if that is the rule.
    #[inline]
    fn sort_out(&mut self, input: &mut Value) {
        let Value::Object(fields) = input else { return };
        let unknown = self.schema.names.unknown(fields);
        if !unknown.is_empty() {
            self.set_aside(fields, unknown);
        }
    }

    fn set_aside(&mut self, fields: &mut Map<String, Value>, unknown: Vec<String>) {
        match self.rules.extras {
            Extras::Drop => {
                let names: HashSet<&str> = unknown.iter().map(String::as_str).collect();
                fields.retain(|name, _| !names.contains(name.as_str()));
                self.notes.dropped.extend(unknown);
            }
            Extras::Refuse => self.unknown = unknown,
        }
    }

    #[inline]
    fn fill(&self, input: &mut Value) -> Result<(), Vec<Problem>> {
        self.schema.shape.fill(input).map_err(|_| vec![self.telling().too_much_work()])
    }

    /// Tries what the rules allow to make the input fit, and tells what is still wrong.
    fn mend(mut self, input: &mut Value) -> Result<Notes, Vec<Problem>> {
        if self.rules.coerce == Coerce::Yes {
            let turned = self.schema.shape.coerce(input, self.schema.depth);
            let turned = turned.map_err(|_| vec![self.telling().too_much_work()])?;
            if !turned.is_empty() {
                self.notes.coerced.extend(turned);
                self.measure(input)?;
                self.fill(input)?;
            }
        }
        if self.schema.names == Names::Patterns && self.rules.extras == Extras::Drop {
            self.drop_refused(input);
        }
        if self.unknown.is_empty() && self.schema.fits(input) == Some(true) {
            return Ok(self.notes);
        }
        Err(self.explain(input))
    }

    /// Tells the problems of the schema, and then the unknown parameters in the input's order.
    fn explain(&self, input: &Value) -> Vec<Problem> {
        let telling = self.telling();
        let mut found = match self.schema.fits(input) {
            // Only the names are wrong.
            Some(true) => Vec::new(),
            _ => self.schema.explain(input, &telling),
        };
        found.retain(|problem| !self.is_unknown(problem));
        let fields = input.as_object();
        for name in self.unknown.iter().take(bounds::PROBLEMS) {
            let value = fields.and_then(|fields| fields.get(name)).unwrap_or(&Value::Null);
            found.push(telling.unknown(name, value, &self.schema.shape));
        }
        found.truncate(bounds::PROBLEMS);
        found
    }

    /// Takes out the parameters that neither a name nor a pattern of the schema admits.
    fn drop_refused(&mut self, input: &mut Value) {
        let refused = self.schema.errors(input, |mut errors| {
            errors.find_map(|error| match error.kind() {
                ValidationErrorKind::AdditionalProperties { unexpected }
                    if error.schema_path().as_str() == "/additionalProperties" =>
                {
                    Some(unexpected.clone())
                }
                _ => None,
            })
        });
        if let (Some(names), Some(fields)) = (refused.flatten(), input.as_object_mut()) {
            self.set_aside(fields, names);
        }
    }

    /// Tells whether a problem is about a parameter that is told as unknown anyway.
    fn is_unknown(&self, problem: &Problem) -> bool {
        problems::is_top(&problem.path)
            && problem.kind == ProblemKind::ExtraParameter
            && self.unknown.contains(&problem.parameter)
    }

    fn telling(&self) -> Telling<'_> {
        let given = if self.unknown.is_empty() { &self.notes.dropped } else { &self.unknown };
        Telling { subject: Subject::Input, source: &self.schema.source, given, original: None }
    }
}
