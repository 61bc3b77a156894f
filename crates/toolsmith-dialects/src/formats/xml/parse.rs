//! The reader of XML: prose, blocks, calls, and values, in this order inwards.

use toolsmith_core::Text;

use super::{
    call::{Call, Stage},
    known::Known,
    tag::{Kind, Side, Tag, look_tag, look_tool_name, proves_call},
};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
    prose::{Prose, Starts},
};

/// How much white space auto-detection looks past behind a wrapper.
const LONGEST_GAP: usize = 64;

/// Looks whether a text starts with a call of this dialect.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    let (len, kind) = match look_tag(text, more) {
        Look::Yes(tag) if tag.side == Side::Open => (tag.len, tag.kind),
        Look::Undecided => return Look::Undecided,
        Look::Yes(_) | Look::No => return Look::No,
    };
    if kind != Kind::Wrapper {
        return if kind == Kind::Invoke { Look::Yes(()) } else { Look::No };
    }
    let behind = text.get(len..).unwrap_or_default();
    let ahead = behind.trim_ascii_start();
    if behind.len() - ahead.len() > LONGEST_GAP {
        return Look::No;
    }
    match look_tag(ahead, more) {
        Look::Yes(tag) if tag.is(Kind::Invoke, Side::Open) => Look::Yes(()),
        Look::Undecided => Look::Undecided,
        Look::Yes(_) | Look::No => Look::No,
    }
}

/// The reader of XML.
#[derive(Debug, Default)]
pub(super) struct Reader {
    prose: Prose,
    state: State,
    block: Block,
    has_called: bool,
    has_noted_bare: bool,
}

/// Whether the text is inside a block of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Block {
    /// It is not.
    #[default]
    Outside,
    /// It is.
    Inside,
    /// It is not, but an end tag may come: for a block that was left, or was never opened.
    Owed,
}

#[derive(Debug, Default)]
enum State {
    /// Outside.
    #[default]
    Text,
    /// Behind a result that the model made up: everything is text.
    Invented,
    /// Behind an opening tag that is a mention until something proves it a call.
    Opened(Opened),
    /// In a block between calls, behind this space.
    Block(String),
    /// In a call.
    Call(Box<Call>),
}

/// Opening tags that are not yet proven.
#[derive(Debug)]
struct Opened {
    /// Where they begin in the whole input.
    start: usize,
    /// What was read since.
    held: String,
    /// The tag of the call, if there is one.
    invoke: Option<Head>,
}

/// The tag of a call.
#[derive(Debug)]
struct Head {
    name: Option<Text>,
    id: Option<Text>,
    prefix: Text,
    start: usize,
}

impl Head {
    fn of(tag: &Tag<'_>, start: usize) -> Self {
        let (name, id) = (tag.name.map(Text::from), tag.id.map(Text::from));
        Self { name, id, prefix: tag.prefix.into(), start }
    }
}

/// Whether there is more to do with the text at hand.
#[derive(PartialEq, Eq)]
enum Step {
    Go,
    Wait,
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let step = match std::mem::take(&mut self.state) {
            State::Text => self.text(cursor, out),
            State::Invented => {
                self.state = State::Invented;
                let start = cursor.offset();
                out.text(cursor.take(cursor.rest().len()), start);
                Step::Wait
            }
            State::Opened(opened) => self.opened(opened, cursor, out),
            State::Block(space) => self.block(space, cursor, out),
            State::Call(call) => self.call(call, cursor, out),
        };
        step == Step::Go
    }

    fn prose(&mut self) -> Option<&mut Prose> {
        Some(&mut self.prose)
    }
}

impl Reader {
    fn wait(&mut self, state: State) -> Step {
        self.state = state;
        Step::Wait
    }

    fn go(&mut self, state: State) -> Step {
        self.state = state;
        Step::Go
    }

