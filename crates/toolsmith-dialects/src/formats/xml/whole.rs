//! Values that are all there and hold no markup, as nearly all values are: read in one step.

use memchr::memchr;

use super::{
    tag::{Tag, look_tag},
    value::follows_value,
};
use crate::cursor::{Look, More};

/// A value that is all there, up to an end tag behind which the call goes on.
#[derive(Debug)]
pub(super) struct Whole<'a> {
    pub(super) raw: &'a str,
    /// The length of the value with its end tag and the space behind that.
    pub(super) len: usize,
    /// The tag that follows.
    pub(super) next: Tag<'a>,
}

/// Looks for a value without markup behind a tag without prefix: nearly all values are such.
///
/// What is found here, [`Open`](super::value::Open) finds too, in more steps.
pub(super) fn look_whole(text: &str, more: More) -> Option<Whole<'_>> {
    let (raw, behind) = text.split_at_checked(memchr(b'<', text.as_bytes())?)?;
    let ahead = behind.strip_prefix("</parameter>")?.trim_ascii_start();
    let len = text.len() - ahead.len();
    match look_tag(ahead, more) {
        Look::Yes(next) if follows_value(&next) => Some(Whole { raw, len, next }),
        _ => None,
    }
}
