//! A call written as one JSON object with the name and the arguments in it.

use serde_json::{Map, Value};

use super::{Span, Step};
use crate::{
    CallState, Fix, JsonScanner, ProblemKind, Repairs,
    cursor::Cursor,
    json::{read_arguments, read_plain},
    output::{Begun, Output},
    repair,
};

const NAMES: [&str; 3] = ["name", "tool", "tool_name"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
const IDS: [&str; 3] = ["id", "call_id", "tool_call_id"];

/// A call such as `{"name": "add", "arguments": {"a": 1}}`, as it arrives.
#[derive(Debug)]
pub(crate) struct ObjectCall {
    span: Span,
    members: Members,
    call: Option<Begun>,
    bare: Bare,
    /// How much of the text has been streamed as arguments.
    streamed: usize,
}

/// What became of an object that is over.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It was a call, or began as one.
    Call,
    /// It was none; this is its text and where that begins.
    Text(String, usize),
}

/// How far an object was read.
#[derive(Debug)]
pub(crate) enum ObjectEnd {
    /// There is no more text for now.
    More(Box<ObjectCall>),
    /// It is over.
    Over(Ended),
    /// The text ended first.
    CutOff(Ended),
}

impl ObjectCall {
    /// Begins an object at a place in the whole input.
    pub(crate) fn new(start: usize, bare: Bare) -> Box<Self> {
        let members = Members::default();
        Box::new(Self { span: Span::new(start), members, call: None, bare, streamed: 0 })
    }

    /// Reads on, and ends the object where its text ends.
    pub(crate) fn read(
        mut self: Box<Self>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        enders: &[&str],
    ) -> ObjectEnd {
        match self.follow(cursor, out, enders) {
            Step::Over | Step::Stopped => ObjectEnd::Over(self.finish(out)),
            Step::More if cursor.is_last() => ObjectEnd::CutOff(self.cut_off(out)),
            Step::More => ObjectEnd::More(self),
        }
    }

    /// Begins the call once its name and the start of its arguments are there.
    fn follow(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>, enders: &[&str]) -> Step {
        let step = self.span.read(cursor, enders);
        self.members.follow(&self.span.raw);
        if let Some((name, id)) = self.members.ready.take()
            && self.bare.may_call(&name, out)
        {
            self.call = Some(out.begin(&name, id.as_deref(), self.span.start));
        }
        self.stream(out);
        step
    }

    fn stream(&mut self, out: &mut Output<'_>) {
        let (Some(call), Some((start, end))) = (&self.call, self.members.arguments) else { return };
        let from = self.streamed.max(start);
        let piece = self.span.raw.get(from..end).unwrap_or_default();
        out.arguments(call, None, piece);
        self.streamed = end;
    }

    /// Ends the object: it is over, or an end marker says so.
    fn finish(mut self, out: &mut Output<'_>) -> Ended {
        let Some(fields) = self.fields(out) else { return self.give_up(out) };
        let fields = unwrapped(fields);
        let name = text_of(&fields, &NAMES).or_else(|| text_of(&fields, &["function"]));
        let arguments = ARGUMENTS.iter().find_map(|key| fields.get(*key));
        let Some(name) = name.filter(|name| {
            self.bare == Bare::IsCall || (arguments.is_some() && self.bare.may_call(name, out))
        }) else {
            return self.give_up(out);
        };
        let range = self.span.start..self.span.end();
        if self.members.is_repeated {
            let message = "the arguments were given twice; one of them holds";
            out.problem(ProblemKind::RepeatedParameter, range.clone(), message);
        }
        let id = text_of(&fields, &IDS);
        let call = match self.call.take() {
            Some(call) => call.with_late_id(id.as_deref()),
            None => out.begin(&name, id.as_deref(), range.start),
        };
        let (arguments, state) = match arguments {
            None => (Value::Object(Map::new()), CallState::Complete),
            Some(object @ Value::Object(_)) => (object.clone(), CallState::Complete),
            Some(other) => read_arguments(&other.to_string(), range.clone(), out),
        };
        out.end(call, arguments, state, range.end);
        Ended::Call
    }

    /// Ends the object where the text ends before it does.
    fn cut_off(self, out: &mut Output<'_>) -> Ended {
        let end = self.span.end();
        let Some(call) = self.call else {
            out.problem(
                ProblemKind::UnfinishedCall,
                self.span.start..end,
                "what looks like the start of a call is not finished, so it is text",
            );
            return Ended::Text(self.span.raw, self.span.start);
        };
        let (start, arguments) = self.members.arguments.unwrap_or((end, end));
        let raw = self.span.raw.get(start..arguments).unwrap_or_default().to_owned();
        out.cut_off(call, Value::String(raw), end);
        Ended::Call
    }

