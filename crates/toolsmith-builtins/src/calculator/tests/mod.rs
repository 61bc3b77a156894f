//! Tests of the calculator as its callers see it.

mod agreement;
mod hostile;
mod mistakes;
mod values;

use toolsmith_core::{ToolError, Value, json};

/// Runs the calculator and returns its whole output.
fn output(expression: &str) -> Result<Value, ToolError> {
    super::run(json!({ "expression": expression }))
}

/// Runs the calculator and returns the result.
fn result(expression: &str) -> Value {
    match output(expression) {
        Ok(output) => output["result"].clone(),
        Err(error) => panic!("{expression}: {error}"),
    }
}

/// Runs the calculator and returns the message of its error.
fn message(expression: &str) -> String {
    match output(expression) {
        Ok(output) => panic!("{expression}: {output}"),
        Err(error) => error.message().to_owned(),
    }
}

/// Checks the results of many expressions as JSON shows them: 2 is whole, 2.0 is not.
fn assert_results(table: &[(&str, &str)]) {
    for (expression, expected) in table {
        assert_eq!(result(expression).to_string(), *expected, "{expression}");
    }
}
