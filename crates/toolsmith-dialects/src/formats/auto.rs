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
