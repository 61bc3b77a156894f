//! Reads texts in pieces, and joins what the cuts have parted.

use toolsmith_dialects::{Dialect, Event, Parser, Reply, Settings, Tools};

/// The most text that a parser may leave unread, whatever the text is: twice the longest look ahead.
const LONGEST: usize = 2_048;

/// How texts are read in one case.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) dialect: Dialect,
    pub(super) tools: Tools,
    pub(super) settings: Settings,
}

impl Reading {
    /// Reads a text in pieces; events that touch are one.
    pub(super) fn events<'a>(
        &self,
        pieces: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Event<'static>> {
        let mut parser = Parser::new(self.dialect, self.tools.clone(), self.settings.clone());
        let mut events = Vec::new();
        for piece in pieces {
            parser.push_with(piece, &mut |event| join(&mut events, event));
            let unread = parser.unread();
            assert!(unread <= LONGEST, "{unread} bytes are left unread behind {piece:?}");
        }
        parser.finish_with(&mut |event| join(&mut events, event));
        events
    }

    /// Reads a whole text at once.
    pub(super) fn reply(&self, text: &str) -> Reply {
        toolsmith_dialects::parse(self.dialect, text, &self.tools, &self.settings)
    }
}

/// Puts events together as a reply.
pub(super) fn to_reply(events: &[Event<'static>]) -> Reply {
    let mut reply = Reply::default();
    for event in events {
        reply.add(event.clone());
    }
    reply
}

fn join(events: &mut Vec<Event<'static>>, event: Event<'_>) {
    match (events.last_mut(), &event) {
        (Some(Event::Text { text, range }), Event::Text { text: more, range: more_range })
        | (
            Some(Event::Reasoning { text, range }),
            Event::Reasoning { text: more, range: more_range },
        ) if range.end == more_range.start => {
            text.to_mut().push_str(more);
            range.end = more_range.end;
        }
        (
            Some(Event::Arguments { index, parameter, text }),
            Event::Arguments { index: more_index, parameter: more_parameter, text: more },
        ) if (&*index, &*parameter) == (more_index, more_parameter) => {
            text.to_mut().push_str(more);
        }
        _ => events.push(event.into_owned()),
    }
}
