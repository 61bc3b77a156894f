//! Names of tools that a provider does not allow, mapped there and back.

use std::borrow::Cow;

use crate::Rendering;

/// Which names a provider allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameRule {
    /// The characters besides ASCII letters, digits and `_`.
    pub(crate) others: &'static str,
    /// Whether a digit, or one of the others, may come first.
    pub(crate) first: First,
    /// The most characters.
    pub(crate) longest: usize,
}

/// What a name may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// Anything that it may have in it.
    Any,
    /// A letter or `_`.
    Letter,
}

/// The digits of the mark behind a name that was changed.
const MARK: usize = 6;

impl NameRule {
    /// Letters, digits, `_` and `-`, 64 at most: `OpenAI` and Anthropic.
    pub(crate) const DASHED: Self = Self { others: "-", first: First::Any, longest: 64 };
    /// Also dots, and a letter first: Gemini.
    pub(crate) const DOTTED: Self = Self { others: "-.", first: First::Letter, longest: 64 };
    /// Whatever a tool may be called: MCP, and models that are told in text.
    pub(crate) const FREE: Self = Self { others: "-.", first: First::Any, longest: 128 };

    fn allows(self, c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_' || self.others.contains(c)
    }

    fn is_legal(self, name: &str) -> bool {
        let first = name.chars().next();
        name.chars().count() <= self.longest
            && name.chars().all(|c| self.allows(c))
            && first
                .is_some_and(|c| self.first == First::Any || c.is_ascii_alphabetic() || c == '_')
    }
}

/// Returns the name under which a tool is shown.
///
/// What is not allowed becomes `_`, and a mark made from the whole name follows, so that the name
/// depends on the tool alone, not on which others are shown, and two tools do not meet.
pub(crate) fn shown_name(name: &str, rule: NameRule) -> Cow<'_, str> {
    if rule.is_legal(name) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::new();
    if rule.first == First::Letter && !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        shown.push('_');
    }
    let room = rule.longest.saturating_sub(MARK + 1 + shown.len());
    shown.extend(name.chars().take(room).map(|c| if rule.allows(c) { c } else { '_' }));
    Cow::Owned(format!("{shown}_{:0MARK$x}", mark(name)))
}

/// FNV-1a, folded to the digits of the mark: the same on every machine and in every release.
fn mark(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 24) ^ (hash >> 48)) & 0x00ff_ffff
}

impl Rendering {
    /// Returns the tool that is shown under a name; the name itself where it was not changed.
    pub fn original<'a>(&'a self, shown: &'a str) -> &'a str {
        let found = self.names.iter().find(|(name, _)| name == shown);
        found.map_or(shown, |(_, tool)| tool.as_str())
    }
}
