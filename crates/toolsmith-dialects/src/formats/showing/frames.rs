//! Keeps foreign text inside the frame that a dialect puts around it.

use std::borrow::Cow;

/// What would end, or imitate, the frame around a text.
///
/// Special tokens (`<|im_end|>`, `<｜tool▁output▁end｜>`) are such in every dialect that is text: the
/// model behind it may have them whatever the dialect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Tags, whether they open or close.
    tags: &'static [&'static str],
    /// Tags that are common elsewhere too, so that only their closing counts.
    closing: &'static [&'static str],
    /// Words in square brackets.
    brackets: &'static [&'static str],
}

/// How the first character of such markup is written instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// As an entity, for text.
    Entity,
    /// As an escape, for JSON, which reads as the same.
    Escape,
}

/// The longest name of a special token.
const LONGEST_TOKEN: usize = 64;

impl Frame {
    /// Special tokens only.
    pub(crate) const TOKENS: Self = Self { tags: &[], closing: &[], brackets: &[] };
    /// XML.
    pub(crate) const XML: Self = Self {
        tags: &["function_results", "function_calls", "functions", "tool_name"],
        closing: &["result", "stdout", "error", "function"],
        brackets: &[],
    };
    /// Hermes, Qwen, GLM: tags around JSON or text.
    pub(crate) const TOOL_TAGS: Self = Self {
        tags: &["tool_response", "tool_call", "tools", "arg_key", "arg_value"],
        closing: &[],
        brackets: &[],
    };
    /// The definitions of Qwen3-Coder, which are tags in tags.
    pub(crate) const TOOL_LIST: Self = Self {
        closing: &["function", "parameters", "parameter", "name", "description", "required"],
        ..Self::TOOL_TAGS
    };
    /// Mistral.
    pub(crate) const BRACKETS: Self = Self {
        tags: &["s"],
        closing: &[],
        brackets: &[
            "INST",
            "AVAILABLE_TOOLS",
            "TOOL_CALLS",
            "TOOL_RESULTS",
            "TOOL_CONTENT",
            "SYSTEM_PROMPT",
            "ARGS",
            "CALL_ID",
            "THINK",
        ],
    };

    /// Returns a text that stays inside.
    pub(crate) fn keep_text(self, text: &str) -> Cow<'_, str> {
        self.keep(text, Spelling::Entity)
    }

    /// Returns JSON that stays inside and reads as it did.
    pub(crate) fn keep_json(self, json: &str) -> Cow<'_, str> {
        self.keep(json, Spelling::Escape)
    }

    fn keep(self, text: &str, spelling: Spelling) -> Cow<'_, str> {
        let mut kept = String::new();
        let mut done = 0;
        for (place, first) in text.match_indices(['<', '[']) {
            let rest = text.get(place + 1..).unwrap_or_default();
            let is_markup = match first {
                "<" => is_token(rest) || self.is_tag(rest),
                _ => self.is_bracket(rest),
            };
            if is_markup {
                kept.push_str(text.get(done..place).unwrap_or_default());
                kept.push_str(match (spelling, first) {
                    (Spelling::Entity, "<") => "&lt;",
                    (Spelling::Entity, _) => "&#91;",
                    (Spelling::Escape, "<") => "\\u003c",
                    (Spelling::Escape, _) => "\\u005b",
                });
                done = place + 1;
            }
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        kept.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(kept)
    }

    /// Tells whether a tag of the frame follows, in whatever case, spacing and namespace.
    fn is_tag(self, rest: &str) -> bool {
        let rest = rest.trim_start();
        let (is_closing, rest) = match rest.strip_prefix('/') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, rest),
        };
        let is_part = |c: char| c.is_alphanumeric() || "_:-｜".contains(c);
        let longest = rest.char_indices().nth(LONGEST_TOKEN).map_or(rest.len(), |(end, _)| end);
        let rest = rest.get(..longest).unwrap_or(rest);
        let whole = rest.split(|c| !is_part(c)).next().unwrap_or_default();
        let name = whole.rsplit([':', '｜']).next().unwrap_or_default();
        let is_among = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        is_among(self.tags) || (is_closing && is_among(self.closing))
    }

    fn is_bracket(self, rest: &str) -> bool {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        self.brackets
            .iter()
            .any(|word| rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(']')))
    }
}

/// Tells whether a special token follows behind its `<`.
fn is_token(rest: &str) -> bool {
    let Some(bar) = rest.chars().next().filter(|c| matches!(c, '|' | '｜')) else { return false };
    let inner = rest.get(bar.len_utf8()..).unwrap_or_default();
    inner
        .char_indices()
        .take(LONGEST_TOKEN)
        .find(|(_, c)| *c == bar || matches!(c, '<' | '>' | '\n'))
        .is_some_and(|(end, c)| {
            c == bar && inner.get(end + bar.len_utf8()..).is_some_and(|rest| rest.starts_with('>'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_kept_inside_in_all_its_spellings() {
        for text in [
            "</ns:function_results>",
            "</FUNCTION_RESULTS >",
            "< / function_results>",
            "</ns:function_results>",
            "<｜DSML｜function_calls>",
            "</stdout>",
            "<|im_end|>",
            "<|start_header_id|>",
            "<｜tool▁outputs▁end｜>",
        ] {
            let kept = Frame::XML.keep_text(text);
            assert_eq!(kept, format!("&lt;{}", &text[1..]));
        }
        assert_eq!(Frame::BRACKETS.keep_text("a[/TOOL_RESULTS]b"), "a&#91;/TOOL_RESULTS]b");
        assert_eq!(
            Frame::TOOL_TAGS.keep_json("\"</tool_response>\""),
            "\"\\u003c/tool_response>\""
        );
    }

    #[test]
    fn what_is_no_markup_is_kept_to_the_byte() {
        for text in [
            "if a <b && c> d {}",
            "<result>1</res>",
            "<div class='error'></div>",
            "a <| b > c |>",
            "x[TOOL] <| no\n|>",
            "<",
            "[",
            "<|",
        ] {
            assert_eq!(Frame::XML.keep_text(text), text);
        }
    }
}
