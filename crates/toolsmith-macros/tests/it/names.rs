//! Generated code beside names of the author's own.

use toolsmith_core::{IntoTool as _, json};
use toolsmith_macros::tool;

use crate::workbench::run;

/// Names that generated code also needs, meaning something else.
mod hostile {
    use toolsmith_macros::tool;

    mod serde {}
    mod schemars {}
    mod serde_json {}
    struct Result;
    struct Tool;
    struct ToolError;
    struct Value;

    /// Joins.
    #[tool(crate = "::toolsmith_core")]
    pub(super) fn join(
        input: String,
        cx: i64,
        spec: bool,
        #[arg(default = 1)] output: u8,
    ) -> String {
        let _: (Result, Tool, ToolError, Value) = (Result, Tool, ToolError, Value);
        format!("{input} {cx} {spec} {output}")
    }
}

#[tokio::test]
async fn names_of_the_author_do_not_meet_names_of_the_macro() {
    let input = json!({"input": "a", "cx": 1, "spec": true});
    assert_eq!(run(hostile::join, input).await.unwrap(), json!("a 1 true 1"));
}

/// Matches.
#[tool(crate = "toolsmith_core")]
fn r#match(_unused: Option<bool>) -> bool {
    true
}

/// Has a name that its author has to justify, and only for the function.
#[tool(crate = "toolsmith_core")]
#[expect(non_snake_case, reason = "lints of the author hold for the function")]
async fn Shout(text: String) -> String {
    text.to_uppercase()
}

#[test]
fn a_raw_name_is_shown_without_its_mark() {
    assert_eq!(r#match.into_tool().unwrap().spec.name.as_str(), "match");
    assert_eq!(Shout.into_tool().unwrap().spec.name.as_str(), "Shout");
}

/// Is there.
#[cfg(test)]
#[tool(crate = "toolsmith_core")]
fn present() {}

/// Is not there.
#[tool(crate = "toolsmith_core")]
#[cfg(not(test))]
fn absent(unknown: Unknown) -> Unknown {
    unknown
}

#[tokio::test]
async fn a_tool_can_be_declared_in_a_function_and_be_left_out() {
    /// Echoes.
    #[tool(crate = "toolsmith_core")]
    #[inline]
    async fn echo(#[expect(unused_mut, reason = "attributes stay")] mut text: String) -> String {
        text
    }

    assert_eq!(run(echo, json!({"text": "hi"})).await.unwrap(), json!("hi"));
    assert_eq!(run(present, json!({})).await.unwrap(), json!(null));
}

/// Types that come out of another macro are wrapped invisibly.
macro_rules! maker {
    ($name:ident, $ty:ty) => {
        /// Is made by a macro.
        #[tool(crate = "toolsmith_core")]
        fn $name(value: $ty) -> $ty {
            value
        }
    };
}

maker!(made, Option<i64>);

#[tokio::test]
async fn another_macro_can_write_a_tool() {
    assert_eq!(run(made, json!({})).await.unwrap(), json!(null));
    assert_eq!(run(made, json!({"value": 1})).await.unwrap(), json!(1));
}

#[test]
fn a_variable_may_have_the_name_of_a_tool_beside_it() {
    let join = hostile::join.into_tool().unwrap();
    assert_eq!(join.spec.name.as_str(), "join");
}
