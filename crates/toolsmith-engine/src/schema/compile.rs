//! A schema, compiled once and used for every call.

use std::{fmt, sync::OnceLock};

use jsonschema::{Draft, ErrorIterator, PatternOptions, ValidationOptions, Validator};
use serde_json::{Map, Value};

use toolsmith_core::{JsonText, Problem, ToolError};

use super::{
    bounds,
    effort::Effort,
    extras::Names,
    glance, inspect, meter, narrow,
    plain::Plain,
    problems::{self, Subject, Telling},
    reading::Reading,
    shape::Shape,
};

/// A compiled schema.
pub struct Schema {
    checker: Checker,
    /// The schema as it was given; names and descriptions for messages come from here.
    pub(super) source: Value,
    pub(super) shape: Shape,
    pub(super) names: Names,
    pub(super) depth: usize,
    is_metered: bool,
    may_blow_up: bool,
}

/// What tells whether a value fits, and why it does not.
enum Checker {
    /// The rules of a schema of usual words; the validator is made when it has to explain
    /// something, or to tell which defaults the schema refuses.
    Plain(Plain, OnceLock<Option<Validator>>),
    Validator(Validator),
}

impl Schema {
    /// Checks a schema at registration: bounds, well-formedness, references, patterns.
    ///
    /// What passes here also compiles. An ordinary schema costs a few microseconds.
    pub fn inspect(text: &JsonText) -> Result<(), ToolError> {
        inspect::inspect(text)
    }

    /// Compiles a schema; its use is then cheap.
    pub fn compile(text: &JsonText) -> Result<Self, ToolError> {
        let source = inspect::read(text)?;
        let draft = inspect::draft(&source)?;
        let plain = if glance::is_usual(&source) {
            Plain::of(&source)
        } else {
            inspect::well_formed(&source)?;
            None
        };
        let reading = match plain {
            Some(_) => Reading::of_plain(&source),
            None => Reading::of(&source, draft).map_err(|error| inspect::bad_reference(&error))?,
        };
        let effort = measure(&source, &reading, draft)?;
        let is_metered = effort.multiplies || reading.is_dynamic;
        let checker = match plain {
            Some(plain) => Checker::Plain(plain, OnceLock::new()),
            None => {
                let options = options(draft, reading.patterns);
                let made = if is_metered {
                    meter::install(options).build(&meter::metered(&source, draft))
                } else {
                    options.build(&source)
                };
                Checker::Validator(made.map_err(|error| inspect::bad_schema(&error))?)
            }
        };
        let mut schema = Self {
            checker,
            names: Names::of(&source, draft),
            source,
            shape: reading.shape,
            depth: effort.depth,
            is_metered,
            may_blow_up: is_metered || reading.looks_around,
        };
        schema.settle_defaults();
        Ok(schema)
    }

    /// Tells whether a value fits; plain JSON Schema, except that too deep a value never fits.
    pub fn is_valid(&self, value: &Value) -> bool {
        !bounds::is_deeper(value, self.depth) && self.fits(value).unwrap_or(false)
    }

    /// Tells everything that is wrong with a value; plain JSON Schema.
    pub fn problems(&self, value: &Value) -> Vec<Problem> {
        let telling =
            Telling { subject: Subject::Value, source: &self.source, given: &[], original: None };
        if bounds::is_deeper(value, self.depth) {
            return vec![telling.too_deep(self.depth)];
        }
        if self.fits(value) == Some(true) { Vec::new() } else { self.explain(value, &telling) }
    }

    /// Tells whether a hostile input could make a check long, as far as checks go.
    ///
    /// True for schemas whose references multiply the work (their checks are cut off after some
    /// millions of steps) and for patterns with look-around (whose steps are bounded, but grow
    /// with the length of the text). Such checks do not belong on a thread that others wait for.
    pub fn may_blow_up(&self) -> bool {
        self.may_blow_up
    }

    /// Tells whether a value that is not too deep fits; nothing when that takes too long.
    #[inline]
    pub(super) fn fits(&self, value: &Value) -> Option<bool> {
        match &self.checker {
            Checker::Plain(plain, _) => Some(plain.fits(value)),
            Checker::Validator(validator) if !self.is_metered => Some(validator.is_valid(value)),
            Checker::Validator(validator) => meter::run(steps(value), || validator.is_valid(value)),
        }
    }

