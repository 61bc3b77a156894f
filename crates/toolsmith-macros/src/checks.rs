//! Rules of core that are checked while compiling, so that a tool is not refused at the start.

use std::time::Duration;

use syn::{Error, Lit, LitStr};

/// The longest legal tool name, in bytes.
const LONGEST_NAME: usize = 64;

/// Says what is wrong with a tool name, if anything is.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Some(format!(
            "a tool name has 1 to {LONGEST_NAME} characters; this one has {}",
            name.chars().count()
        ));
    }
    let wrong = name.chars().find(|c| !(c.is_ascii_alphanumeric() || "_.-".contains(*c)))?;
    Some(format!("a tool name is made of letters, digits, `_`, `.` and `-`; this has {wrong:?}"))
}

/// Checks a version; `1` and `1.2` are short for `1.0.0` and `1.2.0`.
pub(crate) fn version(text: LitStr) -> syn::Result<LitStr> {
    let value = text.value();
    let is_plain = value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let full = match value.split('.').count() {
        1 if is_plain => format!("{value}.0.0"),
        2 if is_plain => format!("{value}.0"),
        _ => value,
    };
    match semver::Version::parse(&full) {
        Ok(_) => Ok(text),
        Err(_) => Err(Error::new_spanned(
            text,
            "this is not a version; write three numbers such as \"1.0.0\"",
        )),
    }
}

/// Reads a number of seconds, whole or not, greater than zero.
pub(crate) fn seconds(number: &Lit) -> syn::Result<Duration> {
    let value = match number {
        Lit::Float(float) => float.base10_parse::<f64>().ok(),
        Lit::Int(int) => int.base10_parse::<f64>().ok(),
        _ => None,
    };
    value
        .and_then(|value| Duration::try_from_secs_f64(value).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            Error::new_spanned(number, "write a number of seconds above zero, such as 2.5")
        })
}

/// Checks that a text says something.
pub(crate) fn text(text: LitStr) -> syn::Result<LitStr> {
    if text.value().trim().is_empty() {
        return Err(Error::new_spanned(text, "this text is empty"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn names_follow_the_rule_of_core() {
        for name in ["a", "read_file", "a.b-c", &"x".repeat(64)] {
            assert_eq!(name_problem(name), None, "{name}");
        }
        for name in ["", "größe", "a b", "a/b", &"x".repeat(65)] {
            assert!(name_problem(name).is_some(), "{name}");
        }
    }

    #[test]
    fn versions_may_be_short() {
        for text in ["1", "1.2", "1.2.3", "2.0.0-beta.1"] {
            assert!(version(LitStr::new(text, proc_macro2::Span::call_site())).is_ok(), "{text}");
        }
        for text in ["", "latest", "1.", "1.2.3.4", "v1", "01.2.3"] {
            assert!(version(LitStr::new(text, proc_macro2::Span::call_site())).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_whole_or_not_but_above_zero() {
        assert_eq!(seconds(&parse_quote!(5)).unwrap(), Duration::from_secs(5));
        assert_eq!(seconds(&parse_quote!(0.25)).unwrap(), Duration::from_millis(250));
        for wrong in [parse_quote!(0), parse_quote!(1e300), parse_quote!("5s")] {
            assert!(seconds(&wrong).is_err());
        }
    }
}
