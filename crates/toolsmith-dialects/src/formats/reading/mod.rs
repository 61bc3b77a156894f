//! What the readers of several dialects share.

mod body;
mod documents;
mod gap;
mod gathered;
mod markers;
mod object;
mod section;
mod span;
mod values;

pub(crate) use body::Body;
pub(crate) use documents::{Document, Documents, look_keys, text_at};
pub(crate) use gap::Gap;
pub(crate) use gathered::{Close, Gathered, Piece};
pub(crate) use markers::{Found, find, look_any, look_word};
pub(crate) use object::{Bare, Ended, ObjectCall};
pub(crate) use section::{Head, Section, Tokens};
pub(crate) use span::{Span, Step};
pub(crate) use values::{Given, ValueEnd, ValueTags, Values};