    fn fields(&self, out: &mut Output<'_>) -> Option<Map<String, Value>> {
        let range = self.span.start..self.span.end();
        let value = match read_plain(&self.span.raw) {
            Ok((value, is_repeated)) => {
                // Where all the arguments are repeated, that alone is said.
                if is_repeated && !self.members.is_repeated {
                    let fix = Fix::RepeatedKey;
                    out.problem(fix.kind(), range, fix.as_str());
                }
                value
            }
            Err(_) if out.settings.repairs == Repairs::Refuse => return None,
            Err(_) => {
                let repaired = repair(&self.span.raw)?;
                for fix in repaired.fixes {
                    out.problem(fix.kind(), range.clone(), fix.as_str());
                }
                repaired.value
            }
        };
        match value {
            Value::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// Ends what cannot be read: a begun call is set aside, the rest is text again.
    fn give_up(self, out: &mut Output<'_>) -> Ended {
        let range = self.span.start..self.span.end();
        let Some(call) = self.call else {
            if self.bare == Bare::IsCall {
                let message = "this stands where a call is expected, and is none; it is text";
                out.problem(ProblemKind::MalformedInput, range, message);
            }
            return Ended::Text(self.span.raw, self.span.start);
        };
        out.problem(
            ProblemKind::UnreadableArguments,
            range.clone(),
            "the call is not a JSON object, and cannot be repaired; write it as one, with quotes inside strings escaped",
        );
        out.end(call, Value::String(self.span.raw), CallState::Unreadable, range.end);
        Ended::Call
    }
}

/// What an object is that may be a call or mere JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    /// A call, even without arguments: a marker stands before it.
    IsCall,
    /// Text, unless it has arguments and names a tool: any JSON may have a name in it.
    IsText,
}

impl Bare {
    fn may_call(self, name: &str, out: &Output<'_>) -> bool {
        self == Self::IsCall || out.tools.has(name)
    }
}

/// Unpacks `{"type": "function", "function": {…}}`.
fn unwrapped(mut fields: Map<String, Value>) -> Map<String, Value> {
    match fields.remove("function") {
        Some(Value::Object(mut inner)) => {
            if let Some(id) = fields.remove("id") {
                inner.entry("id").or_insert(id);
            }
            inner
        }
        Some(other) => {
            fields.insert("function".to_owned(), other);
            fields
        }
        None => fields,
    }
}

fn text_of(fields: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| fields.get(*key)?.as_str()).map(str::to_owned)
}

/// Follows the members of the object while it arrives; loses its way in near-JSON, harmlessly.
#[derive(Debug, Default)]
struct Members {
    place: Place,
    /// How much of the text it has seen.
    seen: usize,
    name: Option<String>,
    id: Option<String>,
    /// Where the arguments begin, and how far they have come.
    arguments: Option<(usize, usize)>,
    /// Arguments are given twice.
    is_repeated: bool,
    /// The name and the identifier, once, when the call can begin.
    ///
    /// Taken at that very byte, so that it does not matter how much text arrives at once.
    ready: Option<(String, Option<String>)>,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Before,
    BeforeKey,
    Key(usize, JsonScanner),
    BeforeValue(String),
    Value(String, usize, JsonScanner),
    Lost,
}

impl Members {
    fn follow(&mut self, raw: &str) {
        while let Some(rest) = raw.get(self.seen..).filter(|rest| !rest.is_empty()) {
            let place = std::mem::replace(&mut self.place, Place::Lost);
            self.place = self.step(place, rest, raw);
        }
    }

    fn step(&mut self, place: Place, rest: &str, raw: &str) -> Place {
        let first = rest.bytes().next().unwrap_or_default();
        match place {
            Place::Key(start, mut scanner) => {
                let over = scanner.feed(rest);
                self.seen += over.unwrap_or(rest.len());
                match over {
                    None => Place::Key(start, scanner),
                    Some(_) => self.string(start, raw).map_or(Place::Lost, Place::BeforeValue),
                }
            }
            Place::Value(key, start, mut scanner) => {
                let over = scanner.feed(rest);
                self.seen += over.unwrap_or(rest.len());
                self.settle(&key, start, raw, over.is_some());
                if over.is_some() { Place::BeforeKey } else { Place::Value(key, start, scanner) }
            }
            Place::Lost => {
                self.seen = raw.len();
                Place::Lost
            }
            Place::BeforeKey if first == b'"' => Place::Key(self.seen, JsonScanner::default()),
            Place::BeforeValue(key) if first == b':' || first.is_ascii_whitespace() => {
                self.seen += 1;
                Place::BeforeValue(key)
            }
            Place::BeforeValue(key) => {
                // The name of a nested `function` object is read when the object is over.
                Place::Value(key, self.seen, JsonScanner::default())
            }
            Place::Before if first == b'{' => {
                self.seen += 1;
                Place::BeforeKey
            }
            Place::Before | Place::BeforeKey if first == b',' || first.is_ascii_whitespace() => {
                self.seen += 1;
                place
            }
            Place::Before | Place::BeforeKey => Place::Lost,
        }
    }

    fn settle(&mut self, key: &str, start: usize, raw: &str, is_over: bool) {
        let could_begin = self.can_begin();
        if ARGUMENTS.contains(&key) {
            // Only the first are streamed: which come later must not depend on the cuts.
            match &mut self.arguments {
                Some((first, end)) if *first == start => *end = self.seen,
                Some(_) => self.is_repeated = true,
                None => self.arguments = Some((start, self.seen)),
            }
        } else if is_over && NAMES.contains(&key) && self.name.is_none() {
            self.name = self.string(start, raw);
        } else if is_over && IDS.contains(&key) && self.id.is_none() {
            self.id = self.string(start, raw);
        }
        if !could_begin && self.can_begin() {
            self.ready = self.name.clone().map(|name| (name, self.id.clone()));
        }
    }

    fn can_begin(&self) -> bool {
        self.name.is_some() && self.arguments.is_some()
    }

    fn string(&self, start: usize, raw: &str) -> Option<String> {
        serde_json::from_str(raw.get(start..self.seen)?).ok()
    }
}
