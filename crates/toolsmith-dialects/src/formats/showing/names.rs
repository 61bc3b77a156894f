//! Names that a provider does not allow, mapped there and back.

use std::borrow::Cow;

/// Which names a provider allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameRule {
    /// The characters of a name.
    allows: fn(char) -> bool,
    /// The characters that it may begin with; all of them are allowed.
    begins: fn(char) -> bool,
    /// The most characters.
    longest: usize,
}

/// The digits of the mark behind a name that was changed.
const MARK: usize = 6;
/// The largest mark.
const MOST: u64 = 0x00ff_ffff;

impl NameRule {
    /// Letters, digits, `_` and `-`, 64 at most: `OpenAI` and Anthropic.
    ///
    /// Anthropic itself takes 128, but not everybody who serves its models does.
    pub(crate) const DASHED: Self = Self { allows: is_dashed, begins: is_dashed, longest: 64 };
    /// Also dots, and a letter or `_` first: Gemini.
    pub(crate) const DOTTED: Self = Self { allows: is_dotted, begins: is_start, longest: 64 };
    /// Whatever a tool may be called: MCP, and models that are told in text.
    pub(crate) const FREE: Self = Self { allows: is_dotted, begins: is_dotted, longest: 128 };
    /// The parameters of Anthropic's tools.
    pub(crate) const KEY: Self = Self { allows: is_dotted, begins: is_dotted, longest: 64 };
    /// The parameters of Gemini's functions.
    pub(crate) const WORD: Self = Self { allows: is_word, begins: is_start, longest: 64 };
    /// Parameters that stand in a tag.
    pub(crate) const IN_TAG: Self = Self { allows: is_in_tag, begins: is_in_tag, longest: 128 };

    /// Tells whether a name is allowed.
    pub(crate) fn is_legal(self, name: &str) -> bool {
        name.chars().count() <= self.longest
            && name.chars().all(self.allows)
            && name.starts_with(self.begins)
            && name.trim() == name
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_dashed(c: char) -> bool {
    is_word(c) || c == '-'
}

fn is_dotted(c: char) -> bool {
    is_dashed(c) || c == '.'
}

fn is_in_tag(c: char) -> bool {
    !c.is_control() && !matches!(c, '<' | '>' | '"' | '\'' | '=' | '|' | '｜')
}

/// Returns the name under which a tool is shown.
///
/// What is not allowed becomes `_`, and a mark made from the whole name follows, so that the name
/// depends on the tool alone, not on which others are shown, and two tools do not meet.
pub(crate) fn shown_name(name: &str, rule: NameRule) -> Cow<'_, str> {
    if rule.is_legal(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(marked(name, rule, mark(name)))
}

/// Returns a name that the rule allows and that is not taken.
///
/// Only where somebody has made a name to meet another one's mark is it not [`shown_name`].
pub(crate) fn free_name(name: &str, rule: NameRule, is_taken: impl Fn(&str) -> bool) -> String {
    let mut mark = mark(name);
    loop {
        let shown = marked(name, rule, mark);
        if !is_taken(&shown) {
            return shown;
        }
        mark = mark.wrapping_add(1) & MOST;
    }
}

fn marked(name: &str, rule: NameRule, mark: u64) -> String {
    let mut shown = String::new();
    if !name.starts_with(rule.begins) {
        shown.push('_');
    }
    let room = rule.longest.saturating_sub(MARK + 1 + shown.len());
    shown.extend(name.chars().take(room).map(|c| if (rule.allows)(c) { c } else { '_' }));
    format!("{}_{mark:0MARK$x}", shown.trim_start())
}

/// FNV-1a, folded to the digits of the mark: the same on every machine and in every release.
fn mark(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 24) ^ (hash >> 48)) & MOST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_allowed_get_a_mark() {
        let long = "a".repeat(128);
        for rule in [NameRule::DASHED, NameRule::DOTTED, NameRule::KEY, NameRule::WORD] {
            for name in ["file write", "add@1.2.0", "观星阁", "$top", "", "a/b", &long] {
                let shown = shown_name(name, rule);
                assert!(rule.is_legal(&shown) && shown != name, "{name:?} is shown as {shown:?}");
            }
            assert_ne!(shown_name("a b", rule), shown_name("a/b", rule));
        }
        assert!(NameRule::DOTTED.is_legal(&shown_name("7zip", NameRule::DOTTED)));
        assert_eq!(shown_name("file-write", NameRule::DASHED), "file-write");
        assert!(NameRule::IN_TAG.is_legal("观星 阁") && !NameRule::IN_TAG.is_legal(" a"));
        assert!(NameRule::IN_TAG.is_legal(&shown_name(" <a>\n", NameRule::IN_TAG)));
    }

    #[test]
    fn a_name_that_was_made_to_meet_another_does_not() {
        let usual = shown_name("a.b", NameRule::DASHED).into_owned();
        let free = free_name("a.b", NameRule::DASHED, |name| name == usual);
        assert!(free != usual && NameRule::DASHED.is_legal(&free));
        assert_eq!(free_name("a.b", NameRule::DASHED, |_| false), usual);
    }
}