    /// Tells what is wrong with a value that is not too deep.
    pub(super) fn explain(&self, value: &Value, telling: &Telling<'_>) -> Vec<Problem> {
        let size = bounds::count(value);
        if size > bounds::LARGE && self.fits(value).is_some() {
            let tries = (bounds::NARROWING / size).clamp(20, 200);
            let small = narrow::narrowed(value, tries, |part| self.fits(part) == Some(false));
            let telling = Telling { original: Some(value), ..*telling };
            let mut found = self.explain_whole(&small.value, &telling);
            found.retain(|problem| !problems::comes_from_cutting(problem, &small.cut));
            if !found.is_empty() {
                return found;
            }
        }
        self.explain_whole(value, telling)
    }

    fn explain_whole(&self, value: &Value, telling: &Telling<'_>) -> Vec<Problem> {
        let found = self.errors(value, |errors| telling.all(errors, &self.shape));
        found.unwrap_or_else(|| vec![telling.too_much_work()])
    }

    /// Hands the errors of the validator on; nothing when finding them takes too long.
    pub(super) fn errors<T>(
        &self,
        value: &Value,
        take: impl FnOnce(ErrorIterator<'_>) -> T,
    ) -> Option<T> {
        let validator = self.validator()?;
        let find = || take(validator.iter_errors(value));
        if !self.is_metered {
            return Some(find());
        }
        let errors = bounds::count(value)
            .saturating_mul(bounds::METERED_ERRORS_PER_VALUE)
            .saturating_add(bounds::METERED_ERRORS)
            .min(bounds::METERED_ERRORS_AT_MOST);
        // Each step can make an error for each of the forms that it leads to.
        meter::run(errors / self.shape.forms(), find)
    }

    /// Returns the validator; there is one for every schema of usual words.
    fn validator(&self) -> Option<&Validator> {
        match &self.checker {
            Checker::Validator(validator) => Some(validator),
            Checker::Plain(_, validator) => {
                let make = || options(Draft::Draft202012, 0).build(&self.source).ok();
                validator.get_or_init(make).as_ref()
            }
        }
    }

    /// Expands the defaults, and forgets those of parameters that the schema itself refuses.
    fn settle_defaults(&mut self) {
        self.shape.expand_defaults();
        let mut empty = Value::Object(Map::new());
        if self.shape.fill(&mut empty).is_err() || empty.as_object().is_none_or(Map::is_empty) {
            return;
        }
        let wrong = self.errors(&empty, |errors| {
            let paths = errors.map(|error| problems::first_name(error.instance_path().as_str()));
            paths.flatten().collect::<Vec<_>>()
        });
        for name in wrong.into_iter().flatten() {
            self.shape.forget_default(&name);
        }
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("source", &self.source).finish_non_exhaustive()
    }
}

/// Makes sure that a schema can be checked within the bounds.
fn measure(source: &Value, reading: &Reading, draft: Draft) -> Result<Effort, ToolError> {
    if reading.patterns > bounds::PATTERNS {
        return Err(inspect::refused(format!(
            "has {} patterns; at most {} are allowed",
            reading.patterns,
            bounds::PATTERNS
        )));
    }
    if inspect::doublings(source) > bounds::DOUBLINGS {
        return Err(inspect::refused(
            "nests `unevaluatedProperties` or `unevaluatedItems` too deeply",
        ));
    }
    let effort = Effort::of(&reading.shape).ok_or_else(|| {
        inspect::refused("has references that lead through too many other references")
    })?;
    if (effort.multiplies || reading.is_dynamic) && draft < Draft::Draft7 {
        // The meter is made of `if` and `then`, which older drafts do not know.
        return Err(inspect::refused(
            "multiplies its work through references; write it in draft 7 or later",
        ));
    }
    Ok(effort)
}

/// Returns the options that every schema is compiled with.
fn options(draft: Draft, patterns: usize) -> ValidationOptions<'static> {
    let memory = (bounds::PATTERN_MEMORY / patterns.max(1)).min(bounds::ONE_PATTERN_MEMORY);
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(bounds::BACKTRACKS)
        .size_limit(memory)
        .dfa_size_limit(memory);
    jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(false)
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json")
        .with_pattern_options(patterns)
}

/// Returns the steps that a metered check of a value may take.
fn steps(value: &Value) -> u64 {
    bounds::count(value)
        .saturating_mul(bounds::METERED_STEPS_PER_VALUE)
        .saturating_add(bounds::METERED_STEPS)
        .min(bounds::METERED_STEPS_AT_MOST)
}
