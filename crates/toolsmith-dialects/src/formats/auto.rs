//! Finds out which dialect a reply is written in, by what opens its calls.

use toolsmith_core::ToolSpec;

use super::reading::{Lead, Strings};
use crate::{
    Dialect, ProblemKind, RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    cursor::{Cursor, Look, More},
    format::{Format, Machine},
    output::Output,
    prose::{Bytes, Prose, Starts},
};

/// The bytes that open a call in one dialect or another.
pub(crate) const STARTS: Starts = Starts::AnyOf(&BYTES);
static BYTES: Bytes = Bytes::starts(b"<[{");

/// The dialects whose calls are members of a server's answer.
const ANSWERS: &[Dialect] = &[
    Dialect::OpenAiChat,
    Dialect::OpenAiResponses,
    Dialect::Anthropic,
    Dialect::Gemini,
    Dialect::Mcp,
];

/// Whichever dialect the text turns out to be; writes XML, which every model reads.
pub(crate) struct Auto;

impl Format for Auto {
    fn machine(&self) -> Box<dyn Machine> {
        Box::new(Detector::default())
    }

    fn definitions(&self, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
        Dialect::Xml.format().definitions(tools, settings)
    }

    fn calls(&self, calls: &[ShownCall<'_>], tools: &Tools) -> String {
        Dialect::Xml.format().calls(calls, tools)
    }

    fn results(&self, results: &[ShownResult<'_>]) -> String {
        Dialect::Xml.format().results(results)
    }
}

/// Reads prose until a dialect claims what follows, and leaves that to it.
///
/// The prose behind its calls is read by that dialect too, until another one claims something.
#[derive(Debug)]
struct Detector {
    /// What may be the start of a server's stream, at the start of the reply.
    lead: Option<Lead>,
    prose: Prose,
    chosen: Option<Box<dyn Machine>>,
}

impl Default for Detector {
    fn default() -> Self {
        Self { lead: Some(Lead::default()), prose: Prose::default(), chosen: None }
    }
}

impl Machine for Detector {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        if let Some(machine) = &mut self.chosen {
            machine.advance(cursor, out);
            let Some(prose) = machine.prose().and_then(Prose::hand_over) else { return false };
            self.prose = prose;
            self.chosen = None;
            return true;
        }
        if let Some(lead) = self.lead.take() {
            return self.begin(lead, cursor, out);
        }
        let Some(fits) = self.prose.read(cursor, out, STARTS, look) else { return false };
        self.choose(&fits, cursor, out);
        true
    }
}

impl Detector {
    /// Reads the start of the reply: a server's answer, or prose.
    fn begin(&mut self, mut lead: Lead, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match lead.read(cursor, look_answer) {
            Look::Undecided => {
                self.lead = Some(lead);
                return false;
            }
            Look::Yes(fits) => self.choose(&fits, cursor, out),
            Look::No => {
                let text = lead.into_text();
                self.prose.give_back(&text, cursor.offset() - text.len(), out);
            }
        }
        true
    }

