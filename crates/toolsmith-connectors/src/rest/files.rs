//! Bytes that a call sends: text as it is, anything else as a `data:` URL.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolsmith_core::{ToolError, Value};
use toolsmith_net::Bytes;

use super::pattern::plain;

/// How far into a text the mark of a `data:` URL is looked for.
const HEAD: usize = 256;

/// What is sent as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    /// What it is, where the input says it.
    pub(super) media_type: Option<String>,
}

/// Reads the content of a file from a value of the input.
pub(super) fn content(value: &Value) -> Result<Content, ToolError> {
    let text = plain(value);
    let Some((media_type, encoded)) = data_url(&text) else {
        return Ok(Content { bytes: text.into_bytes(), media_type: None });
    };
    let encoded: String = encoded.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(encoded).map_err(|error| {
        ToolError::validation(
            "A file that begins with `data:` must be base64 behind its comma, and this one is not.",
        )
        .with_source(error)
    })?;
    Ok(Content { bytes, media_type: Some(media_type).filter(|word| !word.is_empty()) })
}

/// Takes `data:image/png;base64,…` apart; other texts are none.
fn data_url(text: &str) -> Option<(String, &str)> {
    let rest = text.strip_prefix("data:")?;
    let comma = rest.bytes().take(HEAD).position(|byte| byte == b',')?;
    let (head, encoded) = rest.split_at_checked(comma)?;
    let media_type = head.strip_suffix(";base64")?;
    let is_plain = media_type.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    is_plain.then(|| (media_type.to_owned(), encoded.get(1..).unwrap_or_default()))
}

/// One part of a multipart body.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) filename: Option<String>,
    pub(super) media_type: Option<String>,
    pub(super) bytes: Vec<u8>,
}

/// Writes a multipart body (RFC 7578); returns its media type too.
pub(super) fn multipart(sections: &[Section]) -> (String, Bytes) {
    let boundary = boundary(sections);
    let mut body = Vec::new();
    for section in sections {
        let name = quoted(&section.name);
        body.extend(format!("--{boundary}\r\n").bytes());
        body.extend(format!("Content-Disposition: form-data; name=\"{name}\"").bytes());
        if let Some(filename) = &section.filename {
            body.extend(format!("; filename=\"{}\"", quoted(filename)).bytes());
        }
        if let Some(media_type) = &section.media_type {
            let media_type = media_type.replace(['\r', '\n'], " ");
            body.extend(format!("\r\nContent-Type: {media_type}").bytes());
        }
        body.extend(b"\r\n\r\n");
        body.extend(&section.bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{boundary}--\r\n").bytes());
    (format!("multipart/form-data; boundary={boundary}"), body.into())
}

/// Chooses a line that no part contains; the same parts have the same one.
fn boundary(sections: &[Section]) -> String {
    let bytes = || sections.iter().flat_map(|section| section.bytes.iter().copied());
    let mut hash = bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    loop {
        let boundary = format!("toolsmith-{hash:016x}");
        let is_inside = |section: &Section| {
            section.bytes.windows(boundary.len()).any(|window| window == boundary.as_bytes())
        };
        if !sections.iter().any(is_inside) {
            return boundary;
        }
        hash = hash.wrapping_add(1);
    }
}

/// Escapes what would end a name in quotes, as browsers do.
fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn a_file_is_text_or_a_data_url() {
        let read = |text: &str| content(&json!(text)).unwrap();
        assert_eq!(read("plain\n"), Content { bytes: b"plain\n".to_vec(), media_type: None });
        let image = read("data:image/gif;base64,/wA=");
        assert_eq!(
            (image.bytes.as_slice(), image.media_type.as_deref()),
            (&[255, 0][..], Some("image/gif"))
        );
        assert_eq!(read("data:;base64,YQ==").media_type, None);
        for text in ["data: is a word", "data:text/plain,hi", "data:", "data:a\nb;base64,YQ=="] {
            assert_eq!(read(text).bytes, text.as_bytes(), "{text}");
        }
        assert!(content(&json!("data:image/gif;base64,?")).is_err());
    }

    #[test]
    fn parts_cannot_break_out_of_their_place() {
        let section = |bytes: &[u8]| Section {
            name: "a\"\r\nX: y".to_owned(),
            filename: Some("f\".txt".to_owned()),
            media_type: Some("text/plain\r\nX: y".to_owned()),
            bytes: bytes.to_vec(),
        };
        let (media_type, body) = multipart(&[section(b"one")]);
        let boundary = media_type.rsplit('=').next().unwrap().to_owned();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert_eq!(
            text,
            format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"a%22%0D%0AX: y\"; \
                 filename=\"f%22.txt\"\r\nContent-Type: text/plain  X: y\r\n\r\none\r\n--{boundary}--\r\n"
            )
        );
        // Whoever knows the rule cannot make a part that ends itself either.
        let inside = format!("\r\n--{boundary}--\r\n");
        let (media_type, body) = multipart(&[section(inside.as_bytes())]);
        let boundary = media_type.rsplit('=').next().unwrap();
        let body = String::from_utf8_lossy(&body).into_owned();
        assert_eq!(body.matches(boundary).count(), 2);
    }
}
