//! `json_query`: finds values in JSON by a `JSONPath`, as RFC 9535 describes it.

use serde::Deserialize;
use serde_json_path::JsonPath;
use toolsmith_core::{Parameter, ParameterType, Tool, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// The longest path, in characters.
const LONGEST: usize = 1_000;

/// How deep brackets may nest in a path; its reader takes twice as long for each nested filter.
const DEEPEST_PATH: usize = 10;

/// How deep the value may nest; the search goes down with each level.
const DEEPEST_DATA: usize = 128;

/// How many steps a search may take in the worst case: about a second.
const MOST_STEPS: f64 = 2e7;

/// What comparing with one regular expression costs, in steps: it is compiled for each value.
const REGEX_STEPS: f64 = 2_000.0;

/// How large a compiled expression may be, in bytes.
const LARGEST_REGEX: usize = 128 * 1024;

/// Builds the tool; a search can take a while, so it does not run where others wait.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::blocking(spec()?, |_cx, input| run(input)))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let data = Parameter::new("data", ParameterType::Any)
        .required()
        .with_description("The JSON value to search.");
    let path = Parameter::string("path")
        .required()
        .with_description(
            "The JSONPath: `$` is the value, `.name` a field, `[0]` an item, `[*]` all of them, \
             `..name` at any depth, `[?@.price < 10]` those that fit.",
        )
        .with_rule("min_length", 1)
        .with_rule("max_length", LONGEST);
    let spec = ToolSpec::new("json_query")?
        .with_description(
            "Finds values in JSON by a JSONPath (RFC 9535) and returns them in a list, which is \
             empty when nothing fits.",
        )
        .with_category("data")
        .with_parameters(&[data, path])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "results": { "type": "array", "description": "The values found, in their order." },
                "count": { "type": "integer", "description": "How many there are." }
            },
            "required": ["results", "count"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let example = json!({
        "input": {
            "data": { "books": [{ "title": "A", "price": 8 }, { "title": "B", "price": 20 }] },
            "path": "$.books[?@.price < 10].title"
        },
        "output": { "results": ["A"], "count": 1 }
    });
    Ok(about(spec, "Query JSON", &["json", "jsonpath", "query", "extract"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    path: String,
}

fn run(mut input: Value) -> Result<Value, ToolError> {
    let data = input::take(&mut input, "data")?;
    let Input { path } = input::read(input)?;
    let shape = Shape::of(&path)?;
    let query = JsonPath::parse(&path).map_err(|error| {
        ToolError::try_differently(format!(
            "The path has a mistake at position {}, `{}`: {}.",
            error.position(),
            path.chars().skip(error.position().saturating_sub(1)).take(20).collect::<String>(),
            error.message()
        ))
    })?;
    let size = Size::of(&data)?;
    if shape.steps(size) > MOST_STEPS {
        return Err(ToolError::try_differently(
            "The path could take too long on so much data: use fewer `..`, filters and lists of \
             selectors, or search a part of the data.",
        ));
    }
    let results: Vec<&Value> = query.query(&data).into_iter().collect();
    Ok(json!({ "count": results.len(), "results": results }))
}

/// What in a path multiplies the work of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    /// The product of how many selectors stand in each pair of brackets.
    choices: f64,
    /// How often it goes to any depth.
    descents: i32,
    /// How often a filter begins again at the top.
    restarts: i32,
    /// How many regular expressions it compares with.
    regexes: i32,
}

impl Shape {
    /// Looks at the text of a path, apart from what is in quotes.
    fn of(path: &str) -> Result<Self, ToolError> {
        let (bare, quoted) = unquoted(path);
        let (mut depth, mut commas) = (0_usize, Vec::new());
        let mut choices = 1.0;
        for letter in bare.chars() {
            match letter {
                '[' | '(' => {
                    depth += 1;
                    commas.push(1.0);
                }
                ']' | ')' => {
                    depth = depth.saturating_sub(1);
                    choices *= commas.pop().unwrap_or(1.0);
                }
                ',' => commas.iter_mut().rev().take(1).for_each(|count| *count += 1.0),
                _ => {}
            }
            if depth > DEEPEST_PATH {
                return Err(ToolError::try_differently(format!(
                    "The path has brackets nested more than {DEEPEST_PATH} deep."
                )));
            }
        }
        if path.chars().count() > LONGEST {
            return Err(ToolError::try_differently(format!(
                "The path is too long; at most {LONGEST} characters are read."
            )));
        }
        let count = |part: &str| i32::try_from(bare.matches(part).count()).unwrap_or(i32::MAX);
        let (descents, restarts) = (count(".."), count("$") - 1);
        let regexes = count("match(") + count("search(");
        if regexes > 0 {
            check_regexes(&bare, &quoted)?;
        }
        Ok(Self { choices, descents, restarts: restarts.max(0), regexes })
    }

    /// Returns how many steps a search may take at most.
    fn steps(self, size: Size) -> f64 {
        // A value is reached from each of its ancestors by each `..`, and by each choice.
        let visits = size.values * self.choices * size.depth.powi(self.descents);
        let comparing = 1.0 + f64::from(self.regexes) * REGEX_STEPS;
        visits * size.values.powi(self.restarts) * comparing
    }
}

/// How much data is searched.
#[derive(Clone, Copy, Debug)]
struct Size {
    values: f64,
    depth: f64,
}

impl Size {
    /// Counts without going down, so that no depth is too much.
    fn of(data: &Value) -> Result<Self, ToolError> {
        let (mut values, mut deepest) = (0.0, 0_usize);
        let mut left = vec![(data, 1_usize)];
        while let Some((value, depth)) = left.pop() {
            values += 1.0;
            deepest = deepest.max(depth);
            match value {
                Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(fields) => {
                    left.extend(fields.values().map(|field| (field, depth + 1)));
                }
                _ => {}
            }
        }
        if deepest > DEEPEST_DATA {
            return Err(ToolError::failed(format!(
                "The data are nested {deepest} deep; at most {DEEPEST_DATA} can be searched."
            )));
        }
        let depth = u8::try_from(deepest).unwrap_or(u8::MAX);
        Ok(Self { values, depth: f64::from(depth) })
    }
}

/// Refuses expressions that are dear to compile; those from the data could be anything.
fn check_regexes(bare: &str, quoted: &[String]) -> Result<(), ToolError> {
    let calls = bare.split("match(").skip(1).chain(bare.split("search(").skip(1));
    let is_quoted = |arguments: &str| arguments.split(')').next().unwrap_or("").ends_with('\'');
    if !calls.map(|call| call.replace(' ', "")).all(|arguments| is_quoted(&arguments)) {
        return Err(ToolError::try_differently(
            "The second argument of match() and search() must be a regular expression in quotes.",
        ));
    }
    let is_small = |text: &String| {
        let built = regex::RegexBuilder::new(text).size_limit(LARGEST_REGEX).build();
        !matches!(built, Err(regex::Error::CompiledTooBig(_)))
    };
    if quoted.iter().all(is_small) {
        return Ok(());
    }
    Err(ToolError::try_differently("A regular expression in the path is too large."))
}

/// Takes quoted names and texts out of a path; a quote stays where each was.
fn unquoted(path: &str) -> (String, Vec<String>) {
    let (mut bare, mut quoted) = (String::new(), Vec::new());
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        if letter != '\'' && letter != '"' {
            bare.push(letter);
            continue;
        }
        let mut text = String::new();
        while let Some(inside) = letters.next() {
            match inside {
                end if end == letter => break,
                '\\' => text.extend(letters.next()),
                other => text.push(other),
            }
        }
        bare.push('\'');
        quoted.push(text);
    }
    (bare, quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts_do_not_count_as_parts_of_a_path() {
        let shape = Shape::of("$['a..b,$'][0, 1]..c[?match(@.d, 'x,y')]").unwrap();
        assert_eq!(
            shape,
            // Two items and the two arguments of the function.
            Shape { choices: 4.0, descents: 1, restarts: 0, regexes: 1 }
        );
    }

    #[test]
    fn regular_expressions_are_small_and_written_in_the_path() {
        assert!(Shape::of("$[?search(@.a, \"\\\\w+\")]").is_ok());
        assert!(Shape::of("$[?match(@.a, '((a{0,99}){0,99}){0,99}')]").is_err());
        assert!(Shape::of("$[?match(@.a, @.b)]").is_err());
        assert!(Shape::of("$[?match(@.a, $.b) || search(@.a, 'x')]").is_err());
    }

    #[test]
    fn brackets_nest_ten_deep_and_no_deeper() {
        let nested = |depth: usize| format!("$[?{}@.a{}]", "(".repeat(depth), ")".repeat(depth));
        assert!(Shape::of(&nested(9)).is_ok());
        assert!(Shape::of(&nested(10)).is_err());
    }
}
