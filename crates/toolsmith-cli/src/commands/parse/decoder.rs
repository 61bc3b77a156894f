//! Bytes in pieces become text, whatever the bytes are.

/// Turns bytes that come in pieces into text; what is not UTF-8 becomes `U+FFFD`.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl Decoder {
    /// Returns the text of a piece, as far as it is certain.
    pub(super) fn decode(&mut self, piece: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.begun);
        bytes.extend_from_slice(piece);
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let Err(error) = std::str::from_utf8(rest) else {
                text.push_str(&String::from_utf8_lossy(rest));
                break;
            };
            let (valid, wrong) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(length) = error.error_len() else {
                self.begun = wrong.to_vec();
                break;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = wrong.get(length..).unwrap_or_default();
        }
        text
    }

    /// Ends the text: a character that was begun is none.
    pub(super) fn end(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.begun)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_split_gives_the_same_text_as_the_whole() {
        for bytes in [
            "a中😀b".as_bytes(),
            b"\xff\xfe plain \xe4\xb8",
            b"\xe4\xb8\xadx\xf0\x9f\x98",
            b"\xc3\x28\xa0\xa1",
            b"",
        ] {
            let whole = String::from_utf8_lossy(bytes).into_owned();
            for size in 1..=bytes.len().max(1) {
                let mut decoder = Decoder::default();
                let mut text: String =
                    bytes.chunks(size).map(|piece| decoder.decode(piece)).collect();
                text.push_str(&decoder.end());
                assert_eq!(text, whole, "in pieces of {size}");
            }
        }
    }
}
