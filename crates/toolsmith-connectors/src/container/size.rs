//! Reads sizes such as `64m`.

use toolsmith_core::Value;

/// Returns a number of bytes; units are those of container engines, in powers of 1024.
pub(super) fn bytes(value: &Value) -> Option<u64> {
    if let Some(bytes) = value.as_u64() {
        return Some(bytes);
    }
    let text = value.as_str()?.trim().to_ascii_lowercase();
    let text = text.strip_suffix('b').unwrap_or(&text);
    let text = text.strip_suffix('i').unwrap_or(text);
    let (digits, factor) = match text.char_indices().next_back()? {
        (end, 'k') => (text.get(..end)?, 1 << 10),
        (end, 'm') => (text.get(..end)?, 1 << 20),
        (end, 'g') => (text.get(..end)?, 1 << 30),
        _ => (text, 1),
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn sizes_are_read_as_engines_write_them() {
        for (text, expected) in [
            (json!("64m"), Some(64 << 20)),
            (json!("64MB"), Some(64 << 20)),
            (json!("1 GiB"), Some(1 << 30)),
            (json!("512k"), Some(512 << 10)),
            (json!("100b"), Some(100)),
            (json!(100), Some(100)),
            (json!("m"), None),
            (json!("-1m"), None),
            (json!("99999999999g"), None),
            (json!(""), None),
        ] {
            assert_eq!(bytes(&text), expected, "{text}");
        }
    }
}
