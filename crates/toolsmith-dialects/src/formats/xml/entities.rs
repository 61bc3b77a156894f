//! Decodes entities and CDATA sections, where a setting asks for it.

use memchr::memchr2;

/// What opens a section.
pub(super) const CDATA: &str = "<![CDATA[";
/// What ends a section.
pub(super) const CDATA_END: &str = "]]>";

/// The longest entity, `&#x10FFFF;`, without its ampersand.
const LONGEST_ENTITY: usize = 9;

/// Decodes the entities of XML and unwraps CDATA sections; what is neither stays as it is.
pub(super) fn decode(text: String) -> String {
    if memchr2(b'&', b'<', text.as_bytes()).is_none() {
        return text;
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text.as_str();
    // Once a section has no end, none behind it has one either: looking again would be quadratic.
    let mut may_end = true;
    while let Some(at) = memchr2(b'&', b'<', rest.as_bytes()) {
        decoded.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        if let Some(section) = rest.strip_prefix(CDATA).filter(|_| may_end) {
            if let Some((inner, behind)) = section.split_once(CDATA_END) {
                decoded.push_str(inner);
                rest = behind;
                continue;
            }
            may_end = false;
        }
        let (c, len) = entity(rest).unwrap_or_else(|| (rest.chars().next().unwrap_or_default(), 1));
        decoded.push(c);
        rest = rest.get(len..).unwrap_or_default();
    }
    decoded.push_str(rest);
    decoded
}

fn entity(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('&')?;
    let len = body.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';')?;
    let name = body.get(..len)?;
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, len + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_sections_are_decoded_and_the_rest_is_kept() {
        for (text, decoded) in [
            ("a &lt;b&gt; &amp;&quot;&apos;", "a <b> &\"'"),
            ("&#20320;&#x597d;", "你好"),
            ("<![CDATA[a < b && c]]>!", "a < b && c!"),
            ("AT&T &nbsp; &; &#xZZ; <b>", "AT&T &nbsp; &; &#xZZ; <b>"),
            ("<![CDATA[open &lt;", "<![CDATA[open <"),
        ] {
            assert_eq!(decode(text.to_owned()), decoded);
        }
    }
}
