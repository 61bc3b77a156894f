//! The text of an answer, in whatever character set it was written.

use encoding_rs::{Encoding, GB18030, UTF_8, WINDOWS_1252};
use toolsmith_net::Response;

/// How far into a page its own word about the character set is looked for, as browsers do.
const SNIFFED: usize = 1_024;

/// Media types besides `text/…` whose content is text.
const TEXT: [&str; 12] = [
    "application/json",
    "application/ld+json",
    "application/xml",
    "application/xhtml+xml",
    "application/javascript",
    "application/ecmascript",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-www-form-urlencoded",
    "application/x-yaml",
    "application/yaml",
    "application/toml",
];

/// Returns the body as text; nothing when it is not text.
pub(crate) fn text_of(response: &Response) -> Option<String> {
    let media_type = response.media_type();
    let is_named = media_type.starts_with("text/")
        || TEXT.contains(&media_type.as_str())
        || media_type.ends_with("+json")
        || media_type.ends_with("+xml");
    if is_named {
        return Some(decode(&response.body, declared(response), response.is_cut));
    }
    // A type that says nothing is believed when the bytes themselves are text.
    let is_vague = matches!(media_type.as_str(), "" | "application/octet-stream");
    let text = str::from_utf8(&response.body).ok().filter(|text| !text.contains('\0'));
    text.filter(|_| is_vague).map(str::to_owned)
}

/// Returns the character set that the header names.
fn declared(response: &Response) -> Option<&'static Encoding> {
    let value = response.headers.get("content-type")?.to_str().ok()?;
    let (_, rest) = value.split_once("charset=")?;
    label(rest.as_bytes())
}

/// Decodes bytes: by a byte order mark, the header, the page's own word, and else by what fits.
fn decode(bytes: &[u8], declared: Option<&'static Encoding>, is_cut: bool) -> String {
    let encoding = declared.or_else(|| announced(bytes)).unwrap_or_else(|| guess(bytes, is_cut));
    encoding.decode(bytes).0.into_owned()
}

/// Returns the character set that a page names in its head.
fn announced(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..SNIFFED).unwrap_or(bytes).to_ascii_lowercase();
    let start = head.windows(8).position(|window| window == b"charset=")? + 8;
    let found = label(head.get(start..)?)?;
    // A page that can be read this far cannot be in an encoding of two bytes a letter.
    Some(if found.is_ascii_compatible() { found } else { UTF_8 })
}

fn label(rest: &[u8]) -> Option<&'static Encoding> {
    let is_quote = |byte: &&u8| matches!(byte, b'"' | b'\'' | b' ');
    let label = rest.iter().skip_while(is_quote);
    let label = label.take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(byte));
    Encoding::for_label(&label.copied().collect::<Vec<_>>())
}

/// Picks the set that the bytes fit: UTF-8, then Chinese, then the Western one that fits all.
fn guess(bytes: &[u8], is_cut: bool) -> &'static Encoding {
    let is_utf8 = match str::from_utf8(bytes) {
        Ok(_) => true,
        // The last letter of a cut text may be half.
        Err(error) => is_cut && error.error_len().is_none(),
    };
    if is_utf8 {
        return UTF_8;
    }
    let (text, _, has_errors) = GB18030.decode(bytes);
    let letters = text.chars().filter(|c| !c.is_ascii()).count();
    let chinese = text.chars().filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).count();
    if !has_errors && chinese * 3 > letters * 2 { GB18030 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHINESE: &str = "天气预报：明天晴，最高气温二十五度。";

    #[test]
    fn a_text_is_read_in_the_set_that_it_is_written_in() {
        let (gbk, _, _) = encoding_rs::GBK.encode(CHINESE);
        let page = [b"<html><head><meta charset=\"GB2312\"></head>".as_slice(), &gbk].concat();
        assert!(decode(&page, None, false).ends_with(CHINESE));
        let old = b"<meta http-equiv='Content-Type' content='text/html; charset=gbk'>".as_slice();
        assert!(decode(&[old, &gbk].concat(), None, false).ends_with(CHINESE));
        assert_eq!(decode(&gbk, Some(encoding_rs::GBK), false), CHINESE);
        assert_eq!(decode(&gbk, None, false), CHINESE, "guessed");
        assert_eq!(decode(CHINESE.as_bytes(), None, false), CHINESE);
        assert_eq!(decode(b"caf\xe9", None, false), "café");
        let marked = [b"\xef\xbb\xbf".as_slice(), CHINESE.as_bytes()].concat();
        assert_eq!(decode(&marked, Some(WINDOWS_1252), false), CHINESE, "a mark is stronger");
        assert!(decode(&CHINESE.as_bytes()[..4], None, true).starts_with('天'));
    }
}
