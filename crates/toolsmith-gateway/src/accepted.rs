//! What a client takes, as `Accept` and its like write it.

/// Returns what a range of such a header names; nothing when it is refused by a weight of zero.
pub(crate) fn named(range: &str) -> Option<&str> {
    let mut parts = range.split(';');
    let name = parts.next()?.trim();
    let weight = parts.find_map(|part| {
        let (key, value) = part.split_once('=')?;
        key.trim().eq_ignore_ascii_case("q").then_some(value)
    });
    let is_refused = weight.is_some_and(|q| q.trim().parse() == Ok(0.0_f32));
    (!is_refused).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_of_zero_refuses() {
        for range in
            ["text/plain", " text/plain ;q=0.1", "text/plain;charset=x;q=1", "text/plain;q"]
        {
            assert_eq!(named(range), Some("text/plain"), "{range}");
        }
        for range in ["text/plain;q=0", "text/plain; q=0.000", "text/plain;charset=x;Q = 0"] {
            assert_eq!(named(range), None, "{range}");
        }
    }
}
