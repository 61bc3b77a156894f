//! Time zones by name or by offset, from a list that is part of the program.

use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use toolsmith_core::{ToolError, suggestion};

/// Finds a time zone: an IANA name, `UTC`, or an offset such as `+08:00`.
pub(super) fn find(name: &str) -> Result<(TimeZone, String), ToolError> {
    let name = name.trim();
    if ["utc", "z", "gmt"].iter().any(|utc| name.eq_ignore_ascii_case(utc)) {
        return Ok((TimeZone::UTC, "UTC".to_owned()));
    }
    if let Some(offset) = offset(name) {
        return Ok((TimeZone::fixed(offset), written(offset)));
    }
    let database = TimeZoneDatabase::bundled();
    match database.get(&name.replace(' ', "_")) {
        Ok(zone) => {
            let known = zone.iana_name().unwrap_or(name).to_owned();
            Ok((zone, known))
        }
        Err(_) => Err(unknown(&database, name)),
    }
}

/// Reads `+8`, `+08:00`, `-0530` and `UTC+8`.
fn offset(text: &str) -> Option<Offset> {
    let start = text
        .get(..3)
        .filter(|start| start.eq_ignore_ascii_case("utc") || start.eq_ignore_ascii_case("gmt"));
    let text = start.and_then(|_| text.get(3..)).unwrap_or(text);
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let part = |text: &str, most: i32| {
        let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i32>().ok().filter(|value| is_short && *value <= most)
    };
    let seconds = part(hours, 18)? * 3_600 + part(minutes, 59)? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

fn written(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

fn unknown(database: &TimeZoneDatabase, name: &str) -> ToolError {
    let names: Vec<String> = database.available().map(|name| name.as_str().to_owned()).collect();
    // People say the city; the list has the continent before it.
    let wanted = name.replace(' ', "_");
    let near = suggestion(&wanted, names.iter().map(String::as_str)).or_else(|| {
        let cities = names.iter().filter_map(|name| name.rsplit_once('/').map(|(_, city)| city));
        let near = toolsmith_core::nearest(&wanted, cities).first().copied()?;
        let whole = names.iter().find(|name| name.ends_with(&format!("/{near}")))?;
        Some(format!("Did you mean `{whole}`?"))
    });
    let near = near.map(|near| format!(" {near}")).unwrap_or_default();
    let shown: String = name.chars().take(64).collect();
    ToolError::validation(format!(
        "`{shown}` is no time zone.{near} Write an IANA name such as `Asia/Shanghai`, `UTC`, or an \
         offset such as `+08:00`."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_in_all_usual_forms() {
        for (text, expected) in [
            ("+08:00", Some("+08:00")),
            ("+8", Some("+08:00")),
            ("UTC+8", Some("+08:00")),
            ("gmt-5", Some("-05:00")),
            ("-0530", Some("-05:30")),
            ("-00:30", Some("-00:30")),
            ("+19:00", None),
            ("+08:60", None),
            ("+", None),
            ("8", None),
            ("+0x8", None),
            ("+é8", None),
            ("é", None),
        ] {
            let found = offset(text).map(written);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn names_are_found_whatever_their_case_and_near_ones_are_suggested() {
        assert_eq!(find("asia/shanghai").unwrap().1, "Asia/Shanghai");
        assert_eq!(find("America/New York").unwrap().1, "America/New_York");
        let message = |name: &str| find(name).unwrap_err().message().to_owned();
        assert!(message("Shanghai").contains("`Asia/Shanghai`"), "{}", message("Shanghai"));
        assert!(message("Asia/Shangai").contains("`Asia/Shanghai`"));
        assert!(message("Shangai").contains("`Asia/Shanghai`"), "{}", message("Shangai"));
        assert!(message("zzzz").contains("IANA name"));
    }
}
