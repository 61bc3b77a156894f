//! Facts about one thing, a line each.

use std::fmt::Write as _;

use crate::output::harmless;

/// Returns the facts that there are, with their names in a column.
pub(crate) fn facts(facts: &[(&str, Option<String>)]) -> String {
    let mut text = String::new();
    for (name, fact) in facts {
        if let Some(fact) = fact {
            writeln!(text, "{name:<14}{}", harmless(fact)).ok();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_takes_no_line() {
        let known = [("tool", Some("echo\u{7}!".to_owned())), ("error", None)];
        assert_eq!(facts(&known), "tool          echo !\n");
    }
}
