//! What a call of a tool does.

use std::{fmt, future};

use toolsmith_core::{
    __private::serde, ErrorKind, IntoTool, ToolContext, ToolError, Value, Work, json,
};
use toolsmith_macros::tool;

use crate::workbench::{context, run};

/// Doubles a number.
#[tool(crate = "toolsmith_core")]
async fn double(n: i64) -> i64 {
    future::ready(n * 2).await
}

/// Halves a number.
#[tool(crate = "toolsmith_core")]
fn halve(n: i64) -> i64 {
    n / 2
}

#[tokio::test]
async fn the_function_itself_can_be_called() {
    assert_eq!(double::call(4).await, 8);
    assert_eq!(halve::call(4), 2);
}

#[test]
fn an_async_fn_runs_on_its_caller_and_a_plain_fn_on_the_pool() {
    assert!(matches!(double.into_tool().unwrap().work, Work::Async(_)));
    assert!(matches!(halve.into_tool().unwrap().work, Work::Blocking(_)));
}

#[tokio::test]
async fn input_comes_in_and_output_goes_out() {
    assert_eq!(run(double, json!({"n": 21})).await.unwrap(), json!(42));
    assert_eq!(run(halve, json!({"n": 21})).await.unwrap(), json!(10));
}

#[tokio::test]
async fn input_that_is_missing_unknown_or_wrong_is_refused() {
    for input in [json!({}), json!({"n": "1"}), json!({"n": 1, "m": 2}), json!(null)] {
        let error = run(double, input).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValidationError, "{error}");
    }
}

/// Takes nothing.
#[tool(crate = "toolsmith_core")]
async fn ping() {}

#[tokio::test]
async fn a_function_that_returns_nothing_answers_null() {
    assert_eq!(run(ping, json!({})).await.unwrap(), Value::Null);
    let error = run(ping, json!({"n": 1})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ValidationError);
}

/// An error of an application.
#[derive(Debug)]
struct OutOfStock;

impl fmt::Display for OutOfStock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sold out")
    }
}

impl From<OutOfStock> for ToolError {
    fn from(error: OutOfStock) -> Self {
        Self::try_differently(format!("It is {error}; order something else."))
    }
}

/// Orders something.
#[tool(crate = "toolsmith_core")]
async fn order(item: Option<String>) -> Result<String, OutOfStock> {
    item.ok_or(OutOfStock)
}

#[tokio::test]
async fn an_error_becomes_the_error_of_the_call() {
    assert_eq!(run(order, json!({"item": "tea"})).await.unwrap(), json!("tea"));
    for input in [json!({}), json!({"item": null})] {
        let error = run(order, input).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ExecutionError);
        assert_eq!(error.message(), "It is sold out; order something else.");
    }
}

type Reply<T> = Result<T, ToolError>;

/// Answers by an alias.
#[tool(crate = "toolsmith_core")]
fn reply(fail: bool) -> Reply<()> {
    if fail { Err(ToolError::failed("It failed.")) } else { Ok(()) }
}

#[tokio::test]
async fn a_result_is_known_behind_an_alias_too() {
    assert_eq!(run(reply, json!({"fail": false})).await.unwrap(), Value::Null);
    let error = run(reply, json!({"fail": true})).await.unwrap_err();
    assert_eq!(error.message(), "It failed.");
}

/// Counts.
#[tool(crate = "toolsmith_core")]
fn count() -> impl serde::Serialize + use<> {
    [1, 2, 3]
}

/// Names the caller.
#[tool(crate = "toolsmith_core")]
async fn caller(cx: &ToolContext) -> Option<&str> {
    cx.context().caller_id.as_deref()
}

/// Names the tool.
#[tool(crate = "toolsmith_core")]
fn own_name(cx: ToolContext) -> &'static str {
    if &**cx.tool_name() == "own_name" { "mine" } else { "not mine" }
}

#[tokio::test]
async fn outputs_may_be_opaque_or_borrowed() {
    assert_eq!(run(count, json!({})).await.unwrap(), json!([1, 2, 3]));
    assert_eq!(run(caller, json!({})).await.unwrap(), json!("tester"));
    assert_eq!(run(own_name, json!({})).await.unwrap(), json!("mine"));
}

#[tokio::test]
async fn the_context_is_handed_in_by_tests() {
    assert_eq!(caller::call(&context("caller")).await, Some("tester"));
    assert_eq!(own_name::call(context("other")), "not mine");
}

/// Asks itself again.
#[tool(crate = "toolsmith_core")]
fn factorial(n: u64) -> u64 {
    if n < 2 { 1 } else { n * factorial(n - 1) }
}

/// Adds, in a variable of its own name.
#[tool(crate = "toolsmith_core")]
async fn total(_: &ToolContext, numbers: Vec<i64>) -> i64 {
    let mut total = 0;
    for number in numbers {
        total += number;
    }
    total
}

/// Echoes a parameter of its own name.
#[tool(crate = "toolsmith_core")]
fn echo(echo: String) -> String {
    echo
}

#[tokio::test]
async fn a_function_may_use_its_own_name_as_any_function_may() {
    assert_eq!(run(factorial, json!({"n": 5})).await.unwrap(), json!(120));
    assert_eq!(run(total, json!({"numbers": [1, 2, 3]})).await.unwrap(), json!(6));
    assert_eq!(run(echo, json!({"echo": "hi"})).await.unwrap(), json!("hi"));
    assert_eq!(total::call(&context("total"), vec![4, 5]).await, 9);
    assert_eq!(echo::call("ho".to_owned()), "ho");
}
