//! A well-formed reply with ten calls, in any format.

use serde_json::{Value, json};
use toolsmith_dialects::{Dialect, ShownCall, Tools, render_calls};

use crate::cases::Definition;

/// A reply, and the tool that it calls.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) text: String,
    pub(crate) tools: Tools,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) arguments: Vec<Value>,
}

const CALLS: usize = 10;
const TOOL: &str = "write_note";
const INTRODUCTION: &str = "I will write down what we found, a note for each place, and then look at the list as a whole.\n\n";

impl Sample {
    /// Makes a reply in XML of about 6 kB whose calls have three parameters: a path, a number, text.
    pub(crate) fn xml() -> Self {
        Self::with(Dialect::Xml, |number| {
            let mut fields = arguments(number);
            fields["text"] = json!(sentence(number).repeat(3));
            fields.as_object_mut().into_iter().for_each(|fields| {
                fields.retain(|name, _| matches!(name.as_str(), "path" | "line" | "text"));
            });
            fields
        })
    }

    /// Makes a reply in any dialect whose calls have five parameters, a flag and a list among them.
    pub(crate) fn of(dialect: Dialect) -> Self {
        Self::with(dialect, arguments)
    }

    fn with(dialect: Dialect, arguments: impl Fn(usize) -> Value) -> Self {
        let schema = json!({"type": "object", "properties": {
            "path": {"type": "string"},
            "line": {"type": "integer"},
            "is_draft": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "text": {"type": "string"},
        }});
        let tools = Tools::of_schemas([(TOOL, &schema)]);
        let arguments: Vec<Value> = (0..CALLS).map(arguments).collect();
        let calls: Vec<ShownCall<'_>> = arguments
            .iter()
            .map(|arguments| ShownCall { id: None, name: TOOL, arguments })
            .collect();
        let text = format!("{INTRODUCTION}{}", render_calls(dialect, &calls, &tools));
        let definitions = vec![Definition { name: TOOL.to_owned(), parameters: schema }];
        Self { text, tools, definitions, arguments }
    }

    /// Writes the tags of XML in the spelling of a model family.
    pub(crate) fn respelled(mut self, format: &str) -> Self {
        let wrapper = match format {
            "minimax_m2_invoke" => "minimax:tool_call",
            "deepseek_v32_dsml" => "｜DSML｜function_calls",
            "deepseek_v4_dsml" => "｜DSML｜tool_calls",
            _ => return self,
        };
        let mut text = self.text.replace("function_calls>", &format!("{wrapper}>"));
        if format != "minimax_m2_invoke" {
            for tag in ["invoke", "parameter"] {
                text = text
                    .replace(&format!("<{tag}"), &format!("<｜DSML｜{tag}"))
                    .replace(&format!("</{tag}"), &format!("</｜DSML｜{tag}"));
            }
            for (name, is_string) in [
                ("path", true),
                ("text", true),
                ("line", false),
                ("is_draft", false),
                ("tags", false),
            ] {
                let with = format!("name=\"{name}\" string=\"{is_string}\"");
                text = text
                    .replace(&format!("parameter name=\"{name}\""), &format!("parameter {with}"));
            }
        }
        self.text = text;
        self
    }
}

fn sentence(number: usize) -> String {
    format!(
        "Note {number}: the section on page {} says that every reply is read piece by piece, \
         and that what belongs to no call is handed on as it stands.\n",
        number * 7 + 3
    )
}

/// The arguments of one call: texts without markup, so that any XML parser reads them.
fn arguments(number: usize) -> Value {
    json!({
        "path": format!("notes/chapter-{number}/summary.md"),
        "line": number * 12 + 1,
        "is_draft": number % 2 == 0,
        "tags": ["reading", "chapter", format!("part-{number}")],
        "text": sentence(number).repeat(2),
    })
}

/// Cuts a text into pieces of at most so many bytes, never inside a character.
pub(crate) fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(text.len() / size + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(size));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}
