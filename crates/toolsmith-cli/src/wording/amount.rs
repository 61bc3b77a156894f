//! Counts, sizes and times.

/// Says how many, with the noun in its right form: `1 record`, `2 records`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Says a time in milliseconds or seconds, with as many digits as anyone reads.
pub(crate) fn milliseconds(milliseconds: f64) -> String {
    match milliseconds {
        short if short < 10.0 => format!("{short:.2} ms"),
        middle if middle < 1_000.0 => format!("{middle:.0} ms"),
        long => format!("{:.1} s", long / 1_000.0),
    }
}

/// Says a size in bytes or the fitting multiple of 1,000 bytes.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1_000 {
        return counted(count, "byte");
    }
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let mut size = count as f64 / 1_000.0;
    let mut unit = 0;
    while size >= 999.95 && unit + 1 < UNITS.len() {
        size /= 1_000.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS.get(unit).unwrap_or(&"TB"))
}

/// Says a rate of a hundred.
pub(crate) fn percent(rate: f64) -> String {
    format!("{rate:.1} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_well_at_any_size() {
        assert_eq!(counted(0, "record"), "0 records");
        assert_eq!(counted(1, "record"), "1 record");
        assert_eq!(milliseconds(0.0123), "0.01 ms");
        assert_eq!(milliseconds(12.3), "12 ms");
        assert_eq!(milliseconds(30_000.0), "30.0 s");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(65_536), "65.5 kB");
        assert_eq!(bytes(999_999), "1.0 MB");
        assert_eq!(bytes(u64::MAX), "18446744.1 TB");
        assert_eq!(percent(66.666), "66.7 %");
    }
}
