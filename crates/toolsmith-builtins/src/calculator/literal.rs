//! Reads the numbers of an expression: `12`, `1_000`, `.5`, `1.5e-3`, `0xff`, `0b101`, `0o17`.

use super::{
    mistake::{Mistake, shorten},
    number::Number,
    ratio::Ratio,
};

/// Tells whether a number begins here.
pub(super) fn starts_number(text: &str) -> bool {
    let digits = text.strip_prefix('.').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// Reads the number that begins here, and returns how many bytes it takes.
pub(super) fn read(text: &str, position: usize) -> Result<(Number, usize), Mistake> {
    let radix = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => 10,
    };
    let length = if radix == 10 { decimal_length(text) } else { word_length(text) };
    let (written, rest) = text.split_at_checked(length).unwrap_or((text, ""));
    if radix == 10 && rest.starts_with('.') {
        return Err(wrong(written, position, "has more than one decimal point"));
    }
    let digits = without_underscores(written, position)?;
    let number = match radix {
        10 => decimal(&digits, position)?,
        radix => based(&digits, radix, position)?,
    };
    Ok((number, length))
}

/// The length of digits, point and exponent; an `e` without digits after it is the constant.
fn decimal_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits_from = |start: usize| {
        let is_part = |byte: &&u8| byte.is_ascii_digit() || **byte == b'_';
        start + bytes.iter().skip(start).take_while(is_part).count()
    };
    let mut end = digits_from(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits_from(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let has_sign = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        let digits = end + 1 + usize::from(has_sign);
        if bytes.get(digits).is_some_and(u8::is_ascii_digit) {
            end = digits_from(digits);
        }
    }
    end
}

/// Everything up to the next sign, so that a wrong digit is told as such.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

fn without_underscores(written: &str, position: usize) -> Result<String, Mistake> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = written.as_bytes();
    let is_misplaced = |index: usize| {
        !is_digit(bytes.get(index + 1))
            || !index.checked_sub(1).is_some_and(|i| is_digit(bytes.get(i)))
    };
    if written.match_indices('_').any(|(index, _)| is_misplaced(index)) {
        return Err(wrong(written, position, "has an underscore that is not between two digits"));
    }
    Ok(written.replace('_', ""))
}

fn decimal(digits: &str, position: usize) -> Result<Number, Mistake> {
    if let Some(ratio) = Ratio::from_decimal(digits) {
        return Ok(Number::Exact(ratio));
    }
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Number::Float(value)),
        Ok(_) => Err(wrong(digits, position, "is too large: numbers go up to about 1.8e308")),
        Err(_) => Err(wrong(digits, position, "cannot be read")),
    }
}

fn based(written: &str, radix: u32, position: usize) -> Result<Number, Mistake> {
    // The prefix is two ASCII characters.
    let digits = written.get(2..).unwrap_or_default();
    if digits.is_empty() {
        return Err(wrong(written, position, "has no digits"));
    }
    if let Some(c) = digits.chars().find(|c| !c.is_digit(radix)) {
        let reason = format!("has `{c}`, which is not a digit in base {radix}");
        return Err(wrong(written, position, &reason));
    }
    let value = i128::from_str_radix(digits, radix).ok().and_then(Ratio::whole);
    value
        .map(Number::Exact)
        .ok_or_else(|| wrong(written, position, "is too large: at most 127 bits are read"))
}

fn wrong(written: &str, position: usize, reason: &str) -> Mistake {
    let message = format!("The number `{}` at position {position} {reason}.", shorten(written));
    Mistake::at(position, message)
}
