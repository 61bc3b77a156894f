//! What the readers of several dialects share.

mod answers;
mod body;
mod documents;
mod gap;
mod gathered;
mod lead;
mod line;
mod loose;
mod markers;
mod marks;
mod object;
mod section;
mod span;
mod values;

pub(crate) use answers::{Answer, Answers};
pub(crate) use body::{Body, BodyEnd};
pub(crate) use documents::{Document, Documents, text_at};
pub(crate) use gap::Gap;
pub(crate) use gathered::{Close, Gathered, Piece};
pub(crate) use lead::Lead;
pub(crate) use line::{FIELDS, Line};
pub(crate) use loose::arguments_at;
pub(crate) use markers::{Found, find, look_any, look_word};
pub(crate) use marks::{Mark, Strings};
pub(crate) use object::{Bare, Ended, ObjectCall, ObjectEnd};
pub(crate) use section::{Head, Section, Tokens};
pub(crate) use span::{Span, Step};
pub(crate) use values::{Given, TaggedCall, ValueEnd, ValueTags};