    fn text(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> Step {
        let has_called = self.has_called;
        let look = |text: &str, more| look_outside(text, more, has_called);
        if self.prose.read(cursor, out, Starts::Angle, look).is_none() {
            return Step::Wait;
        }
        let Look::Yes(tag) = look_tag(cursor.rest(), cursor.more()) else { return Step::Wait };
        let start = cursor.offset();
        let range = cursor.range(tag.len);
        if tag.kind == Kind::Results {
            let message = "the model wrote a result itself; what follows its call is text";
            out.problem(ProblemKind::InventedResult, range, message);
            return self.go(State::Invented);
        }
        let text = cursor.take(tag.len);
        self.prose.pass(text);
        if tag.side == Side::Close {
            if tag.kind == Kind::Wrapper && std::mem::take(&mut self.block) == Block::Owed {
                return Step::Go;
            }
            let message = "an end tag without its beginning was left in the text";
            out.problem(ProblemKind::StrayTag, range, message);
            out.text(text, start);
            return Step::Go;
        }
        let invoke = (tag.kind == Kind::Invoke).then(|| Head::of(&tag, start));
        if invoke.is_none() {
            self.block = Block::Inside;
        }
        self.go(State::Opened(Opened { start, held: text.to_owned(), invoke }))
    }

    fn opened(
        &mut self,
        mut opened: Opened,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> Step {
        opened.held.push_str(cursor.take_space());
        if cursor.is_empty() && !cursor.is_last() {
            return self.wait(State::Opened(opened));
        }
        let Some(head) = &opened.invoke else { return self.opened_block(opened, cursor, out) };
        if head.name.is_none() {
            return self.opened_older(opened, cursor, out);
        }
        match look_tag(cursor.rest(), cursor.more()) {
            Look::Undecided => self.wait(State::Opened(opened)),
            Look::Yes(tag) if proves_call(&tag) => self.begin(opened, out),
            Look::Yes(_) | Look::No => self.mention(&opened, cursor, out),
        }
    }

    /// Behind the opening tag of a block, only a call proves it one.
    fn opened_block(
        &mut self,
        mut opened: Opened,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> Step {
        match look_tag(cursor.rest(), cursor.more()) {
            Look::Undecided => self.wait(State::Opened(opened)),
            Look::Yes(tag) if tag.opens_named(Kind::Invoke) => self.go(State::Block(String::new())),
            Look::Yes(tag) if tag.is(Kind::Invoke, Side::Open) => {
                opened.invoke = Some(Head::of(&tag, cursor.offset()));
                opened.held.push_str(cursor.take(tag.len));
                self.go(State::Opened(opened))
            }
            Look::Yes(tag) if tag.is(Kind::Wrapper, Side::Close) => {
                let range = opened.start..cursor.offset() + tag.len;
                out.problem(ProblemKind::EmptyBlock, range, "a block of calls has no call in it");
                self.prose.pass(cursor.take(tag.len));
                self.block = Block::Outside;
                self.go(State::Text)
            }
            Look::Yes(_) | Look::No => self.mention(&opened, cursor, out),
        }
    }

    /// Behind a call without a name, only the name proves it one.
    fn opened_older(
        &mut self,
        mut opened: Opened,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> Step {
        match look_tool_name(cursor.rest(), cursor.more()) {
            Look::Undecided => self.wait(State::Opened(opened)),
            Look::Yes((name, len)) => {
                if let Some(head) = &mut opened.invoke {
                    head.name = Some(name.into());
                }
                cursor.take(len);
                self.begin(opened, out)
            }
            Look::No => {
                let range = opened.start..opened.start + opened.held.len();
                let message = "a call has no name, so it was left in the text";
                out.problem(ProblemKind::NamelessCall, range, message);
                self.give_up(&opened, out)
            }
        }
    }

    /// Notes that nothing proves opening tags a call, and gives them back.
    fn mention(&mut self, opened: &Opened, cursor: &Cursor<'_>, out: &mut Output<'_>) -> Step {
        let range = opened.start..opened.start + opened.held.trim_ascii_end().len();
        if cursor.is_empty() {
            let message = "the text ends behind what may open a call; it was left in the text";
            out.problem(ProblemKind::UnfinishedCall, range, message);
        } else {
            let message = "an opening tag without a call behind it was left in the text";
            out.problem(ProblemKind::StrayTag, range, message);
        }
        self.give_up(opened, out)
    }

    /// Gives opening tags back that were only a mention.
    fn give_up(&mut self, opened: &Opened, out: &mut Output<'_>) -> Step {
        self.prose.give_back(&opened.held, opened.start, out);
        if self.block == Block::Inside {
            self.block = Block::Outside;
        }
        self.go(State::Text)
    }

    fn begin(&mut self, opened: Opened, out: &mut Output<'_>) -> Step {
        let Some(Head { name: Some(name), id, prefix, start }) = opened.invoke else {
            return self.give_up(&opened, out);
        };
        if self.block != Block::Inside && !std::mem::replace(&mut self.has_noted_bare, true) {
            let range = start..opened.start + opened.held.len();
            out.problem(ProblemKind::MissingStart, range, "a call stands outside a block of calls");
        }
        let known = Known::begin(&name, id.as_deref(), &prefix, start, out);
        self.go(State::Call(Box::new(Call::new(known))))
    }

    fn block(&mut self, mut space: String, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> Step {
        space.push_str(cursor.take_space());
        let rest = cursor.rest();
        if rest.is_empty() {
            return self.wait(State::Block(space));
        }
        let tag = match look_tag(rest, cursor.more()) {
            Look::Undecided => return self.wait(State::Block(space)),
            Look::No => None,
            Look::Yes(tag) => Some(tag),
        };
        let start = cursor.offset();
        match tag {
            Some(tag) if tag.opens_named(Kind::Invoke) => {
                let name = tag.name.unwrap_or_default();
                let call = Call::new(Known::begin(name, tag.id, tag.prefix, start, out));
                cursor.take(tag.len);
                if tag.side == Side::Empty {
                    return self.finish(call, cursor.offset(), out);
                }
                self.go(State::Call(Box::new(call)))
            }
            Some(tag) if tag.is(Kind::Invoke, Side::Open) => {
                let held = cursor.take(tag.len).to_owned();
                let invoke = Some(Head::of(&tag, start));
                self.go(State::Opened(Opened { start, held, invoke }))
            }
            Some(tag) if tag.is(Kind::Wrapper, Side::Close) => {
                self.block = Block::Outside;
                self.prose.pass(cursor.take(tag.len));
                self.go(State::Text)
            }
            Some(tag) if tag.side == Side::Close => {
                let message = "an end tag without its beginning was left out";
                out.problem(ProblemKind::StrayTag, cursor.range(tag.len), message);
                cursor.take(tag.len);
                self.go(State::Block(String::new()))
            }
            _ => self.leave_block(&space, cursor, out),
        }
    }

    /// Leaves a block that goes on with something else, whose end tag was forgotten.
    fn leave_block(&mut self, space: &str, cursor: &Cursor<'_>, out: &mut Output<'_>) -> Step {
        let message = "a block of calls has no end tag; it ends where text goes on";
        out.problem(ProblemKind::MissingEnd, cursor.range(0), message);
        self.block = Block::Owed;
        self.prose.give_back(space, cursor.offset() - space.len(), out);
        self.go(State::Text)
    }

    fn call(&mut self, mut call: Box<Call>, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> Step {
        match call.read(cursor, out) {
            Stage::Go | Stage::Wait => self.wait(State::Call(call)),
            Stage::Over(end) => self.finish(*call, end, out),
            Stage::CutOff => {
                call.cut_off(cursor.offset(), out);
                Step::Wait
            }
        }
    }

    fn finish(&mut self, call: Call, end: usize, out: &mut Output<'_>) -> Step {
        call.finish(end, out);
        self.has_called = true;
        self.prose.pass(">");
        if self.block == Block::Inside {
            return self.go(State::Block(String::new()));
        }
        self.block = Block::Owed;
        self.go(State::Text)
    }
}

/// Looks for what matters outside calls.
fn look_outside(text: &str, more: More, has_called: bool) -> Look<()> {
    match look_tag(text, more) {
        Look::Undecided => Look::Undecided,
        Look::Yes(tag) => match (tag.kind, tag.side) {
            (Kind::Wrapper | Kind::Invoke, Side::Open | Side::Close)
            | (Kind::Parameter, Side::Close) => Look::Yes(()),
            (Kind::Results, Side::Open) if has_called => Look::Yes(()),
            _ => Look::No,
        },
        Look::No => Look::No,
    }
}
