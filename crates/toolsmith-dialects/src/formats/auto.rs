//! Finds out which dialect a reply is written in, by what opens its first call.

use toolsmith_core::ToolSpec;

use crate::{
    Dialect, ProblemKind, RenderSettings, Rendering, ShownCall, ShownResult, Tools,
    cursor::{Cursor, Look, More},
    format::{Format, Machine},
    output::Output,
    prose::{Prose, Starts},
};

/// The bytes that open a call in one dialect or another.
const STARTS: Starts = Starts::AnyOf(b"<[{");

/// Whichever dialect the text turns out to be; writes XML, which every model reads.
pub(crate) struct Auto;

impl Format for Auto {
    fn claims(&self, _text: &str, _more: More) -> Look<()> {
        Look::No
    }

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

/// Reads prose until a dialect claims what follows, and then leaves the rest to that dialect.
#[derive(Debug, Default)]
struct Detector {
    prose: Prose,
    chosen: Option<Box<dyn Machine>>,
}

impl Machine for Detector {
    fn advance(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) {
        if self.chosen.is_none() {
            let Some(fits) = self.prose.read(cursor, out, STARTS, look) else { return };
            let Some(dialect) = fits.first() else { return };
            if fits.len() > 1 {
                let names: Vec<_> = fits.iter().map(|dialect| dialect.as_str()).collect();
                out.problem(
                    ProblemKind::Ambiguous,
                    cursor.range(1),
                    format!("this reads as {}; it was read as {dialect}", names.join(" or as ")),
                );
            }
            self.chosen = Some(dialect.format().machine());
        }
        if let Some(machine) = &mut self.chosen {
            machine.advance(cursor, out);
        }
    }
}

/// Asks every dialect; undecided as long as one of them is, so that no order of arrival decides.
fn look(text: &str, more: More) -> Look<Vec<Dialect>> {
    let mut fits = Vec::new();
    for &dialect in Dialect::ALL {
        match dialect.format().claims(text, more) {
            Look::Undecided => return Look::Undecided,
            Look::Yes(()) => fits.push(dialect),
            Look::No => {}
        }
    }
    if fits.is_empty() { Look::No } else { Look::Yes(fits) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn one_choice_is_not_called_ambiguous() {
        let text = "Now.\n<function_calls>\n<invoke name=\"add\">\n<parameter name=\"count\">1</parameter>\n</invoke>\n</function_calls>";
        let reply = read(text);
        assert_eq!(reply.calls[0].arguments, json!({"count": 1}));
        assert!(reply.problems.iter().all(|problem| problem.kind != ProblemKind::Ambiguous));
    }
}