    fn choose(&mut self, fits: &[Dialect], cursor: &Cursor<'_>, out: &mut Output<'_>) {
        let Some(&dialect) = fits.first() else { return };
        if fits.len() > 1 {
            let names: Vec<_> = fits.iter().map(|dialect| dialect.as_str()).collect();
            out.problem(
                ProblemKind::Ambiguous,
                cursor.range(1),
                format!("this reads as {}; it was read as {dialect}", names.join(" or as ")),
            );
        }
        let mut machine = dialect.format().machine();
        if let Some(prose) = machine.prose() {
            *prose = std::mem::take(&mut self.prose);
            prose.watch(dialect);
        }
        self.chosen = Some(machine);
    }
}

/// Asks every dialect; undecided as long as one of them is, so that no order of arrival decides.
pub(crate) fn look(text: &str, more: More) -> Look<Vec<Dialect>> {
    let mut fits = match look_answer(text, more) {
        Look::Yes(fits) => fits,
        Look::Undecided => return Look::Undecided,
        Look::No => Vec::new(),
    };
    for &dialect in candidates(text) {
        match dialect.format().claims(text, more) {
            Look::Undecided => return Look::Undecided,
            Look::Yes(()) => fits.push(dialect),
            Look::No => {}
        }
    }
    if fits.is_empty() { Look::No } else { Look::Yes(fits) }
}

/// Asks the dialects of servers.
fn look_answer(text: &str, more: More) -> Look<Vec<Dialect>> {
    if !text.starts_with(['{', '[']) {
        return Look::No;
    }
    Strings::look(text, more).and_then(|strings| {
        let mut fits = strings.parts().map(|part| {
            let has = |dialect: &&Dialect| part.have(dialect.format().marks());
            ANSWERS.iter().filter(has).copied().collect::<Vec<_>>()
        });
        fits.find(|fits| !fits.is_empty()).map_or(Look::No, Look::Yes)
    })
}

/// Returns the dialects of raw text that may begin so; the first two bytes rule most of them out.
fn candidates(text: &str) -> &'static [Dialect] {
    use Dialect::{
        DeepSeekV3, DeepSeekV31, Glm, Harmony, Hermes, Kimi, LlamaJson, LlamaPython, Mistral,
        MistralCompact, QwenCoder, Xml,
    };
    match (text.as_bytes().first(), text.as_bytes().get(1)) {
        (Some(b'{'), _) => &[LlamaJson],
        (Some(b'['), Some(b'T') | None) => &[Mistral, MistralCompact, LlamaPython],
        (Some(b'['), Some(b'[' | b'{' | b']' | b'"')) => &[],
        (Some(b'['), _) => &[LlamaPython],
        (_, None) => &[Xml],
        (_, Some(b'|')) => &[Kimi, Harmony, LlamaJson, LlamaPython],
        (_, Some(b't')) => &[Xml, Hermes, QwenCoder, Glm],
        (_, Some(b'f')) => &[Xml, QwenCoder, LlamaPython],
        (_, Some(b'l')) => &[Xml, Hermes],
        (_, Some(b'p')) => &[Xml, QwenCoder],
        (_, Some(0xEF)) => &[Xml, DeepSeekV3, DeepSeekV31],
        (_, Some(byte)) if byte.is_ascii_alphanumeric() || *byte == b'_' => &[Xml],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::samples::read_answer;
    use crate::{
        Dialect, ProblemKind, Reply, Settings, ShownCall, Tools, laws, parse, render_calls,
    };

    fn tools() -> Tools {
        let schema =
            json!({"properties": {"count": {"type": "integer"}, "text": {"type": "string"}}});
        Tools::of_schemas([("add", &schema)])
    }

    fn read(text: &str) -> Reply {
        laws::any_split_gives_the_same(Dialect::Auto, text, &tools());
        laws::events_are_in_order(Dialect::Auto, text, &tools());
        parse(Dialect::Auto, text, &tools(), &Settings::default())
    }

    #[test]
    fn the_dialect_of_a_call_is_found_by_what_it_looks_like() {
        let arguments = json!({"count": 2, "text": "观星阁 <b>"});
        for &dialect in Dialect::ALL {
            let call = ShownCall { id: Some("call_1"), name: "add", arguments: &arguments };
            let text = render_calls(dialect, &[call], &tools());
            let reply = read(&text);
            let calls: Vec<_> =
                reply.calls.iter().map(|c| (c.name.as_str(), &c.arguments)).collect();
            assert_eq!(calls, [("add", &arguments)], "{dialect}: {text}\n{:?}", reply.problems);
        }
    }

    #[test]
    fn prose_stays_prose() {
        for text in [
            "",
            "Just an answer.",
            "{\"a\": [1, 2]}",
            "[1, 2, 3] and <b>bold</b> and {braces}",
            "```xml\n<function_calls><invoke name=\"add\"></invoke></function_calls>\n```",
            "f(x) = [a] (b=1)",
        ] {
            let reply = read(text);
            assert_eq!(reply.text(), text);
            assert_eq!(reply.calls, [], "{text}");
        }
    }

    #[test]
    fn calls_of_several_dialects_in_one_reply_are_all_read() {
        let arguments = json!({"count": 2, "text": "x"});
        let call = ShownCall { id: None, name: "add", arguments: &arguments };
        let raw = || {
            Dialect::ALL.iter().filter(|dialect| {
                !super::ANSWERS.contains(dialect) && **dialect != Dialect::Harmony
            })
        };
        for &first in raw() {
            for &second in raw() {
                let one = render_calls(first, &[call], &tools());
                let other = render_calls(second, &[call], &tools());
                let reply = read(&format!("One.\n{one}\nTwo.\n{other}\nThree.\n{one}\n"));
                assert_eq!(reply.calls.len(), 3, "{first} {second}: {:?}", reply.problems);
                let text: String = reply.text().split_whitespace().collect();
                assert_eq!(text, "One.Two.Three.", "{first} {second}");
            }
        }
    }

    #[test]
    fn a_call_in_a_line_that_begins_like_an_event_is_a_call() {
        let call = r#"{"content":[{"type":"tool_use","name":"add","input":{}}]}"#;
        for text in [format!("event: so {call}"), format!("event: so {call}\nmore\n")] {
            assert_eq!(read(&text).calls.len(), 1, "{text}");
        }
    }

    #[test]
    fn a_stream_of_events_leaves_no_framing_in_the_text() {
        let chunk = |content: &str| {
            format!(
                "data: {{\"object\": \"chat.completion.chunk\", \"choices\": [{{\"index\": 0, \"delta\": {{\"content\": \"{content}\"}}}}]}}\n\n"
            )
        };
        let text = format!(
            ": keep-alive\n\nevent: message\r\nid: 7\nretry: 10\n{}{}data: [DONE]\n\n",
            chunk("Good "),
            chunk("day.")
        );
        for dialect in [Dialect::Auto, Dialect::OpenAiChat] {
            let reply = parse(dialect, &text, &tools(), &Settings::default());
            assert_eq!((reply.text().as_str(), &*reply.problems), ("Good day.", &[][..]));
        }
        read(&text[..text.len() / 2]);
    }

    #[test]
    fn the_first_document_decides_alone() {
        let first = r#"{"content":[{"type":"tool_use","name":"add","input":{}}]}"#;
        let second = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","name":"add","arguments":""}}"#;
        for text in
            [format!("{first}{second}"), format!("[{first}{second}"), format!("[{first},{second}]")]
        {
            let reply = read(&text);
            assert_eq!(reply.calls.len(), 1, "{text}");
            laws::no_prefix_invents_a_call(Dialect::Auto, &text, &tools());
        }
    }

    #[test]
    fn a_list_is_known_by_the_first_object_that_tells() {
        let text = r#"[{"type":"text","text":"So."},{"type":"tool_use","name":"add","input":{}}]"#;
        let reply = read_answer(Dialect::Auto, text);
        assert_eq!((reply.text().as_str(), reply.calls.len()), ("So.", 1));
    }

    #[test]
    fn a_call_inside_an_object_that_is_cut_off_is_none() {
        let inner = r#"{"content":[{"type":"tool_use","name":"add","input":{}}]}"#;
        let text = format!(r#"{{"jsonrpc":"2.0 ","me{inner}thod":"tools/call"}}"#);
        laws::no_prefix_invents_a_call(Dialect::Auto, &text, &tools());
        let reply = read(text.split_once("/call").unwrap().0);
        assert_eq!(reply.calls, []);
        assert_eq!(reply.problems[0].kind, ProblemKind::UnfinishedCall);
    }

    #[test]
    fn prose_that_begins_like_a_stream_stays_prose() {
        for text in [
            "data: none",
            "event: dinner\nwhere: here",
            ": a comment\n\n\n",
            "id: 5\ndata: {\"a\": 1}\n",
            "data: [DONE]",
            "  \n",
            "event: x",
        ] {
            let reply = read(text);
            assert_eq!(reply.text(), text);
        }
    }

    #[test]
    fn one_choice_is_not_called_ambiguous() {
        let text = "Now.\n<function_calls>\n<invoke name=\"add\">\n<parameter name=\"count\">1</parameter>\n</invoke>\n</function_calls>";
        let reply = read(text);
        assert_eq!(reply.calls[0].arguments, json!({"count": 1}));
        assert!(reply.problems.iter().all(|problem| problem.kind != ProblemKind::Ambiguous));
    }
}
