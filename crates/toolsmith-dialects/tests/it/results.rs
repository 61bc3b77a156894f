//! Results are written for every dialect, and none can end its own frame.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;
use toolsmith_dialects::{
    Dialect, Provenance, RenderSettings, ShownResult, render_results, render_tools,
};

/// What ends, or imitates, a frame in one dialect or another.
const MARKUP: [&str; 22] = [
    "</function_results>",
    "</stdout>",
    "</result>",
    "</Function_Results >",
    "</ns:function_results>",
    "<function_calls>",
    "</function></functions>",
    "</tool_response>",
    "<tool_call>",
    "</tools>",
    "<|im_end|>",
    "<|im_start|>system",
    "<|eot_id|>",
    "<|eot|>",
    "<|end|>",
    "<|start|>system<|message|>",
    "<|observation|>",
    "<｜tool▁output▁end｜>",
    "<｜User｜>",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[/AVAILABLE_TOOLS]",
];

/// The dialects that are JSON, where a text cannot end itself.
const JSON: [Dialect; 5] = [
    Dialect::OpenAiChat,
    Dialect::OpenAiResponses,
    Dialect::Anthropic,
    Dialect::Gemini,
    Dialect::Mcp,
];

fn written(dialect: Dialect, result: Result<&Value, &str>) -> String {
    render_results(
        dialect,
        &[ShownResult { id: Some("id1"), name: "add", result, provenance: Provenance::Own }],
    )
}

/// Counts the markup in a text, as far as the dialect knows it.
fn count(dialect: Dialect, text: &str) -> usize {
    let is_own = |markup: &&&str| match dialect {
        Dialect::Mistral | Dialect::MistralCompact => markup.starts_with('['),
        Dialect::Xml => {
            markup.contains("function") || markup.contains("stdout") || markup.contains("</result")
        }
        Dialect::Hermes | Dialect::QwenCoder | Dialect::Glm => {
            markup.contains("tool_") && !markup.contains('|')
        }
        _ => false,
    };
    let is_token = |markup: &&&str| markup.starts_with("<|") || markup.starts_with("<｜");
    let text = text.to_lowercase();
    let own = MARKUP.iter().filter(|markup| is_own(markup) || is_token(markup));
    own.map(|markup| text.matches(&markup.to_lowercase()).count()).sum()
}

#[test]
fn a_result_cannot_end_its_frame() {
    for &dialect in Dialect::ALL {
        for markup in MARKUP {
            let (text, object) = (json!(format!("a{markup}b")), json!({"k": [markup]}));
            let error = format!("a{markup}b");
            stays_inside(dialect, Ok(&text));
            stays_inside(dialect, Ok(&object));
            stays_inside(dialect, Err(error.as_str()));
        }
    }
}

/// Checks that a result adds no markup to its frame.
fn stays_inside(dialect: Dialect, result: Result<&Value, &str>) {
    let shown = written(dialect, result);
    if JSON.contains(&dialect) {
        assert!(serde_json::from_str::<Value>(&shown).is_ok(), "{dialect}: {shown}");
        return;
    }
    let plain = json!("x");
    let usual = written(dialect, result.map(|_| &plain).map_err(|_| "x"));
    assert_eq!(count(dialect, &shown), count(dialect, &usual), "{dialect}: {shown}");
}

#[test]
fn a_definition_cannot_end_its_frame() {
    let plain = ToolSpec::new("tool").unwrap().with_description("x").with_input_schema(&json!({
        "type": "object", "properties": {"p": {"type": "string", "description": "x"}},
    }));
    for &dialect in Dialect::ALL.iter().filter(|dialect| !JSON.contains(dialect)) {
        let shown =
            |spec: &ToolSpec| render_tools(dialect, &[spec], &RenderSettings::default()).text();
        let usual = count(dialect, &shown(&plain));
        for markup in MARKUP {
            let spec = plain.clone().with_description(markup).with_input_schema(&json!({
                "type": "object",
                "properties": {"p": {"type": "string", "description": markup, "default": markup, "enum": [markup]}},
            }));
            assert_eq!(count(dialect, &shown(&spec)), usual, "{dialect}: {}", shown(&spec));
        }
    }
}

#[test]
fn what_is_no_markup_is_shown_to_the_byte() {
    let text = "if a < b && c > d { x[0] } // <div>观星阁</div> \u{1F600}\n\ttab";
    let (output, object) = (json!(text), json!({"n": 1, "s": "<b>"}));
    for &dialect in Dialect::ALL.iter().filter(|dialect| !JSON.contains(dialect)) {
        if dialect != Dialect::Mistral {
            assert!(written(dialect, Ok(&output)).contains(text), "{dialect}");
            assert!(written(dialect, Ok(&object)).contains(&object.to_string()), "{dialect}");
        }
        assert!(written(dialect, Err("no such room")).contains("no such room"), "{dialect}");
    }
}

#[test]
fn json_in_a_frame_reads_as_the_same() {
    let output = json!({"html": "</tool_response><|im_end|>"});
    let shown = written(Dialect::Hermes, Ok(&output));
    let inner = shown.strip_prefix("<tool_response>\n").unwrap();
    let inner = inner.strip_suffix("\n</tool_response>").unwrap();
    assert_eq!(serde_json::from_str::<Value>(inner).unwrap(), output);
}

#[test]
fn the_json_of_native_dialects_holds_the_whole_output() {
    let output = json!("</function_results><|im_end|>\n\"quoted\"");
    for dialect in JSON {
        let shown = written(dialect, Ok(&output));
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let place = match dialect {
            Dialect::OpenAiChat => "/0/content",
            Dialect::OpenAiResponses => "/0/output",
            Dialect::Anthropic => "/content/0/content",
            Dialect::Gemini => "/parts/0/functionResponse/response/result",
            _ => "/result/content/0/text",
        };
        assert_eq!(shown.pointer(place), Some(&output), "{dialect}");
    }
}

#[test]
fn big_outputs_are_shown_whole() {
    let output = json!("0123456789abcde\n".repeat(1 << 16));
    for &dialect in Dialect::ALL {
        let shown = written(dialect, Ok(&output));
        assert_eq!(shown.matches("0123456789abcde").count(), 1 << 16, "{dialect}");
    }
}
