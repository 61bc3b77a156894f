//! `calculator`: computes an arithmetic expression.
//!
//! An expression is read by a parser of its own; nothing of it is ever executed as code. Whole
//! numbers and fractions are computed exactly while they fit 128 bits, everything else in 64-bit
//! floats. A result has 15 significant digits, so `0.1+0.2` is 0.3; whole results keep every digit:
//! in `result` up to 64 bits, and beyond that in the text `exact`, beside a rounded `result`.

mod answer;
mod eval;
mod functions;
mod literal;
mod mistake;
mod number;
mod parse;
mod ratio;
mod refusal;
#[cfg(test)]
mod tests;
mod token;

use toolsmith_core::{Annotations, JsonText, Parameter, Tool, ToolError, ToolSpec, Value, json};

use self::{answer::Answer, mistake::Mistake, number::Number};

/// The longest expression, in characters: more than anyone writes, and quick to refuse.
const LONGEST: usize = 10_000;

/// The most digits after the point that can be asked for; floats do not hold more.
const FINEST: i32 = 15;

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::function(spec()?, |_cx, input| std::future::ready(run(input))))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let expression = Parameter::string("expression")
        .required()
        .with_description("What to compute, such as `2*(3+4)` or `sqrt(2)/2`.")
        .with_rule("max_length", LONGEST);
    let precision = Parameter::integer("precision")
        .with_description("Digits after the decimal point; the result is rounded to them.")
        .with_rule("min", 0)
        .with_rule("max", FINEST);
    let spec = ToolSpec::new("calculator")?
        .with_description(description())
        .with_category("data")
        .with_parameters(&[expression, precision])
        .with_output_schema(&output_schema())
        .with_annotations(Annotations {
            read_only: true,
            idempotent: true,
            ..Annotations::default()
        });
    Ok(spec.with(|spec| {
        spec.title = Some("Calculator".into());
        spec.tags = ["math", "arithmetic", "compute"].map(Into::into).to_vec();
        spec.examples = examples().iter().map(JsonText::of).collect();
    }))
}

fn description() -> String {
    let functions: Vec<&str> = functions::names().collect();
    format!(
        "Computes an arithmetic expression and returns one number. Use it instead of computing by \
         yourself. Operators: + - * / // (floor division) % (remainder) ** or ^ (power), with \
         brackets. Numbers: 12, 1_000, 1.5e-3, 0xff, 0b101, 0o17. Constants: pi e tau phi. \
         Functions, with angles in radians: {}. log(x) is natural, log(x, base) any other. Always \
         write `*` to multiply and `/100` for percent. There are no variables, comparisons or \
         units.",
        functions.join(" ")
    )
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "result": { "type": "number", "description": "The value." },
            "expression": { "type": "string", "description": "What was computed." },
            "exact": {
                "type": "string",
                "description": "All digits of a whole number too large for `result`."
            }
        },
        "required": ["result", "expression"],
        "additionalProperties": false
    })
}

fn examples() -> [Value; 3] {
    [
        json!({
            "input": { "expression": "2*(3+4)" },
            "output": { "result": 14, "expression": "2*(3+4)" }
        }),
        json!({
            "input": { "expression": "sqrt(2)", "precision": 3 },
            "output": { "result": 1.414, "expression": "sqrt(2)" }
        }),
        json!({
            "input": { "expression": "2**64" },
            "output": {
                "result": 18_446_744_073_709_551_616.0,
                "expression": "2**64",
                "exact": "18446744073709551616"
            }
        }),
    ]
}

fn run(mut input: Value) -> Result<Value, ToolError> {
    let precision = precision(&input)?;
    let Some(Value::String(expression)) = input.get_mut("expression").map(Value::take) else {
        return Err(ToolError::validation("The input needs a text field `expression`."));
    };
    let value = evaluate(&expression).map_err(|mistake| mistake.into_error(&expression))?;
    let Answer { result, exact } = Answer::of(precision.map_or(value, |p| value.round(p)));
    let mut output = json!({ "result": result, "expression": expression });
    if let (Some(exact), Some(fields)) = (exact, output.as_object_mut()) {
        fields.insert("exact".to_owned(), exact.into());
    }
    Ok(output)
}

fn precision(input: &Value) -> Result<Option<i32>, ToolError> {
    let Some(given) = input.get("precision").filter(|given| !given.is_null()) else {
        return Ok(None);
    };
    // JSON Schema takes 2.0 for an integer, and so must this.
    let whole = given.as_f64().and_then(|digits| Number::Float(digits).as_whole());
    let digits = whole.and_then(|digits| i32::try_from(digits).ok());
    let digits = digits.filter(|digits| (0..=FINEST).contains(digits));
    digits.map(Some).ok_or_else(|| {
        ToolError::validation(format!("`precision` must be a whole number from 0 to {FINEST}."))
    })
}

/// Computes an expression.
fn evaluate(expression: &str) -> Result<Number, Mistake> {
    let length = expression.chars().count();
    if length > LONGEST {
        return Err(Mistake::overall(format!(
            "The expression has {length} characters, and at most {LONGEST} are read: compute it \
             in parts."
        )));
    }
    let tokens = token::tokenize(expression)?;
    eval::evaluate(&parse::parse(&tokens, length + 1)?)
}
