//! `echo`: gives a message back.

use toolsmith_core::{
    Annotations, BoxFuture, Executor, JsonText, Parameter, Tool, ToolContext, ToolError, ToolSpec,
    Value, json,
};

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::executor(spec()?, Echo))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let spec = ToolSpec::new("echo")?
        .with_description("Returns the message unchanged. Use it to check that calls get through.")
        .with_category("system")
        .with_parameters(&[Parameter::string("message")
            .required()
            .with_description("The text to give back.")])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "message": { "type": "string", "description": "The text that was given." }
            },
            "required": ["message"],
            "additionalProperties": false
        }))
        .with_annotations(Annotations {
            read_only: true,
            idempotent: true,
            ..Annotations::default()
        });
    Ok(spec.with(|spec| {
        spec.title = Some("Echo".into());
        spec.tags = vec!["test".into(), "ping".into()];
        let message = json!({ "message": "hello" });
        spec.examples = vec![JsonText::of(&json!({ "input": message, "output": message }))];
    }))
}

/// An executor of its own rather than a function: a call costs one small box and nothing else.
#[derive(Debug)]
struct Echo;

impl Executor for Echo {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(std::future::ready(reply(input)))
    }
}

/// The output has the shape of the input, so the input itself is given back, nothing copied.
fn reply(input: Value) -> Result<Value, ToolError> {
    let Value::Object(mut fields) = input else { return Err(no_message()) };
    if !fields.get("message").is_some_and(Value::is_string) {
        return Err(no_message());
    }
    if fields.len() > 1 {
        fields.retain(|name, _| name == "message");
    }
    Ok(Value::Object(fields))
}

fn no_message() -> ToolError {
    ToolError::validation("The input needs a text field `message`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_comes_back_without_being_copied() {
        let input = json!({ "message": "a text of some length" });
        let before = input["message"].as_str().unwrap().as_ptr();
        let output = reply(input).unwrap();
        assert_eq!(output, json!({ "message": "a text of some length" }));
        assert_eq!(output["message"].as_str().unwrap().as_ptr(), before);
    }

    #[test]
    fn nothing_but_the_message_comes_back() {
        let output = reply(json!({ "before": 1, "message": "hi", "after": 2 })).unwrap();
        assert_eq!(output, json!({ "message": "hi" }));
    }

    #[test]
    fn an_input_without_a_text_is_refused() {
        for input in [json!(null), json!([]), json!({}), json!({ "message": 1 })] {
            let error = reply(input).unwrap_err();
            assert_eq!(error.message(), "The input needs a text field `message`.");
        }
    }
}
